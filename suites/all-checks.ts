import type { Check, CheckId } from '../judge/check.js';
import { everyWorldCheck } from '../judge/every-world-check.js';
import { PassiveJudge } from '../judge/passive.js';
import { passiveCheckId } from '../judge/requirement-results.js';
import { worldStateCheck } from '../judge/world-state-check.js';
import { authBatch, authChecks, corsChecks, repeatedProperties } from './auth.js';
import { readBatches } from './batches/reads.js';
import { vaultOutcomeBatches, vaultRefusalBatches } from './batches/vault-deletes.js';
import { creditBatch, creditLimitChecks } from './credit-limit.js';
import { valueProperties } from './field-values.js';
import { freeLimitBatches, freeLimitChecks, longLater } from './free-limits.js';
import { sequenceProperty } from './generated/sequences.js';
import { situationProperties } from './generated/situations.js';
import { guardrailReadChecks } from './guardrail-read.js';
import { inferenceBatch, inferenceChecks, streamErrorChecks } from './inference.js';
import { keyInfoChecks } from './key-info.js';
import { plainRequestChecks } from './plain-requests.js';
import { rateLimitBatch, rateLimitChecks } from './rate-limit.js';
import { secrecyChecks } from './secrecy.js';
import { nameProperties, secretNameChecks } from './secret-name.js';
import { usageChecks } from './usage-windows.js';
import { vaultDeleteChecks } from './vault-delete.js';
import { vaultRefusalChecks } from './vault-delete-refusals.js';

/** Every check but the last, in the order of the document's areas. */
const checksByArea: readonly Check[] = [
  // Their cases share a world, and so decide the most per request.
  ...vaultRefusalBatches,
  ...vaultOutcomeBatches,
  ...readBatches,
  creditBatch,
  authBatch,
  inferenceBatch,
  rateLimitBatch,
  ...freeLimitBatches,
  // Their findings take the most requests to confirm.
  ...authChecks,
  ...vaultRefusalChecks,
  ...vaultDeleteChecks,
  ...secretNameChecks,
  ...guardrailReadChecks,
  ...keyInfoChecks,
  ...usageChecks,
  ...inferenceChecks,
  ...corsChecks,
  ...streamErrorChecks,
  ...creditLimitChecks,
  ...freeLimitChecks,
  ...rateLimitChecks,
  ...secrecyChecks,
  ...plainRequestChecks,
  longLater,
  ...nameProperties,
  ...situationProperties,
  sequenceProperty,
  ...repeatedProperties,
  ...valueProperties,
];

/** The checks that confirm the most everyday mutants per request, the most first. */
const firstChecks: readonly CheckId[] = [
  'inference.502.model-down/chain',
  'vault-delete.400.keeps/chain-of-names',
  'vault-delete.401.keeps/chain',
  'vault-delete.403.keeps/chain',
  'auth.unknown-key/chain',
  'key-info.200.values',
  'vault-delete.404.keeps/chain',
  'guardrail-read.401.missing-key/chain',
  'rate-limit.minute.allowed/chain',
  'vault-delete.500.keeps/chain',
  'vault-delete.503.keeps/chain',
  'vault-delete.404.keeps/chain-elsewhere',
  'vault-delete.400.keeps/chain-of-paths',
  'credit-limit.overdrawn.paid/chain',
  'guardrail-read.200.values',
  'rate-limit.upstream.status/chain',
];

/** Every check, in the order of the plan. */
export const allChecks: readonly Check[] = [
  ...firstChecks.flatMap((id) => checksByArea.filter((check) => check.id === id)),
  ...checksByArea.filter(({ id }) => !firstChecks.some((first) => first === id)),
  everyWorldCheck,
  worldStateCheck,
];

/** Every test that a run can have: the checks, and the rules for every response. */
export const allTests = [
  ...allChecks.map(({ id, requirement, decides }) => ({ id, requirement, requirements: decides })),
  ...PassiveJudge.requirements.map((id) => ({ id: passiveCheckId(id), requirement: id, requirements: [id] })),
];
