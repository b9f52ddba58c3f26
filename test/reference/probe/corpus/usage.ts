import { everyInference, keyRead } from '../requests.js';
import type { Script } from '../script.js';
import { keyFigures, script, sent, usage } from '../steps.js';

// Around the borders of the windows that the clock of the probe is in, a Wednesday.
const times = [
  '2026-05-20T23:43:00Z',
  '2026-05-20T00:00:00Z',
  '2026-05-19T23:59:59Z',
  '2026-05-18T00:00:00Z',
  '2026-05-17T23:59:59Z',
  '2026-05-01T00:00:00Z',
  '2026-04-30T23:59:59Z',
  '2025-04-01T12:00:00Z',
];

/** What the figures of a key are computed from. */
export const usageScripts: readonly Script[] = [
  script(
    'usage around the borders',
    usage(
      'member',
      times.map((at, place) => ({ at, credits: 2 ** place + 0.25, byok: 2 ** (times.length - place) })),
    ),
    sent([keyRead()]),
    [false, true].flatMap((include_byok_in_limit) => [
      keyFigures('member', { limit: 400, include_byok_in_limit }),
      ...sent([keyRead(), ...everyInference()]),
    ]),
    usage('member', [{ at: '2024-01-01T00:00:00Z', credits: 401, byok: 0 }]),
    sent([keyRead(), ...everyInference()]),
  ),
];
