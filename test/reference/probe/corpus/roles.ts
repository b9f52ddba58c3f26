import { FREE_MODEL, PAID_MODEL } from '../../../../reference/inference.js';
import { ROLES } from '../../../../reference/vocabulary.js';
import {
  everyInference,
  everyOperation,
  guardrailRead,
  inference,
  keyRead,
  listing,
  removal,
} from '../requests.js';
import type { Script } from '../script.js';
import { look, script, sent, stock, stored, storedAndDeleted } from '../steps.js';

// An id of version 4 that no world has.
const UNKNOWN_INTERN = '2b7c9f10-6d1e-4c53-9a41-8f0e5d3c7b26';

/** What a server tells of itself, and the plainest requests. */
export const firstScripts: readonly Script[] = [
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
export const roleScripts: readonly Script[] = [
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
    look,
  ),
];

/** How quick a server is. */
export const tempoScripts: readonly Script[] = [
  script(
    'quickness',
    sent([keyRead()]),
    [removal('absent'), keyRead(), guardrailRead(), inference(PAID_MODEL, true)].map(
      (request) => ({ do: 'tempo', request }) as const,
    ),
  ),
];
