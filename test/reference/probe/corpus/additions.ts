import { FREE_MODEL } from '../../../../reference/models.js';
import { everyInference, guardrailRead, inference, keyRead, removal } from '../requests.js';
import type { Script } from '../script.js';
import { credit, eachOnToken, freeUsage, keyFigures, script, sent, usage } from '../steps.js';

const blocked = { headers: { Origin: 'https://blocked.test' } };
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

/** What the optional additions of the control protocol arrange; faults and roles are in the scripts of all of them. */
export const additionScripts: readonly Script[] = [
  script(
    'credit step by step',
    ...(['member', 'overdrawn', 'exhausted'] as const).flatMap((role) =>
      [
        { balance: -1 },
        { balance: 0 },
        { balance: 1 },
        { limit_remaining: 0 },
        { limit_remaining: 1 },
      ].flatMap((figure) => [
        credit(role, figure),
        ...sent([...everyInference({ role }), keyRead({ role })]),
      ]),
    ),
  ),
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
  script(
    'two keys of one account',
    freeUsage('free_small', 20, 20),
    sent([inference(FREE_MODEL, false, { role: 'free_small_second' })]),
    freeUsage('free_small', 19, 19),
    sent([
      inference(FREE_MODEL, false, { role: 'free_small_second' }),
      inference(FREE_MODEL, false, { role: 'free_small' }),
    ]),
    freeUsage('free_large_exactly', 0, 50),
    sent([inference(FREE_MODEL, false, { role: 'free_large_exactly' })]),
  ),
  script(
    'an origin that CORS blocks',
    eachOnToken([removal('token', blocked)]),
    sent([keyRead(blocked), guardrailRead(blocked), inference(FREE_MODEL, false, blocked)]),
  ),
];
