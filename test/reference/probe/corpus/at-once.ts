import { PAID_MODEL } from '../../../../reference/inference.js';
import { everyOperation, inference } from '../requests.js';
import type { Script } from '../script.js';
import { script } from '../steps.js';

/** Many requests at the same time. */
export const atOnceScripts: readonly Script[] = [
  script(
    'reads at once',
    [1, 2, 3].map(() => ({
      do: 'together',
      requests: [
        ...everyOperation(),
        ...everyOperation({ role: 'outsider' }),
        ...everyOperation({ from: 'there' }),
        ...everyOperation({ authorization: () => undefined }),
        inference(PAID_MODEL, true),
        inference(PAID_MODEL, true, { from: 'there' }),
      ],
    })),
  ),
];
