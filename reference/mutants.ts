import type { Mutant } from './mutant.js';
import { authMutants } from './mutants/auth.js';
import { authHeaderMutants } from './mutants/auth-header.js';
import { authRoleMutants } from './mutants/auth-role.js';
import { creditLimitMutants } from './mutants/credit-limit.js';
import { envelopeMutants } from './mutants/envelope.js';
import { envelopeBodyMutants } from './mutants/envelope-body.js';
import { guardrailReadMutants } from './mutants/guardrail-read.js';
import { guardrailReadFieldMutants } from './mutants/guardrail-read-fields.js';
import { guardrailReadIdMutants } from './mutants/guardrail-read-ids.js';
import { guardrailReadListMutants } from './mutants/guardrail-read-lists.js';
import { guardrailReadStatusMutants } from './mutants/guardrail-read-statuses.js';
import { guardrailReadValueMutants } from './mutants/guardrail-read-values.js';
import { inferenceMutants } from './mutants/inference.js';
import { keyInfoMutants } from './mutants/key-info.js';
import { keyInfoAnswerMutants } from './mutants/key-info-answers.js';
import { keyInfoContradictionMutants } from './mutants/key-info-contradictions.js';
import { keyInfoMissingMutants } from './mutants/key-info-missing.js';
import { keyInfoTypeMutants } from './mutants/key-info-types.js';
import { keyInfoValueMutants } from './mutants/key-info-values.js';
import { neverSucceedsMutants } from './mutants/never-succeeds.js';
import { rateLimitMutants } from './mutants/rate-limit.js';
import { rateLimitCountingMutants } from './mutants/rate-limit-counting.js';
import { rateLimitPlatformMutants } from './mutants/rate-limit-platform.js';
import { rateLimitUpstreamMutants } from './mutants/rate-limit-upstream.js';
import { secrecyMutants } from './mutants/secrecy.js';
import { secrecyElsewhereMutants } from './mutants/secrecy-elsewhere.js';
import { secretNameMutants } from './mutants/secret-name.js';
import { secretNameIdentityMutants } from './mutants/secret-name-identity.js';
import { secretNameSignMutants } from './mutants/secret-name-signs.js';
import { secretNameStatusMutants } from './mutants/secret-name-status.js';
import { streamErrorMutants } from './mutants/stream-error.js';
import { streamErrorChoicesMutants } from './mutants/stream-error-choices.js';
import { streamErrorEventMutants } from './mutants/stream-error-event.js';
import { vaultDeleteMutants } from './mutants/vault-delete.js';
import { vaultDeleteCombinationMutants } from './mutants/vault-delete-combinations.js';
import { vaultDeleteFaultMutants } from './mutants/vault-delete-faults.js';
import { vaultDeleteHostMutants } from './mutants/vault-delete-host.js';
import { vaultDeleteInputsMutants } from './mutants/vault-delete-inputs.js';
import { vaultDeleteMalformedMutants } from './mutants/vault-delete-malformed.js';
import { vaultDeleteNotFoundMutants } from './mutants/vault-delete-not-found.js';
import { vaultDeleteReadsMutants } from './mutants/vault-delete-reads.js';
import { vaultDeleteRefusalMutants } from './mutants/vault-delete-refusals.js';
import { vaultDeleteSuccessMutants } from './mutants/vault-delete-success.js';
import { vaultDeleteThoughRefusedMutants } from './mutants/vault-delete-though-refused.js';
import { vaultDeleteTooLittleMutants } from './mutants/vault-delete-too-little.js';
import { vaultDeleteTooMuchMutants } from './mutants/vault-delete-too-much.js';

/** All mutants, area by area in the order of the ledger. */
export const mutants: readonly Mutant[] = [
  ...vaultDeleteMutants,
  ...vaultDeleteFaultMutants,
  ...vaultDeleteHostMutants,
  ...vaultDeleteInputsMutants,
  ...vaultDeleteMalformedMutants,
  ...vaultDeleteNotFoundMutants,
  ...vaultDeleteCombinationMutants,
  ...vaultDeleteReadsMutants,
  ...vaultDeleteRefusalMutants,
  ...vaultDeleteSuccessMutants,
  ...vaultDeleteThoughRefusedMutants,
  ...vaultDeleteTooLittleMutants,
  ...vaultDeleteTooMuchMutants,
  ...secretNameMutants,
  ...secretNameIdentityMutants,
  ...secretNameSignMutants,
  ...secretNameStatusMutants,
  ...guardrailReadMutants,
  ...guardrailReadFieldMutants,
  ...guardrailReadIdMutants,
  ...guardrailReadListMutants,
  ...guardrailReadStatusMutants,
  ...guardrailReadValueMutants,
  ...keyInfoMutants,
  ...keyInfoAnswerMutants,
  ...keyInfoContradictionMutants,
  ...keyInfoMissingMutants,
  ...keyInfoTypeMutants,
  ...keyInfoValueMutants,
  ...authMutants,
  ...authHeaderMutants,
  ...authRoleMutants,
  ...envelopeMutants,
  ...envelopeBodyMutants,
  ...inferenceMutants,
  ...streamErrorMutants,
  ...streamErrorChoicesMutants,
  ...streamErrorEventMutants,
  ...creditLimitMutants,
  ...rateLimitMutants,
  ...rateLimitCountingMutants,
  ...rateLimitPlatformMutants,
  ...rateLimitUpstreamMutants,
  ...secrecyMutants,
  ...secrecyElsewhereMutants,
  ...neverSucceedsMutants,
];
