import { type Behaviour, conforming } from '../behaviour.js';
import type { Call } from '../call.js';
import { completionHead } from '../completion.js';
import { stream } from '../effects.js';
import { replaceGate } from '../gate.js';
import { inferenceGates } from '../inference-gates.js';
import type { Mutant } from '../mutant.js';
import { answers, counted, gate, gateStatus, noGate } from '../override.js';

/** Mutants of the area credit-limit. */
export const creditLimitMutants: readonly Mutant[] = [
  {
    id: 'credit-limit.overdrawn-uses-free-models',
    section: '8.1',
    turnsRed: ['credit-limit.overdrawn.free'],
    description: 'An account with a negative balance may use free models',
    hardness: 'plain',
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

  // a negative balance
  {
    id: 'credit-limit.overdrawn-uses-paid-models',
    section: '8.1',
    turnsRed: ['credit-limit.overdrawn.paid'],
    description: 'An account with a negative balance may use paid models',
    hardness: 'plain',
    override: noGate('inference', 'account-balance', isPaid),
  },
  {
    id: 'credit-limit.overdrawn-streams-paid-models',
    section: '8.1',
    turnsRed: ['credit-limit.overdrawn.paid'],
    description: 'An account with a negative balance may stream from paid models',
    hardness: 'subtle',
    override: noGate('inference', 'account-balance', (call) => isStreamed(call) && isPaid(call)),
  },
  {
    id: 'credit-limit.overdrawn-streams-free-models',
    section: '8.1',
    turnsRed: ['credit-limit.overdrawn.free'],
    description: 'An account with a negative balance may stream from free models',
    hardness: 'subtle',
    override: noGate('inference', 'account-balance', (call) => isStreamed(call) && !isPaid(call)),
  },
  {
    id: 'credit-limit.overdrawn-403',
    section: '8.1',
    turnsRed: ['credit-limit.overdrawn.paid', 'credit-limit.overdrawn.free'],
    description: 'An account with a negative balance is refused with 403',
    hardness: 'plain',
    override: gateStatus('inference', 'account-balance', 403),
  },
  {
    id: 'credit-limit.overdrawn-free-429',
    section: '8.1',
    turnsRed: ['credit-limit.overdrawn.free'],
    description: 'An account with a negative balance is refused with 429 on free models',
    hardness: 'plain',
    override: gate('inference', 'account-balance', (call, original) => {
      const refusal = original(call);
      return refusal === undefined || isPaid(call) ? refusal : { ...refusal, status: 429 };
    }),
  },
  {
    id: 'credit-limit.overdrawn-200-with-envelope',
    section: '8.1',
    turnsRed: ['credit-limit.overdrawn.paid'],
    description:
      'A plain request of an overdrawn account to a paid model gets 200 with the error in the body',
    hardness: 'plain',
    override: answers(
      {
        operation: 'inference',
        status: 402,
        when: (call) => isOverdrawn(call) && isPaid(call) && !isStreamed(call),
      },
      (answer) => ({ ...answer, status: 200 }),
    ),
  },
  {
    id: 'credit-limit.overdrawn-silent-stream',
    section: '8.1',
    turnsRed: ['credit-limit.overdrawn.free'],
    description:
      'A streamed request of an overdrawn account to a free model gets a stream that tells no error',
    hardness: 'subtle',
    override: answers(
      {
        operation: 'inference',
        status: 402,
        when: (call) => isOverdrawn(call) && !isPaid(call) && isStreamed(call),
      },
      () => stream([{ data: '[DONE]' }]),
    ),
  },
  {
    id: 'credit-limit.overdrawn-served-every-third-time',
    section: '8.1',
    turnsRed: ['credit-limit.overdrawn.paid'],
    description: 'Every third request of overdrawn accounts to paid models is served',
    hardness: 'intermittent',
    override: noGate(
      'inference',
      'account-balance',
      (call) => isOverdrawn(call) && isPaid(call) && counted(call, 'overdrawn') % 3 === 0,
    ),
  },

  // a key whose limit is used up
  {
    id: 'credit-limit.exhausted-served',
    section: '8.1',
    turnsRed: ['credit-limit.exhausted'],
    description: 'A key whose credit limit is used up is served',
    hardness: 'plain',
    override: noGate('inference', 'key-limit'),
  },
  {
    id: 'credit-limit.exhausted-streams',
    section: '8.1',
    turnsRed: ['credit-limit.exhausted'],
    description: 'A key whose credit limit is used up may stream',
    hardness: 'subtle',
    override: noGate('inference', 'key-limit', isStreamed),
  },
  {
    id: 'credit-limit.exhausted-plain-served',
    section: '8.1',
    turnsRed: ['credit-limit.exhausted'],
    description: 'A key whose credit limit is used up is refused streams only',
    hardness: 'subtle',
    override: noGate('inference', 'key-limit', (call) => !isStreamed(call)),
  },
  {
    id: 'credit-limit.exhausted-429',
    section: '8.1',
    turnsRed: ['credit-limit.exhausted'],
    description: 'A key whose credit limit is used up is refused with 429',
    hardness: 'plain',
    override: gateStatus('inference', 'key-limit', 429),
  },
  {
    id: 'credit-limit.exhausted-403',
    section: '8.1',
    turnsRed: ['credit-limit.exhausted'],
    description: 'A key whose credit limit is used up is refused with 403',
    hardness: 'plain',
    override: gateStatus('inference', 'key-limit', 403),
  },
  {
    id: 'credit-limit.exhausted-in-band-429',
    section: '8.1',
    turnsRed: ['credit-limit.exhausted'],
    description: 'A streamed request of a used-up key gets the in-band event with the code 429',
    hardness: 'subtle',
    override: { refuse: exhaustedInBand(429) },
  },
  {
    id: 'credit-limit.exhausted-refused-once',
    section: '8.1',
    turnsRed: ['credit-limit.exhausted'],
    description: 'A used-up key is refused the first time and served from then on',
    hardness: 'subtle',
    override: noGate(
      'inference',
      'key-limit',
      (call) =>
        call.key?.traits.limitUsedUp === true &&
        isPaid(call) &&
        counted(call, `used up ${call.key.text}`) > 1,
    ),
  },
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
