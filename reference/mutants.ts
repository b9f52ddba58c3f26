import type { Mutant } from './mutant.js';
import { authMutants } from './mutants/auth.js';
import { authBrokenCredentialMutants } from './mutants/auth-broken-credentials.js';
import { authForwardingHeaderMutants } from './mutants/auth-forwarding-headers.js';
import { authHeaderMutants } from './mutants/auth-header.js';
import { authRoleMutants } from './mutants/auth-role.js';
import { controlAdditionMutants } from './mutants/control-additions.js';
import { creditLimitMutants } from './mutants/credit-limit.js';
import { envelopeMutants } from './mutants/envelope.js';
import { envelopeBodyMutants } from './mutants/envelope-body.js';
import { guardrailReadMutants } from './mutants/guardrail-read.js';
import { guardrailReadFieldMutants } from './mutants/guardrail-read-fields.js';
import { guardrailReadIdMutants } from './mutants/guardrail-read-ids.js';
import { guardrailReadListMutants } from './mutants/guardrail-read-lists.js';
import { guardrailReadRoundTripMutants } from './mutants/guardrail-read-round-trip.js';
import { guardrailReadStatusMutants } from './mutants/guardrail-read-statuses.js';
import { guardrailReadValueMutants } from './mutants/guardrail-read-values.js';
import { inferenceMutants } from './mutants/inference.js';
import { inferenceCombinationMutants } from './mutants/inference-combinations.js';
import { keyInfoMutants } from './mutants/key-info.js';
import { keyInfoAnswerMutants } from './mutants/key-info-answers.js';
import { keyInfoContradictionMutants } from './mutants/key-info-contradictions.js';
import { keyInfoMissingMutants } from './mutants/key-info-missing.js';
import { keyInfoRoundTripMutants } from './mutants/key-info-round-trip.js';
import { keyInfoTypeMutants } from './mutants/key-info-types.js';
import { keyInfoValueMutants } from './mutants/key-info-values.js';
import { neverSucceedsMutants } from './mutants/never-succeeds.js';
import { overTimeMutants } from './mutants/over-time.js';
import { rateLimitMutants } from './mutants/rate-limit.js';
import { rateLimitCountingMutants } from './mutants/rate-limit-counting.js';
import { rateLimitPlatformMutants } from './mutants/rate-limit-platform.js';
import { rateLimitUpstreamMutants } from './mutants/rate-limit-upstream.js';
import { readPairMutants } from './mutants/read-pairs.js';
import { secrecyMutants } from './mutants/secrecy.js';
import { secrecyElsewhereMutants } from './mutants/secrecy-elsewhere.js';
import { secretNameMutants } from './mutants/secret-name.js';
import { secretNameIdentityMutants } from './mutants/secret-name-identity.js';
import { secretNamePositionMutants } from './mutants/secret-name-positions.js';
import { secretNameSignMutants } from './mutants/secret-name-signs.js';
import { secretNameStatusMutants } from './mutants/secret-name-status.js';
import { secretNameWordMutants } from './mutants/secret-name-words.js';
import { streamErrorMutants } from './mutants/stream-error.js';
import { streamErrorChoicesMutants } from './mutants/stream-error-choices.js';
import { streamErrorEventMutants } from './mutants/stream-error-event.js';
import { streamedRequestMutants } from './mutants/streamed-requests.js';
import { usageRecordMutants } from './mutants/usage-records.js';
import { vaultDeleteMutants } from './mutants/vault-delete.js';
import { vaultDeleteBystanderMutants } from './mutants/vault-delete-bystanders.js';
import { vaultDeleteCombinationMutants } from './mutants/vault-delete-combinations.js';
import { vaultDeleteFaultMutants } from './mutants/vault-delete-faults.js';
import { vaultDeleteHostMutants } from './mutants/vault-delete-host.js';
import { vaultDeleteInputsMutants } from './mutants/vault-delete-inputs.js';
import { vaultDeleteMalformedMutants } from './mutants/vault-delete-malformed.js';
import { vaultDeleteNotFoundMutants } from './mutants/vault-delete-not-found.js';
import { vaultDeletePairMutants } from './mutants/vault-delete-pairs.js';
import { vaultDeleteReadsMutants } from './mutants/vault-delete-reads.js';
import { vaultDeleteRefusalMutants } from './mutants/vault-delete-refusals.js';
import { vaultDeleteStateMutants } from './mutants/vault-delete-state.js';
import { vaultDeleteSuccessMutants } from './mutants/vault-delete-success.js';
import { vaultDeleteThoughRefusedMutants } from './mutants/vault-delete-though-refused.js';
import { vaultDeleteTooLittleMutants } from './mutants/vault-delete-too-little.js';
import { vaultDeleteTooMuchMutants } from './mutants/vault-delete-too-much.js';
import { vaultDeleteTripleMutants } from './mutants/vault-delete-triples.js';

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
  ...vaultDeletePairMutants,
  ...vaultDeleteTripleMutants,
  ...vaultDeleteStateMutants,
  ...vaultDeleteBystanderMutants,
  ...secretNameMutants,
  ...secretNameIdentityMutants,
  ...secretNameSignMutants,
  ...secretNameStatusMutants,
  ...secretNamePositionMutants,
  ...secretNameWordMutants,
  ...guardrailReadMutants,
  ...guardrailReadFieldMutants,
  ...guardrailReadIdMutants,
  ...guardrailReadListMutants,
  ...guardrailReadStatusMutants,
  ...guardrailReadValueMutants,
  ...guardrailReadRoundTripMutants,
  ...keyInfoMutants,
  ...keyInfoAnswerMutants,
  ...keyInfoContradictionMutants,
  ...keyInfoMissingMutants,
  ...keyInfoTypeMutants,
  ...keyInfoValueMutants,
  ...keyInfoRoundTripMutants,
  ...authMutants,
  ...authHeaderMutants,
  ...authRoleMutants,
  ...authBrokenCredentialMutants,
  ...authForwardingHeaderMutants,
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
  ...controlAdditionMutants,
  ...usageRecordMutants,
  ...neverSucceedsMutants,
  ...readPairMutants,
  ...inferenceCombinationMutants,
  ...streamedRequestMutants,
  ...overTimeMutants,
];
