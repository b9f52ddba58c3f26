import type { Check, CheckId } from '../judge/check.js';
import { everyWorldCheck } from '../judge/every-world-check.js';
import { PassiveJudge } from '../judge/passive.js';
import { makePassiveCheckId } from '../judge/requirement-results.js';
import { worldStateCheck } from '../judge/world-state-check.js';
import { authBatch, authChecks, corsChecks, repeatedProperties } from './auth.js';
import { readBatches } from './batches/reads.js';
import { vaultOutcomeBatches, vaultRefusalBatches } from './batches/vault-deletes.js';
import { creditBatch, creditLimitChecks } from './credit-limit.js';
import { noExistenceOracle } from './existence-oracle.js';
import { valueProperties } from './field-values.js';
import { freeLimitBatches, freeLimitChecks, longMinutes } from './free-limits.js';
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

/** Every check but the final ones, after the file that defines them. */
const checksByFile: readonly (readonly [file: string, checks: readonly Check[]])[] = [
  // Their cases share a world, and so decide the most per request.
  ['suites/batches/vault-deletes.ts', [...vaultRefusalBatches, ...vaultOutcomeBatches]],
  ['suites/batches/reads.ts', readBatches],
  ['suites/credit-limit.ts', [creditBatch]],
  ['suites/auth.ts', [authBatch]],
  ['suites/inference.ts', [inferenceBatch]],
  ['suites/rate-limit.ts', [rateLimitBatch]],
  ['suites/free-limits.ts', freeLimitBatches],
  // Their findings take the most requests to confirm.
  ['suites/auth.ts', authChecks],
  ['suites/existence-oracle.ts', [noExistenceOracle]],
  ['suites/vault-delete-refusals.ts', vaultRefusalChecks],
  ['suites/vault-delete.ts', vaultDeleteChecks],
  ['suites/secret-name.ts', secretNameChecks],
  ['suites/guardrail-read.ts', guardrailReadChecks],
  ['suites/key-info.ts', keyInfoChecks],
  ['suites/usage-windows.ts', usageChecks],
  ['suites/inference.ts', inferenceChecks],
  ['suites/auth.ts', corsChecks],
  ['suites/inference.ts', streamErrorChecks],
  ['suites/credit-limit.ts', creditLimitChecks],
  ['suites/free-limits.ts', freeLimitChecks],
  ['suites/rate-limit.ts', rateLimitChecks],
  ['suites/secrecy.ts', secrecyChecks],
  ['suites/plain-requests.ts', plainRequestChecks],
  ['suites/free-limits.ts', longMinutes],
  ['suites/secret-name.ts', nameProperties],
  ['suites/generated/situations.ts', situationProperties],
  ['suites/generated/sequences.ts', [sequenceProperty]],
  ['suites/auth.ts', repeatedProperties],
  ['suites/field-values.ts', valueProperties],
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

const finalChecks: typeof checksByFile = [
  ['judge/every-world-check.ts', [everyWorldCheck]],
  ['judge/world-state-check.ts', [worldStateCheck]],
];

const listChecks = (files: typeof checksByFile): readonly Check[] => files.flatMap(([, checks]) => checks);

/** Every check, in the order of the plan. */
export const allChecks: readonly Check[] = [
  ...firstChecks.flatMap((id) => listChecks(checksByFile).filter((check) => check.id === id)),
  ...listChecks(checksByFile).filter(({ id }) => !firstChecks.some((first) => first === id)),
  ...listChecks(finalChecks),
];

/** Returns the source file that defines a check. */
export function findFile(check: Check): string | undefined {
  return [...checksByFile, ...finalChecks].find(([, checks]) => checks.includes(check))?.[0];
}

/** Every test that a run can have: the checks, and the rules for every response. */
export const allTests = [
  ...allChecks.map(({ id, requirement, decides }) => ({ id, requirement, requirements: decides })),
  ...PassiveJudge.requirements.map((id) => ({
    id: makePassiveCheckId(id),
    requirement: id,
    requirements: [id],
  })),
];
