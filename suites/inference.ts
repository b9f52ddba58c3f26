import { type Check, type CheckId, check } from '../judge/check.js';

// §7.3: inference requests, plain and streamed.

const control = 'inference';

/** Both ways to ask: a plain answer, or a stream. */
const ways = [
  { word: 'plain', stream: false },
  { word: 'streamed', stream: true },
] as const;

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
];
