import { FREE_MODEL } from '../../../../reference/inference.js';
import { inference, removal } from '../requests.js';
import type { Request, Script } from '../script.js';
import { freeUsage, later, script, sent } from '../steps.js';

const free = inference(FREE_MODEL, false, { role: 'free_small' });

function many(count: number, request: Request): readonly Request[] {
  return Array.from({ length: count }, () => request);
}

/** How many requests a server takes in a minute (§8.2, §8.3). */
export const limitScripts: readonly Script[] = [
  script(
    'a minute passes',
    freeUsage('free_small', 20, 20),
    [0, 10, 10, 10, 15, 14, 1, 1].flatMap((seconds) => [later(seconds), ...sent([free])]),
    sent(many(20, free)),
    [5, 25, 29, 1, 1].flatMap((seconds) => [later(seconds), ...sent(many(3, free))]),
  ),
  script('more vault requests than a minute allows', sent(many(125, removal('absent')))),
];
