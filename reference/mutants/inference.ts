import type { Answer } from '../answer.js';
import { type Behaviour, conforming } from '../behaviour.js';
import type { Call } from '../call.js';
import { completionFrames, completionHead } from '../completion.js';
import { stream } from '../effects.js';
import type { Mutant } from '../mutant.js';
import { answers, fault, restatused } from '../override.js';

/** Mutants of the area inference. */
export const inferenceMutants: readonly Mutant[] = [
  {
    id: 'inference.model-down-500',
    section: '7.3',
    turnsRed: ['inference.502.model-down'],
    description: 'A model that is down is answered 500',
    hardness: 'plain',
    override: {
      faults: {
        ...conforming.faults,
        model_down: { on: 'inference', refusal: { status: 500, message: 'The chosen model is down' } },
      },
    },
  },

  // a model that is down
  {
    id: 'inference.model-down-503',
    section: '7.3',
    turnsRed: ['inference.502.model-down'],
    description: 'A model that is down is answered 503, as if no provider met the requirements',
    hardness: 'plain',
    override: fault('model_down', { status: 503 }),
  },
  {
    id: 'inference.model-down-404',
    section: '7.3',
    turnsRed: ['inference.502.model-down'],
    description: 'A model that is down is answered 404',
    hardness: 'plain',
    override: fault('model_down', { status: 404 }),
  },
  {
    id: 'inference.model-down-200-with-envelope',
    section: '7.3',
    turnsRed: ['inference.502.model-down'],
    description: 'A model that is down is answered 200 with the error in the body',
    hardness: 'plain',
    override: answers({ operation: 'inference', status: 502 }, (answer) => ({ ...answer, status: 200 })),
  },
  {
    id: 'inference.model-down-empty-completion',
    section: '7.3',
    turnsRed: ['inference.502.model-down'],
    description: 'A model that is down is answered 200 with a completion that says nothing',
    hardness: 'plain',
    override: answers({ operation: 'inference', status: 502, when: isPlain }, emptyCompletion),
  },
  {
    id: 'inference.model-down-504-streamed',
    section: '7.3',
    turnsRed: ['inference.502.model-down'],
    description: 'A streamed request to a model that is down is answered 504',
    hardness: 'subtle',
    override: restatused({ operation: 'inference', status: 502, when: isStreamed }, 504),
  },
  {
    id: 'inference.model-down-silent-stream',
    section: '7.3',
    turnsRed: ['inference.502.model-down'],
    description:
      'A streamed request to a model that is down gets a stream that ends at once and tells no error',
    hardness: 'subtle',
    override: answers({ operation: 'inference', status: 502, when: isStreamed }, () =>
      stream([{ data: '[DONE]' }]),
    ),
  },
  {
    id: 'inference.model-down-in-band-500',
    section: '7.3',
    turnsRed: ['inference.502.model-down'],
    description: 'A streamed request to a model that is down gets the in-band event with the code 500',
    hardness: 'subtle',
    override: { refuse: toldInBand(502, 500) },
  },
  {
    id: 'inference.paid-model-down-500',
    section: '7.3',
    turnsRed: ['inference.502.model-down'],
    description: 'A paid model that is down is answered 500',
    hardness: 'subtle',
    override: restatused({ operation: 'inference', status: 502, when: isPaid }, 500),
  },

  // no provider
  {
    id: 'inference.no-provider-502',
    section: '7.3',
    turnsRed: ['inference.503.no-provider'],
    description: 'A request that no provider can serve is answered 502',
    hardness: 'plain',
    override: fault('no_provider', { status: 502 }),
  },
  {
    id: 'inference.no-provider-404',
    section: '7.3',
    turnsRed: ['inference.503.no-provider'],
    description: 'A request that no provider can serve is answered 404',
    hardness: 'plain',
    override: fault('no_provider', { status: 404 }),
  },
  {
    id: 'inference.no-provider-429-streamed',
    section: '7.3',
    turnsRed: ['inference.503.no-provider'],
    description: 'A streamed request that no provider can serve is answered 429',
    hardness: 'subtle',
    override: restatused({ operation: 'inference', status: 503, when: isStreamed }, 429),
  },
  {
    id: 'inference.no-provider-whole-stream',
    section: '7.3',
    turnsRed: ['inference.503.no-provider'],
    description: 'A streamed request that no provider can serve gets an ordinary stream',
    hardness: 'subtle',
    override: answers({ operation: 'inference', status: 503, when: isStreamed }, ordinaryStream),
  },
  {
    id: 'inference.no-provider-in-band-502',
    section: '7.3',
    turnsRed: ['inference.503.no-provider'],
    description: 'A streamed request that no provider can serve gets the in-band event with the code 502',
    hardness: 'subtle',
    override: { refuse: toldInBand(503, 502) },
  },

  // routing
  {
    id: 'inference.paid-models-unknown',
    section: '1',
    turnsRed: ['inference.routed'],
    description: 'Requests to paid models are refused with 400, as if there were no such model',
    hardness: 'plain',
    override: answers({ operation: 'inference', status: 200, when: isPaid }, (_answer, call) =>
      call.behaviour.refuse(call, { status: 400, message: 'There is no such model' }),
    ),
  },
];

function isStreamed({ inference }: Call): boolean {
  return inference?.stream === true;
}

function isPlain(call: Call): boolean {
  return !isStreamed(call);
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
