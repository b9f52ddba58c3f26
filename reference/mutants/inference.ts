import { stream } from '../answers.js';
import type { Answer, Behaviour, Call } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { completionFrames, completionHead } from '../inference.js';
import { type Mutant, makeMutants } from '../mutant.js';
import { answers, fault, restatused } from '../mutation.js';

/** Mutants of the area inference. */
export const inferenceMutants: readonly Mutant[] = [
  ...makeMutants('7.3', ['inference.502.model-down'], {
    'inference.model-down-500': {
      everydayPlain: 'A model that is down is answered 500',
      override: {
        faults: {
          ...conforming.faults,
          model_down: { on: 'inference', refusal: { status: 500, message: 'The chosen model is down' } },
        },
      },
    },
  }),

  // a model that is down
  ...makeMutants('7.3', ['inference.502.model-down'], {
    'inference.model-down-503': {
      plain: 'A model that is down is answered 503, as if no provider met the requirements',
      override: fault('model_down', { status: 503 }),
    },
    'inference.model-down-404': {
      plain: 'A model that is down is answered 404',
      override: fault('model_down', { status: 404 }),
    },
    'inference.model-down-200-with-envelope': {
      plain: 'A model that is down is answered 200 with the error in the body',
      override: answers({ operation: 'inference', status: 502, when: isDown }, (answer) => ({
        ...answer,
        status: 200,
      })),
    },
    'inference.model-down-empty-completion': {
      plain: 'A model that is down is answered 200 with a completion that says nothing',
      override: answers(
        { operation: 'inference', status: 502, when: (call) => isPlain(call) && isDown(call) },
        emptyCompletion,
      ),
    },
    'inference.model-down-504-streamed': {
      everydaySubtle: 'A streamed request to a model that is down is answered 504',
      override: restatused({ operation: 'inference', status: 502, when: isStreamed }, 504),
    },
    'inference.paid-model-down-500': {
      subtle: 'A paid model that is down is answered 500',
      override: restatused({ operation: 'inference', status: 502, when: isPaid }, 500),
    },
  }),

  ...makeMutants('7.3', ['inference.502.model-down', 'stream-error.other-errors'], {
    'inference.model-down-silent-stream': {
      subtle: 'A streamed request to a model that is down gets a stream that ends at once and tells no error',
      override: answers({ operation: 'inference', status: 502, when: isStreamed }, () =>
        stream([{ data: '[DONE]' }]),
      ),
    },
    'inference.model-down-in-band-500': {
      subtle: 'A streamed request to a model that is down gets the in-band event with the code 500',
      override: { refuse: toldInBand(502, 500) },
    },
  }),

  // no provider
  ...makeMutants('7.3', ['inference.503.no-provider'], {
    'inference.no-provider-502': {
      everydayPlain: 'A request that no provider can serve is answered 502',
      override: fault('no_provider', { status: 502 }),
    },
    'inference.no-provider-404': {
      plain: 'A request that no provider can serve is answered 404',
      override: fault('no_provider', { status: 404 }),
    },
    'inference.no-provider-429-streamed': {
      subtle: 'A streamed request that no provider can serve is answered 429',
      override: restatused({ operation: 'inference', status: 503, when: isStreamed }, 429),
    },
  }),
  ...makeMutants('7.3', ['inference.503.no-provider', 'stream-error.other-errors'], {
    'inference.no-provider-whole-stream': {
      subtle: 'A streamed request that no provider can serve gets an ordinary stream',
      override: answers({ operation: 'inference', status: 503, when: isStreamed }, ordinaryStream),
    },
    'inference.no-provider-in-band-502': {
      subtle: 'A streamed request that no provider can serve gets the in-band event with the code 502',
      override: { refuse: toldInBand(503, 502) },
    },
  }),

  // routing
  ...makeMutants('1', ['inference.routed'], {
    'inference.paid-models-unknown': {
      everydayPlain: 'Requests to paid models are refused with 400, as if there were no such model',
      alsoRed: [
        'key-info.byok-counting',
        'inference.502.provider-response',
        'credit-limit.balance-restored',
        'credit-limit.limit-restored',
        'rate-limit.free-variants',
        'rate-limit.paid',
        'rate-limit.fallback',
      ],
      override: answers({ operation: 'inference', status: 200, when: isPaid }, (_answer, call) =>
        call.behaviour.refuse(call, { status: 400, message: 'There is no such model' }),
      ),
    },
  }),
];

function isStreamed({ inference }: Call): boolean {
  return inference?.stream === true;
}

function isPlain(call: Call): boolean {
  return !isStreamed(call);
}

/** Whether the model that a call asks for is down. */
function isDown({ key }: Call): boolean {
  return key?.world.faults.includes('model_down') === true;
}

function isPaid({ inference }: Call): boolean {
  return inference !== undefined && !conforming.isFreeModel(inference.model);
}

function ordinaryStream(_answer: Answer, { inference, server }: Call): Answer {
  return stream(completionFrames(completionHead(inference?.model ?? '', server.now())));
}

function emptyCompletion(_answer: Answer, { inference, server }: Call): Answer {
  const head = completionHead(inference?.model ?? '', server.now());
  return {
    status: 200,
    headers: { 'Content-Type': 'application/json' },
    body: { ...head, object: 'chat.completion', choices: [] },
  };
}

/** Streamed requests that are refused with one status get the in-band event, under another code. */
function toldInBand(status: number, code: number): Behaviour['refuse'] {
  return (call, refusal) => {
    if (refusal.status !== status || call.inference?.stream !== true) return conforming.refuse(call, refusal);
    const head = completionHead(call.inference.model, call.server.now());
    return stream([{ data: call.behaviour.streamErrorEvent(head, { ...refusal, status: code }) }]);
  };
}
