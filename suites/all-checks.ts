import type { Check } from '../judge/check.js';
import { authChecks } from './auth.js';
import { batches } from './batches/all-batches.js';
import { creditLimitChecks } from './credit-limit.js';
import { nameProperties } from './generated/names.js';
import { repeatedProperties } from './generated/refused-again.js';
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
import { usageChecks } from './usage-windows.js';
import { vaultDeleteChecks } from './vault-delete.js';
import { worldStateChecks } from './world-state.js';

/**
 * Every check, in the order of the plan: the batches, which decide the most for each request, the checks that are written
 * out, in the order of the document's areas, and those that are generated.
 */
export const allChecks: readonly Check[] = [
  ...batches,
  ...vaultDeleteChecks,
  ...secretNameChecks,
  ...guardrailReadChecks,
  ...keyInfoChecks,
  ...usageChecks,
  ...authChecks,
  ...inferenceChecks,
  ...streamErrorChecks,
  ...creditLimitChecks,
  ...rateLimitChecks,
  ...secrecyChecks,
  ...nameProperties,
  ...situationProperties,
  ...sequenceProperties,
  ...repeatedProperties,
  ...valueProperties,
  ...worldStateChecks,
];
