import type { Fault, Role, Scope } from '../../../reference/vocabulary.js';
import { removal } from './requests.js';
import type { Request, Script, Step, Worlds } from './script.js';

/** Lists what is stored in `here`. */
export const look: Step = { do: 'look' };

/** A step for each request. */
export function sent(requests: readonly Request[]): readonly Step[] {
  return requests.map((request) => ({ do: 'send', request }));
}

/** Stores a secret. */
export function stored(
  scope: Scope,
  name: string,
  value = `value of ${scope} ${name}`,
  which?: keyof Worlds,
): Step {
  return put(() => `/secrets/${scope}/${encodeURIComponent(name)}`, { value }, which);
}

/** Sets the faults of the world. */
export function faults(...words: readonly Fault[]): Step {
  return put(() => '/faults', { faults: words });
}

/** Sets some of what GET /key reports of a role. */
export function keyFigures(role: Role, fields: object): Step {
  return put(() => `/keys/${role}/info`, fields);
}

/** Sets how much a role's account has used of free models. */
export function freeUsage(role: Role, minute: number, day: number): Step {
  return put(() => '/free-usage', { role, minute, day });
}

/** Sets what the usage figures of a role are computed from. */
export function usage(role: Role, records: readonly object[]): Step {
  return put(() => '/usage', { role, records });
}

/** Moves the clock. */
export function later(seconds: number): Step {
  return { do: 'clock', forwardMs: seconds * 1000 };
}

/** `token` and its neighbours, in every scope of both worlds. */
export const stock: readonly Step[] = [
  ...(['own', 'sibling', 'foreign', 'workspace'] as const).flatMap((scope) => [
    stored(scope, 'token'),
    stored(scope, `only_${scope}`),
  ]),
  stored('own', 'token_2'),
  stored('own', 'tok'),
  stored('own', 'token', 'value of the other world', 'there'),
  stored('own', 'only_there', 'value that only the other world has', 'there'),
];

/** Stores `token` for `own` again, sends each request, and looks at what is left after each. */
export function eachOnToken(requests: readonly Request[]): readonly Step[] {
  return requests.flatMap((request) => [stored('own', 'token'), { do: 'send', request } as const, look]);
}

/** Deletes a name that is stored, and once more when it is gone. */
export function storedAndDeleted(name: string): readonly Step[] {
  return [
    stored('own', name),
    ...sent([removal(encodeURIComponent(name)), removal(encodeURIComponent(name))]),
  ];
}

/** A script. */
export function script(title: string, ...steps: readonly (Step | readonly Step[])[]): Script {
  return { title, steps: steps.flat() };
}

function put(path: (worlds: Worlds) => string, body: object, which: keyof Worlds = 'here'): Step {
  return {
    do: 'control',
    call: (worlds) => ({ method: 'PUT', path: `/worlds/${worlds[which].id}${path(worlds)}`, body }),
  };
}
