import { FREE_MODEL, PAID_MODEL } from '../../../../reference/models.js';
import { everyOperation, guardrailRead, inference, keyRead, listing, removal } from '../requests.js';
import type { Request, Script } from '../script.js';
import { faults, freeUsage, look, script, sent, stock, stored } from '../steps.js';

const TIMES = 60;

function times(request: Request): readonly Request[] {
  return Array.from({ length: TIMES }, () => request);
}

const REFUSED: Readonly<Record<string, Request>> = {
  'a missing secret': removal('absent'),
  'a misspelt name': removal('Token'),
  'a malformed intern': removal('token', { intern: 'no-uuid' }),
  'no key': removal('token', { authorization: () => undefined }),
  'an unknown key': keyRead({ authorization: () => 'Bearer sk-none' }),
  'a provisioning key': removal('token', { role: 'provisioning' }),
  'a disabled key': removal('token', { role: 'disabled' }),
  'no scope': removal('token', { role: 'unscoped' }),
  'the regional host': removal('token', { headers: { Host: 'eu.vault.test' } }),
  'an outsider': removal('token', { role: 'outsider' }),
  'an outsider that reads': listing({ role: 'outsider' }),
  'another intern': removal('only_sibling'),
  'a foreign intern': removal('token', { intern: ({ here }) => here.interns.foreign }),
  'writes disabled': removal('token', { role: 'write_disabled' }),
  'no such guardrail': guardrailRead({ id: ({ there }) => there.guardrail_id }),
  'a guardrail without a key': guardrailRead({ authorization: () => undefined }),
  'a guardrail for a member': guardrailRead({ role: 'member' }),
  'no credit': inference(PAID_MODEL, false, { role: 'exhausted' }),
  'a negative balance': inference(PAID_MODEL, false, { role: 'overdrawn' }),
  'a negative balance, free': inference(FREE_MODEL, true, { role: 'overdrawn' }),
};

const SERVED: Readonly<Record<string, Request>> = {
  'key reads': keyRead(),
  'guardrail reads': guardrailRead(),
  'paid requests': inference(PAID_MODEL, false),
  'paid streams': inference(PAID_MODEL, true),
};

/** The same again and again, for what shows only every so often. */
export const repeatedScripts: readonly Script[] = [
  script(
    'deletes in a row',
    Array.from({ length: TIMES }, () => [stored('own', 'token'), ...sent([removal('token')]), look]).flat(),
  ),
  script(
    'different deletes in a row',
    Array.from({ length: TIMES }, (_, n) => stored('own', `token_${n}`)),
    sent(Array.from({ length: TIMES }, (_, n) => removal(`token_${n}`))),
    look,
    sent(Array.from({ length: TIMES }, (_, n) => removal(`token_${n}`))),
  ),
  ...Object.entries({ ...SERVED, ...REFUSED }).map(([title, request]) =>
    script(`again and again: ${title}`, stock, sent(times(request)), look),
  ),
  ...(['vault_unreachable', 'vault_timeout', 'route_deadline', 'vault_rate_limited'] as const).map((fault) =>
    script(`again and again: ${fault}`, stock, faults(fault), sent(times(removal('token'))), look),
  ),
  script(
    'again and again: in-band errors',
    faults('mid_stream_error'),
    sent(times(inference(PAID_MODEL, true))),
  ),
  script(
    'again and again: the limit',
    freeUsage('free_small', 20, 20),
    sent(times(inference(FREE_MODEL, false, { role: 'free_small' }))),
  ),
  script(
    'again and again: everything',
    stock,
    sent(Array.from({ length: 40 }, () => everyOperation()).flat()),
    look,
  ),
];

/** Many requests at the same time. */
export const atOnceScripts: readonly Script[] = [
  script(
    'deletes at once',
    Array.from({ length: 12 }, (_, n) => stored('own', `token_${n}`)),
    { do: 'together', requests: Array.from({ length: 12 }, (_, n) => removal(`token_${n}`)) },
    look,
    { do: 'together', requests: Array.from({ length: 12 }, (_, n) => removal(`token_${n}`)) },
  ),
  script(
    'the same delete at once',
    [1, 2, 3].flatMap(() => [
      stored('own', 'token'),
      { do: 'together', requests: Array.from({ length: 8 }, () => removal('token')) } as const,
      look,
    ]),
  ),
  script(
    'both worlds at once',
    stock,
    {
      do: 'together',
      requests: [
        removal('token'),
        removal('token', { from: 'there', intern: ({ there }) => there.interns.own }),
        removal('token', { intern: ({ here }) => here.interns.sibling }),
        removal('only_own'),
        removal('only_sibling'),
        removal('absent'),
        removal('Token'),
      ],
    },
    look,
  ),
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
