import type { InferenceRequest } from '../judge/api.js';
import { type Check, type CheckId, check } from '../judge/check.js';
import type { Need } from '../spec/need.js';
import type { Fault } from '../spec/vocabulary.js';

// §7.3: inference requests, plain and streamed.

const control = 'inference';

/** Both ways to ask: a plain answer, or a stream. */
const ways = [
  { word: 'plain', stream: false },
  { word: 'streamed', stream: true },
] as const;

function fails(
  requirement: 'inference.502.model-down' | 'inference.503.no-provider',
  fault: Fault,
  status: 502 | 503,
): readonly Check[] {
  const each = (word: string, needs: readonly Need[], request: InferenceRequest) =>
    check(`${requirement}/${word}` satisfies CheckId, { control, needs }, async ({ world, api }) => {
      await world.setFaults(fault);
      await api.infer(request).refuses(status);
      await world.setFaults();
      await api.infer(request).holds(200);
    });
  return [
    ...ways.map(({ word, stream }) => each(word, [], { stream })),
    ...ways.map(({ word, stream }) => each(`paid-${word}`, ['inference:paid'], { model: 'paid', stream })),
  ];
}

/** The checks of §7.3 on the inference route. */
export const inferenceChecks: readonly Check[] = [
  ...ways.map(({ word, stream }) =>
    check(`inference.routed/${word}` satisfies CheckId, { control, isControl: true }, async ({ api }) => {
      await api.infer({ stream }).answers(200);
    }),
  ),
  ...(['free', 'paid'] as const).map((model) =>
    check(
      `inference.routed/${model}` satisfies CheckId,
      { control, isControl: true, needs: [`inference:${model}`] },
      async ({ api }) => {
        await api.infer({ model }).answers(200);
      },
    ),
  ),
  ...fails('inference.502.model-down', 'model_down', 502),
  ...fails('inference.503.no-provider', 'no_provider', 503),
];
