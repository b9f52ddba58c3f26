import { stream } from '../answers.js';
import type { Call, Frame, GateName } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { midStreamRule } from '../faults.js';
import { completion, completionFrames, completionHead, openingFrames } from '../inference.js';
import { type Mutant, makeMutants } from '../mutant.js';
import {
  answers,
  errorEvent,
  fault,
  gate,
  gateStatus,
  noGate,
  type Override,
  restatused,
} from '../mutation.js';
import type { Fault, Operation } from '../vocabulary.js';

const everywhere = ['vault-delete', 'guardrail-read', 'key-read', 'inference'] as const;

/** Mutants of inference, of keys and of credit that show where the control protocol offers its optional additions. */
export const controlAdditionMutants: readonly Mutant[] = [
  // a provider that returns an invalid response
  ...makeMutants('7.3', ['inference.502.provider-response', 'stream-error.other-errors'], {
    'inference.bad-response-500': {
      everydayPlain: "A provider's invalid response is answered 500",
      override: fault('provider_bad_response', { status: 500 }),
    },
    'inference.bad-response-whole-stream': {
      subtle: 'A stream whose provider returned an invalid response ends as if nothing had happened',
      override: brokenStreams(({ inference, server }) =>
        completionFrames(completionHead(inference?.model ?? '', server.now())),
      ),
    },
  }),
  ...makeMutants('7.3', ['inference.502.provider-response'], {
    'inference.bad-response-empty-completion': {
      plain: "A provider's invalid response is answered 200 with a completion that says nothing",
      override: answers(
        { operation: 'inference', status: 502, when: (call) => meets('provider_bad_response', call) },
        (answer, { inference, server }) => ({
          ...answer,
          status: 200,
          body: { ...completion(completionHead(inference?.model ?? '', server.now())), choices: [] },
        }),
      ),
    },
  }),
  ...makeMutants('6', ['stream-error.other-errors', 'inference.502.provider-response'], {
    'stream-error.other-errors-as-429': {
      plain: 'Whatever breaks a stream, the in-band event says 429',
      override: errorEvent((event) => ({ ...event, error: { code: 429, message: 'Try again later' } })),
    },
    'stream-error.other-errors-end-the-stream': {
      subtle: 'A stream that breaks for anything but a rate limit just ends',
      override: brokenStreams(({ inference, server }) =>
        openingFrames(completionHead(inference?.model ?? '', server.now())),
      ),
    },
  }),

  // a request that times out, is blocked or flagged
  ...makeMutants('7.3', ['inference.408.timeout'], {
    'inference.timeout-504': {
      everydayPlain: 'A request that times out is answered 504',
      override: fault('inference_deadline', { status: 504 }),
    },
    'inference.timeout-500-streamed': {
      subtle: 'A streamed request that times out is answered 500',
      override: restatused({ operation: 'inference', status: 408, when: isStreamed }, 500),
    },
    'inference.timeout-429-on-paid-models': {
      subtle: 'A request to a paid model that times out is answered 429',
      override: restatused({ operation: 'inference', status: 408, when: isPaid }, 429),
    },
  }),
  ...makeMutants('7.3', ['inference.403.blocked', 'guardrail-read.enforcement'], {
    'inference.guardrail-not-enforced': {
      everydayPlain: 'A request that a guardrail blocks is served',
      alsoRed: ['stream-error.other-errors'],
      override: overcome('guardrail_blocks'),
    },
    'inference.guardrail-not-enforced-on-streams': {
      subtle: 'A streamed request that a guardrail blocks is served',
      override: overcome('guardrail_blocks', isStreamed),
    },
    'inference.guardrail-not-enforced-on-free-models': {
      subtle: 'A request to a free model that a guardrail blocks is served',
      override: overcome('guardrail_blocks', (call) => !isPaid(call)),
    },
  }),
  ...makeMutants('7.3', ['inference.403.blocked'], {
    'inference.guardrail-400': {
      plain: 'A request that a guardrail blocks is answered 400',
      override: fault('guardrail_blocks', { status: 400 }),
    },
    'inference.moderation-400': {
      plain: 'A request that moderation flags is answered 400',
      override: fault('moderation_flags', { status: 400 }),
    },
    'inference.moderation-without-effect': {
      plain: 'A request that moderation flags is served',
      override: overcome('moderation_flags'),
    },
    'inference.moderation-without-effect-on-streams': {
      subtle: 'A streamed request that moderation flags is served',
      override: overcome('moderation_flags', isStreamed),
    },
  }),

  // fallback routing
  ...makeMutants('7.4', ['rate-limit.fallback'], {
    'rate-limit.no-fallback': {
      everydayPlain: 'The limit of one provider is passed on although another could serve the request',
      override: surfacing(() => true),
    },
    'rate-limit.no-fallback-for-streams': {
      subtle: 'The limit of one provider breaks streams, plain requests fall back to another',
      override: surfacing(isStreamed),
    },
    'rate-limit.no-fallback-for-paid-models': {
      subtle: 'The limit of one provider is passed on for paid models',
      override: surfacing(isPaid),
    },
    'rate-limit.fallback-503': {
      subtle: 'A request that one provider limits is answered 503',
      override: surfacing(() => true, 503),
    },
  }),

  // an origin that CORS blocks
  ...makeMutants('7.3', ['inference.400.cors'], {
    'inference.blocked-origin-served': {
      everydayPlain: 'A request from an origin that CORS blocks is served',
      override: everyGate('origin'),
    },
    'inference.blocked-origin-403': {
      plain: 'A request from an origin that CORS blocks is answered 403',
      override: everyGate('origin', 403),
    },
    'inference.blocked-origin-reads-key': {
      subtle: 'A key read from an origin that CORS blocks is served',
      override: noGate('key-read', 'origin'),
    },
    'inference.blocked-origin-reads-guardrail': {
      subtle: 'A guardrail read from an origin that CORS blocks is served',
      override: noGate('guardrail-read', 'origin'),
    },
    'inference.blocked-origin-infers': {
      subtle: 'An inference request from an origin that CORS blocks is served',
      override: noGate('inference', 'origin'),
    },
  }),
  ...makeMutants('7.3', ['inference.400.cors'], {
    'inference.blocked-origin-deletes': {
      subtle: 'A vault delete from an origin that CORS blocks is served',
      override: noGate('vault-delete', 'origin'),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.400.keeps'], {
    'vault-delete.blocked-origin-deletes-all-the-same': {
      subtle: 'A vault delete from an origin that CORS blocks is answered 400 and takes effect',
      override: gate('vault-delete', 'origin', (call, original) => {
        const refusal = original(call);
        const place = refusal === undefined ? undefined : call.behaviour.findSecret(call);
        if (place !== undefined) call.behaviour.removeSecret(call, place);
        return refusal;
      }),
    },
  }),

  // an expired session
  ...makeMutants('7.3', ['auth.oauth-session'], {
    'auth.expired-session-served': {
      plain: 'An expired session is served',
      override: everyGate('session'),
    },
    'auth.expired-session-403': {
      everydayPlain: 'An expired session is refused with 403',
      override: everyGate('session', 403),
    },
    'auth.expired-session-deletes': {
      subtle: 'An expired session deletes secrets',
      override: noGate('vault-delete', 'session'),
    },
    'auth.expired-session-reads-key': {
      subtle: 'An expired session reads its limits',
      override: noGate('key-read', 'session'),
    },
    'auth.expired-session-infers': {
      subtle: 'An expired session is served inference',
      override: noGate('inference', 'session'),
    },
  }),

  // a balance and a limit that change
  ...makeMutants('8.1', ['credit-limit.balance-restored'], {
    'credit-limit.zero-balance-suffices': {
      subtle: 'A balance of zero lifts the 402 of a negative one',
      override: gate('inference', 'account-balance', (call, original) =>
        (call.key?.balance.amount ?? 0) < 0 ? original(call) : undefined,
      ),
    },
    'credit-limit.debt-for-good': {
      everydayPlain: 'An account that was refused once for its balance stays refused',
      override: refusedForGood('account-balance'),
    },
    'credit-limit.debt-for-good-on-free-models': {
      subtle: 'An account that was refused once for its balance stays refused on free models',
      override: refusedForGood('account-balance', (call) => !isPaid(call)),
    },
    'credit-limit.debt-for-good-on-streams': {
      subtle: 'An account that was refused once for its balance stays refused streams',
      override: refusedForGood('account-balance', isStreamed),
    },
  }),
  ...makeMutants(
    '8.1',
    ['credit-limit.overdrawn.paid', 'credit-limit.overdrawn.free', 'credit-limit.balance-restored'],
    {
      'credit-limit.balance-read-once': {
        subtle: 'The balance of an account is read when its key is made, and never again',
        override: gate('inference', 'account-balance', ({ key }) =>
          key !== undefined && key.traits.balance < 0
            ? { status: 402, message: 'Insufficient credits: the balance of the account is negative' }
            : undefined,
        ),
      },
    },
  ),
  ...makeMutants('8.1', ['credit-limit.limit-restored'], {
    'credit-limit.used-up-for-good': {
      everydayPlain: 'A key that was refused once for its limit stays refused',
      override: refusedForGood('key-limit'),
    },
    'credit-limit.used-up-for-good-on-streams': {
      subtle: 'A key that was refused once for its limit stays refused streams',
      override: refusedForGood('key-limit', isStreamed),
    },
    'credit-limit.limit-resets-unasked': {
      subtle: 'What was used before this month no longer counts toward a limit that never resets',
      override: {
        limitUse: (key) => {
          const { monthly } = conforming.usageWindows(Date.now());
          return conforming.limitUse({
            ...key,
            records: (key.records ?? []).filter(({ at }) => at >= monthly),
          });
        },
      },
    },
  }),

  // a read with a provisioning key
  ...makeMutants('5', ['vault-delete.401.provisioning-key-reads'], {
    'vault-delete.provisioning-key-read-403': {
      everydayPlain: 'A vault read with a provisioning key is answered 403',
      override: gateStatus('vault-other', 'no-provisioning-key', 403),
    },
    'vault-delete.provisioning-key-read-400': {
      subtle: 'A vault read with a provisioning key is answered 400',
      override: gateStatus('vault-other', 'no-provisioning-key', 400),
    },
  }),
];

function isStreamed({ inference }: Call): boolean {
  return inference?.stream === true;
}

/** Whether a fault holds for the world of a call. */
function meets(name: Fault, { key }: Call): boolean {
  return key?.world.faults.includes(name) === true;
}

function isPaid({ inference }: Call): boolean {
  return inference !== undefined && !conforming.isFreeModel(inference.model);
}

/** Streams that break for anything but a rate limit are these frames instead. */
function brokenStreams(frames: (call: Call) => readonly Frame[]): Override {
  const breaks = (call: Call): boolean =>
    isStreamed(call) && (midStreamRule(call)?.refusal.status ?? 429) !== 429;
  return answers({ operation: 'inference', status: 200, when: breaks }, (_answer, call) =>
    stream(frames(call)),
  );
}

/** Some requests that meet a fault are served all the same. */
function overcome(name: Fault, when: (call: Call) => boolean = () => true): Override {
  return noGate('inference', 'fault', (call) => meets(name, call) && when(call));
}

/** Some requests that one provider limits get that limit. */
function surfacing(when: (call: Call) => boolean, status = 429): Override {
  return gate('inference', 'fault', (call, original) => {
    const { refusal } = conforming.faults.one_provider_limited;
    return meets('one_provider_limited', call) && when(call) ? { ...refusal, status } : original(call);
  });
}

/** A gate is missing on every operation, or refuses with another status there. */
function everyGate(name: GateName, status?: number): Override {
  const gatesOf = (operation: Operation) =>
    status === undefined ? noGate(operation, name) : gateStatus(operation, name, status);
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
function refusedForGood(name: GateName, when: (call: Call) => boolean = () => true): Override {
  return gate('inference', name, (call, original) => {
    const refusal = original(call);
    const { memory } = call.server;
    const about = `${name} ${call.key?.text}`;
    if (refusal !== undefined) memory.set(about, refusal);
    return refusal ?? (when(call) ? (memory.get(about) as typeof refusal) : undefined);
  });
}
