import type { Mutant } from './mutant.js';
import { authMutants } from './mutants/auth.js';
import { authRoleMutants } from './mutants/auth-role.js';
import { envelopeMutants } from './mutants/envelope.js';
import { guardrailFieldsMutants } from './mutants/guardrail-fields.js';
import { guardrailReadMutants } from './mutants/guardrail-read.js';
import { inferenceMutants } from './mutants/inference.js';
import { keyInfoMutants } from './mutants/key-info.js';
import { keyInfoFieldsMutants } from './mutants/key-info-fields.js';
import { overTimeMutants } from './mutants/over-time.js';
import { protocolAdditionsMutants } from './mutants/protocol-additions.js';
import { rateLimitMutants } from './mutants/rate-limit.js';
import { rateLimitAnswersMutants } from './mutants/rate-limit-answers.js';
import { secrecyMutants } from './mutants/secrecy.js';
import { secretNameMutants } from './mutants/secret-name.js';
import { streamErrorChunkMutants } from './mutants/stream-error-chunk.js';
import { streamErrorEventMutants } from './mutants/stream-error-event.js';
import { usageRecordsMutants } from './mutants/usage-records.js';
import { vaultDeleteCombinationsMutants } from './mutants/vault-delete-combinations.js';
import { vaultDeleteHostMutants } from './mutants/vault-delete-host.js';
import { vaultDeleteRefusalsMutants } from './mutants/vault-delete-refusals.js';
import { vaultDeleteScopeMutants } from './mutants/vault-delete-scope.js';
import { vaultDeleteSuccessMutants } from './mutants/vault-delete-success.js';
import { vaultDeleteThoughRefusedMutants } from './mutants/vault-delete-though-refused.js';
import { vaultDeleteTooMuchMutants } from './mutants/vault-delete-too-much.js';

/** All mutants, area by area. */
export const mutants: readonly Mutant[] = [
  ...vaultDeleteScopeMutants,
  ...vaultDeleteHostMutants,
  ...vaultDeleteCombinationsMutants,
  ...vaultDeleteRefusalsMutants,
  ...vaultDeleteThoughRefusedMutants,
  ...vaultDeleteSuccessMutants,
  ...vaultDeleteTooMuchMutants,
  ...secretNameMutants,
  ...guardrailReadMutants,
  ...guardrailFieldsMutants,
  ...keyInfoMutants,
  ...keyInfoFieldsMutants,
  ...authMutants,
  ...authRoleMutants,
  ...envelopeMutants,
  ...inferenceMutants,
  ...streamErrorChunkMutants,
  ...streamErrorEventMutants,
  ...rateLimitMutants,
  ...rateLimitAnswersMutants,
  ...secrecyMutants,
  ...protocolAdditionsMutants,
  ...usageRecordsMutants,
  ...overTimeMutants,
];
