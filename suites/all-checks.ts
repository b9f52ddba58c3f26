import type { Check } from '../judge/check.js';
import type { Depth } from '../judge/plan.js';
import { authChecks } from './auth.js';
import { chains } from './chains/all-chains.js';
import { creditLimitChecks } from './credit-limit.js';
import { nameProperties } from './generated/names.js';
import { sequenceProperties } from './generated/sequences.js';
import { situationProperties } from './generated/situations.js';
import { valueProperties } from './generated/values.js';
import { guardrailReadChecks } from './guardrail-read.js';
import { inferenceChecks } from './inference.js';
import { keyInfoChecks } from './key-info.js';
import { rateLimitChecks } from './rate-limit.js';

import { secrecyChecks } from './secrecy.js';
import { secretNameChecks } from './secret-name.js';
import { streamErrorChecks } from './stream-error.js';
import { vaultDeleteChecks } from './vault-delete.js';
import { worldStateChecks } from './world-state.js';

/** Every check: those that are written out, in the order of the document's areas, then those that are generated. */
export const allChecks: readonly Check[] = [
  ...vaultDeleteChecks,
  ...secretNameChecks,
  ...guardrailReadChecks,
  ...keyInfoChecks,
  ...authChecks,
  ...inferenceChecks,
  ...streamErrorChecks,
  ...creditLimitChecks,
  ...rateLimitChecks,
  ...secrecyChecks,
  ...nameProperties,
  ...situationProperties,
  ...sequenceProperties,
  ...valueProperties,
  ...worldStateChecks,
];

/** The checks of a depth: where every request is dear, what tells several things at once goes first. */
export function checksAt(depth: Depth): readonly Check[] {
  return depth === 'quick' ? [...chains, ...allChecks] : allChecks;
}
