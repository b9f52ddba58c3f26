import type { GateName } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { everyday, type Mutant, makeMutants, plain, subtle } from '../mutant.js';
import { dropGate, editErrorEvent, editFault, editGate, type Mutation, setGateStatus } from '../mutation.js';
import type { Operation } from '../vocabulary.js';
import { during } from './conditions.js';

const everywhere = ['vault-delete', 'guardrail-read', 'key-read', 'inference'] as const;

/** Mutants of inference, of keys and of credit that show where the control protocol offers its optional additions. */
export const protocolAdditionsMutants: readonly Mutant[] = [
  ...makeMutants(['inference.502.provider-response', 'stream-error.other-errors'], {
    'inference.bad-response-500': everyday.plain(
      "A provider's invalid response gets 500",
      editFault('provider_bad_response', { status: 500 }),
    ),
  }),
  ...makeMutants(['stream-error.other-errors', 'inference.502.provider-response'], {
    'stream-error.other-errors-as-429': plain(
      'Whatever breaks a stream, the in-band event says 429',
      editErrorEvent((event) => ({ ...event, error: { code: 429, message: 'Try again later' } })),
    ),
  }),
  ...makeMutants('inference.408.timeout', {
    'inference.timeout-504': everyday.plain(
      'A request that times out gets 504',
      editFault('inference_deadline', { status: 504 }),
    ),
  }),
  ...makeMutants(['inference.403.blocked', 'guardrail-read.enforcement'], {
    'inference.guardrail-not-enforced': everyday.plain(
      'A request that a guardrail blocks is served',
      dropGate('inference', 'fault', during('guardrail_blocks')),
      ['stream-error.other-errors'],
    ),
  }),
  ...makeMutants('inference.403.blocked', {
    'inference.moderation-without-effect': plain(
      'A request that moderation flags is served',
      dropGate('inference', 'fault', during('moderation_flags')),
    ),
  }),
  ...makeMutants('rate-limit.fallback', {
    'rate-limit.no-fallback': everyday.plain(
      'The limit of one provider is passed on although another could serve the request',
      editGate('inference', 'fault', (call, original) =>
        during('one_provider_limited')(call)
          ? conforming.faults.one_provider_limited.refusal
          : original(call),
      ),
    ),
  }),
  ...makeMutants('inference.400.cors', {
    'inference.blocked-origin-served': everyday.plain(
      'A request from an origin that CORS blocks is served',
      everyGate('origin'),
    ),
  }),
  ...makeMutants('auth.oauth-session', {
    'auth.expired-session-403': everyday.plain('An expired session gets 403', everyGate('session', 403)),
    'auth.expired-session-deletes': subtle(
      'An expired session deletes secrets',
      dropGate('vault-delete', 'session'),
    ),
  }),
  ...makeMutants('credit-limit.balance-restored', {
    'credit-limit.zero-balance-suffices': subtle(
      'A balance of zero lifts the 402 of a negative one',
      editGate('inference', 'account-balance', (call, original) =>
        (call.key?.balance.amount ?? 0) < 0 ? original(call) : undefined,
      ),
    ),
    'credit-limit.debt-for-good': everyday.plain(
      'An account that was refused once for its balance stays refused',
      refuseForGood('account-balance'),
    ),
  }),
  ...makeMutants('credit-limit.limit-restored', {
    'credit-limit.used-up-for-good': everyday.plain(
      'A key that was refused once for its limit stays refused',
      refuseForGood('key-limit'),
    ),
  }),
  ...makeMutants('vault-delete.401.provisioning-key-reads', {
    'vault-delete.provisioning-key-read-403': everyday.plain(
      'A vault read with a provisioning key gets 403',
      setGateStatus('vault-other', 'no-provisioning-key', 403),
    ),
  }),
];

/** A gate is missing on every operation, or refuses with another status there. */
function everyGate(name: GateName, status?: number): Mutation {
  const gatesOf = (operation: Operation) =>
    status === undefined ? dropGate(operation, name) : setGateStatus(operation, name, status);
  return {
    gates: {
      ...conforming.gates,
      ...Object.fromEntries(
        everywhere.map((operation) => [operation, gatesOf(operation).gates?.[operation] ?? []]),
      ),
    },
  };
}

/** What a gate has refused a key once it refuses that key for ever. */
function refuseForGood(name: GateName): Mutation {
  return editGate('inference', name, (call, original) => {
    const refusal = original(call);
    const { memory } = call.server;
    const about = `${name} ${call.key?.text}`;
    if (refusal !== undefined) memory.set(about, refusal);
    return refusal ?? (memory.get(about) as typeof refusal);
  });
}
