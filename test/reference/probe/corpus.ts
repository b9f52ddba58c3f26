import { FREE_MODEL, PAID_MODEL } from '../../../reference/inference.js';
import { FAULTS, ROLES } from '../../../reference/vocabulary.js';
import { oddityScripts, stalledScripts, wireScripts } from './odd-requests.js';
import {
  eachOnToken,
  everyInference,
  everyOperation,
  faults,
  freeUsage,
  guardrailRead,
  type HeaderLines,
  inference,
  keyFigures,
  keyRead,
  later,
  listing,
  look,
  type Request,
  removal,
  type Script,
  script,
  sent,
  stock,
  stored,
  storedAndDeleted,
  usage,
} from './script.js';

type Credential = (key: string) => HeaderLines | undefined;

const CREDENTIALS: readonly Credential[] = [
  () => undefined,
  () => 'Bearer sk-none',
  (key) => key,
  (key) => `bearer ${key}`,
  (key) => `Bearer  ${key}`,
  (key) => ` Bearer ${key} `,
  (key) => `Bearer${key}`,
  (key) => `Bearer: ${key}`,
  (key) => `Token ${key}`,
  (key) => `Basic ${Buffer.from(`${key}:`).toString('base64')}`,
  (key) => `Basic ${Buffer.from(`user:${key}`).toString('base64')}`,
  (key) => `Bearer ${key.toUpperCase()}`,
  (key) => [`Bearer ${key}`, `Bearer ${key}`],
  (key) => ['Bearer sk-none', `Bearer ${key}`],
  (key) => `Bearer ${key}, Bearer sk-none`,
];

/** Keys written in every way that a server may be lenient about. */
const credentialScripts: readonly Script[] = [
  script(
    'credentials',
    CREDENTIALS.flatMap((authorization) => [
      ...eachOnToken([removal('token', { authorization })]),
      ...sent(everyOperation({ authorization }).slice(1)),
    ]),
  ),
];

/** Every fault, met by one request of each operation. */
const faultScripts: readonly Script[] = [
  script(
    'every fault, briefly',
    FAULTS.flatMap((fault) => [
      faults(fault),
      ...eachOnToken([removal('token')]),
      ...sent([keyRead(), guardrailRead(), ...everyInference()]),
    ]),
  ),
];

const free = inference(FREE_MODEL, false, { role: 'free_small' });

function many(count: number, request: Request): readonly Request[] {
  return Array.from({ length: count }, () => request);
}

/** How many requests a server takes in a minute (§8.2, §8.3). */
const limitScripts: readonly Script[] = [
  script(
    'a minute passes',
    freeUsage('free_small', 20, 20),
    [0, 10, 10, 10, 15, 14, 1, 1].flatMap((seconds) => [later(seconds), ...sent([free])]),
    sent(many(20, free)),
    [5, 25, 29, 1, 1].flatMap((seconds) => [later(seconds), ...sent(many(3, free))]),
  ),
  script('more vault requests than a minute allows', sent(many(125, removal('absent')))),
];

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
const usageScripts: readonly Script[] = [
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

// An id of version 4 that no world has.
const UNKNOWN_INTERN = '2b7c9f10-6d1e-4c53-9a41-8f0e5d3c7b26';

/** What a server tells of itself, and the plainest requests. */
const firstScripts: readonly Script[] = [
  script('capabilities', {
    do: 'control',
    call: () => ({ method: 'GET', path: '' }),
  }),
  script(
    'the first answers',
    stock,
    sent([...everyOperation(), ...everyInference()]),
    look,
    stored('own', 'token'),
    sent([
      ...everyOperation({ authorization: () => undefined }),
      ...everyOperation({ authorization: () => 'Bearer sk-none' }),
      removal('token', { role: 'provisioning' }),
      removal('Token'),
      removal('absent'),
      ...[() => undefined, () => 'Bearer sk-none'].flatMap((authorization) => [
        removal('absent', { authorization }),
        removal('token', { authorization, intern: UNKNOWN_INTERN }),
      ]),
    ]),
    look,
    storedAndDeleted('token'),
    sent([keyRead(), guardrailRead(), listing()]),
  ),
];

/** Every role, met by one request of each operation. */
const roleScripts: readonly Script[] = [
  script(
    'every role, briefly',
    stock,
    sent(
      ROLES.flatMap((role) => [
        removal('only_own', { role, intern: ({ here }) => here.interns.foreign }),
        ...everyOperation({ role }),
        inference(FREE_MODEL, false, { role }),
        inference(PAID_MODEL, true, { role }),
      ]),
    ),
    sent(everyOperation({ from: 'there' })),
    look,
  ),
];

/** How quick a server is. */
const tempoScripts: readonly Script[] = [
  script(
    'quickness',
    sent([keyRead()]),
    [removal('absent'), keyRead(), guardrailRead(), inference(PAID_MODEL, true)].map(
      (request) => ({ do: 'tempo', request }) as const,
    ),
  ),
];

/** Every script, those in which most variants show first. A variant that shows in none needs a script of its own. */
export const corpus: readonly Script[] = [
  ...firstScripts,
  ...tempoScripts,
  ...oddityScripts,
  ...faultScripts,
  ...roleScripts,
  ...wireScripts,
  ...stalledScripts,
  ...limitScripts,
  ...usageScripts,
  ...credentialScripts,
];
