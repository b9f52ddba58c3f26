import { stream } from '../answers.js';
import type { Behaviour, Call } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { completionHead, inferenceGates } from '../inference.js';
import { type Mutant, makeMutants } from '../mutant.js';
import { answers, counted, gate, gateStatus, noGate, replaceGate } from '../mutation.js';

/** Mutants of the area credit-limit. */
export const creditLimitMutants: readonly Mutant[] = [
  ...makeMutants('8.1', ['credit-limit.overdrawn.free'], {
    'credit-limit.overdrawn-uses-free-models': {
      everydayPlain: 'An account with a negative balance may use free models',
      override: {
        gates: {
          ...conforming.gates,
          inference: replaceGate(inferenceGates, 'account-balance', (call, original) =>
            call.inference !== undefined && call.behaviour.isFreeModel(call.inference.model)
              ? undefined
              : original(call),
          ),
        },
      },
    },
  }),

  // a negative balance
  ...makeMutants('8.1', ['credit-limit.overdrawn.paid'], {
    'credit-limit.overdrawn-uses-paid-models': {
      everydayPlain: 'An account with a negative balance may use paid models',
      alsoRed: ['credit-limit.balance-restored'],
      override: noGate('inference', 'account-balance', isPaid),
    },
    'credit-limit.overdrawn-streams-paid-models': {
      subtle: 'An account with a negative balance may stream from paid models',
      override: noGate('inference', 'account-balance', (call) => isStreamed(call) && isPaid(call)),
    },
  }),
  ...makeMutants('8.1', ['credit-limit.overdrawn.free'], {
    'credit-limit.overdrawn-streams-free-models': {
      everydaySubtle: 'An account with a negative balance may stream from free models',
      override: noGate('inference', 'account-balance', (call) => isStreamed(call) && !isPaid(call)),
    },
  }),
  ...makeMutants('8.1', ['credit-limit.overdrawn.paid', 'credit-limit.overdrawn.free'], {
    'credit-limit.overdrawn-403': {
      plain: 'An account with a negative balance is refused with 403',
      override: gateStatus('inference', 'account-balance', 403),
    },
  }),
  ...makeMutants('8.1', ['credit-limit.overdrawn.free'], {
    'credit-limit.overdrawn-free-429': {
      plain: 'An account with a negative balance is refused with 429 on free models',
      override: gate('inference', 'account-balance', (call, original) => {
        const refusal = original(call);
        return refusal === undefined || isPaid(call) ? refusal : { ...refusal, status: 429 };
      }),
    },
  }),
  ...makeMutants('8.1', ['credit-limit.overdrawn.paid'], {
    'credit-limit.overdrawn-200-with-envelope': {
      plain: 'A plain request of an overdrawn account to a paid model gets 200 with the error in the body',
      override: answers(
        {
          operation: 'inference',
          status: 402,
          when: (call) => isOverdrawn(call) && isPaid(call) && !isStreamed(call),
        },
        (answer) => ({ ...answer, status: 200 }),
      ),
    },
  }),
  ...makeMutants('8.1', ['credit-limit.overdrawn.free'], {
    'credit-limit.overdrawn-silent-stream': {
      subtle: 'A streamed request of an overdrawn account to a free model gets a stream that tells no error',
      override: answers(
        {
          operation: 'inference',
          status: 402,
          when: (call) => isOverdrawn(call) && !isPaid(call) && isStreamed(call),
        },
        () => stream([{ data: '[DONE]' }]),
      ),
    },
  }),
  ...makeMutants('8.1', ['credit-limit.overdrawn.paid'], {
    'credit-limit.overdrawn-served-every-third-time': {
      everydayIntermittent: 'Every third request of overdrawn accounts to paid models is served',
      alsoRed: ['credit-limit.balance-restored'],
      override: noGate(
        'inference',
        'account-balance',
        (call) => isOverdrawn(call) && isPaid(call) && counted(call, 'overdrawn') % 3 === 0,
      ),
    },
  }),

  // a key whose limit is used up
  ...makeMutants('8.1', ['credit-limit.exhausted'], {
    'credit-limit.exhausted-served': {
      everydayPlain: 'A key whose credit limit is used up is served',
      override: noGate('inference', 'key-limit'),
    },
    'credit-limit.exhausted-streams': {
      subtle: 'A key whose credit limit is used up may stream',
      override: noGate('inference', 'key-limit', isStreamed),
    },
    'credit-limit.exhausted-plain-served': {
      subtle: 'A key whose credit limit is used up is refused streams only',
      override: noGate('inference', 'key-limit', (call) => !isStreamed(call)),
    },
    'credit-limit.exhausted-429': {
      plain: 'A key whose credit limit is used up is refused with 429',
      override: gateStatus('inference', 'key-limit', 429),
    },
    'credit-limit.exhausted-403': {
      plain: 'A key whose credit limit is used up is refused with 403',
      override: gateStatus('inference', 'key-limit', 403),
    },
    'credit-limit.exhausted-in-band-429': {
      subtle: 'A streamed request of a used-up key gets the in-band event with the code 429',
      override: { refuse: exhaustedInBand(429) },
    },
    'credit-limit.exhausted-refused-once': {
      subtle: 'A used-up key is refused the first time and served from then on',
      override: noGate(
        'inference',
        'key-limit',
        (call) =>
          call.key?.traits.limitUsedUp === true &&
          isPaid(call) &&
          counted(call, `used up ${call.key.text}`) > 1,
      ),
    },
  }),
];

function isPaid({ inference }: Call): boolean {
  return inference !== undefined && !conforming.isFreeModel(inference.model);
}

function isStreamed({ inference }: Call): boolean {
  return inference?.stream === true;
}

function isOverdrawn({ key }: Call): boolean {
  return key !== undefined && key.traits.balance < 0;
}

/** Streamed requests of a used-up key get the in-band event with this code. */
function exhaustedInBand(code: number): Behaviour['refuse'] {
  return (call, refusal) => {
    const { inference, key, server } = call;
    if (inference?.stream !== true || key?.traits.limitUsedUp !== true || refusal.status !== 402)
      return conforming.refuse(call, refusal);
    const head = completionHead(inference.model, server.now());
    return stream([{ data: call.behaviour.streamErrorEvent(head, { ...refusal, status: code }) }]);
  };
}
