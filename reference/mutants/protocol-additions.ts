import { answerStream } from '../answers.js';
import type { Call, Frame, GateName } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { findMidStreamRule } from '../faults.js';
import { makeCompletionFrames, makeCompletionHead } from '../inference.js';
import { everyday, type Mutant, makeMutants, plain, subtle } from '../mutant.js';
import {
  dropGate,
  editAnswer,
  editErrorEvent,
  editFault,
  editGate,
  type Mutation,
  setGateStatus,
  setStatus,
} from '../mutation.js';
import type { Fault, Operation } from '../vocabulary.js';
import { isStreamed } from './conditions.js';

const everywhere = ['vault-delete', 'guardrail-read', 'key-read', 'inference'] as const;

/** Mutants of inference, of keys and of credit that show where the control protocol offers its optional additions. */
export const protocolAdditionsMutants: readonly Mutant[] = [
  ...makeMutants(['inference.502.provider-response', 'stream-error.other-errors'], {
    'inference.bad-response-500': everyday.plain(
      "A provider's invalid response gets 500",
      editFault('provider_bad_response', { status: 500 }),
    ),
    'inference.bad-response-whole-stream': subtle(
      'A stream whose provider returned an invalid response ends as if nothing had happened',
      editBrokenStreams(({ inference, server }) =>
        makeCompletionFrames(makeCompletionHead(inference?.model ?? '', server.now())),
      ),
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
    'inference.timeout-500-streamed': subtle(
      'A streamed request that times out gets 500',
      setStatus({ operation: 'inference', status: 408, when: isStreamed }, 500),
    ),
  }),
  ...makeMutants(['inference.403.blocked', 'guardrail-read.enforcement'], {
    'inference.guardrail-not-enforced': everyday.plain(
      'A request that a guardrail blocks is served',
      overcomeFault('guardrail_blocks'),
      ['stream-error.other-errors'],
    ),
  }),
  ...makeMutants('inference.403.blocked', {
    'inference.moderation-without-effect': plain(
      'A request that moderation flags is served',
      overcomeFault('moderation_flags'),
    ),
  }),
  ...makeMutants('rate-limit.fallback', {
    'rate-limit.no-fallback': everyday.plain(
      'The limit of one provider is passed on although another could serve the request',
      surfaceLimit(() => true),
    ),
    'rate-limit.no-fallback-for-streams': subtle(
      'The limit of one provider breaks streams, plain requests fall back to another',
      surfaceLimit(isStreamed),
    ),
  }),
  ...makeMutants('inference.400.cors', {
    'inference.blocked-origin-served': everyday.plain(
      'A request from an origin that CORS blocks is served',
      everyGate('origin'),
    ),
    'inference.blocked-origin-deletes': subtle(
      'A vault delete from an origin that CORS blocks is served',
      dropGate('vault-delete', 'origin'),
    ),
  }),
  ...makeMutants('vault-delete.400.keeps', {
    'vault-delete.blocked-origin-deletes-all-the-same': subtle(
      'A vault delete from an origin that CORS blocks gets 400 and takes effect',
      editGate('vault-delete', 'origin', (call, original) => {
        const refusal = original(call);
        const place = refusal === undefined ? undefined : call.behaviour.findSecret(call);
        if (place !== undefined) call.behaviour.removeSecret(call, place);
        return refusal;
      }),
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
  ...makeMutants(
    ['credit-limit.overdrawn.paid', 'credit-limit.overdrawn.free', 'credit-limit.balance-restored'],
    {
      'credit-limit.balance-read-once': subtle(
        'The balance of an account is read when its key is made, and never again',
        editGate('inference', 'account-balance', ({ key }) =>
          key !== undefined && key.traits.balance < 0
            ? { status: 402, message: 'Insufficient credits: the balance of the account is negative' }
            : undefined,
        ),
      ),
    },
  ),
  ...makeMutants('credit-limit.limit-restored', {
    'credit-limit.used-up-for-good': everyday.plain(
      'A key that was refused once for its limit stays refused',
      refuseForGood('key-limit'),
    ),
    'credit-limit.limit-resets-unasked': subtle(
      'What was used before this month no longer counts toward a limit that never resets',
      {
        limitUse: (key) => {
          const { monthly } = conforming.usageWindows(Date.now());
          return conforming.limitUse({
            ...key,
            records: (key.records ?? []).filter(({ at }) => at >= monthly),
          });
        },
      },
    ),
  }),
  ...makeMutants('vault-delete.401.provisioning-key-reads', {
    'vault-delete.provisioning-key-read-403': everyday.plain(
      'A vault read with a provisioning key gets 403',
      setGateStatus('vault-other', 'no-provisioning-key', 403),
    ),
  }),
];

/** Whether a fault holds for the world of a call. */
function meets(name: Fault, { key }: Call): boolean {
  return key?.world.faults.includes(name) === true;
}

/** Streams that break for anything but a rate limit are these frames instead. */
function editBrokenStreams(frames: (call: Call) => readonly Frame[]): Mutation {
  const breaks = (call: Call): boolean =>
    isStreamed(call) && (findMidStreamRule(call)?.refusal.status ?? 429) !== 429;
  return editAnswer({ operation: 'inference', status: 200, when: breaks }, (_answer, call) =>
    answerStream(frames(call)),
  );
}

/** Some requests that meet a fault are served all the same. */
function overcomeFault(name: Fault, when: (call: Call) => boolean = () => true): Mutation {
  return dropGate('inference', 'fault', (call) => meets(name, call) && when(call));
}

/** Some requests that one provider limits get that limit. */
function surfaceLimit(when: (call: Call) => boolean, status = 429): Mutation {
  return editGate('inference', 'fault', (call, original) => {
    const { refusal } = conforming.faults.one_provider_limited;
    return meets('one_provider_limited', call) && when(call) ? { ...refusal, status } : original(call);
  });
}

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

/** What a gate has refused a key once it refuses that key for ever, some calls or all. */
function refuseForGood(name: GateName, when: (call: Call) => boolean = () => true): Mutation {
  return editGate('inference', name, (call, original) => {
    const refusal = original(call);
    const { memory } = call.server;
    const about = `${name} ${call.key?.text}`;
    if (refusal !== undefined) memory.set(about, refusal);
    return refusal ?? (when(call) ? (memory.get(about) as typeof refusal) : undefined);
  });
}
