import { FREE_MODEL, PAID_MODEL } from '../../../reference/inference.js';
import type { Fault, Role, Scope } from '../../../reference/vocabulary.js';
import type { WorldView } from '../../../reference/world-store.js';

/** Two tenants of one server: most requests are made in `here`, and `there` belongs to somebody else. */
export interface Worlds {
  readonly here: WorldView;
  readonly there: WorldView;
}

/** A header line, or several of one name. */
export type HeaderLines = string | readonly string[];

/** One request, ready to be sent; the target is put on the request line as it is. */
export interface Sending {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, HeaderLines>>;
  readonly body?: string | undefined;
}

/** One call of the control protocol. */
export interface ControlCall {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** A request that is known once the worlds are open. */
export type Request = (worlds: Worlds) => Sending;

/** The bytes of a connection of its own, and how long to go on listening once nothing comes, in milliseconds. */
export interface RawExchange {
  readonly bytes: (worlds: Worlds) => string;
  readonly quietMs?: number;
}

/** One step of a script. Those that see something take it down, and the rest arrange. */
export type Step =
  | { readonly do: 'control'; readonly call: (worlds: Worlds) => ControlCall }
  /** Sends one request on the kept connection. */
  | { readonly do: 'send'; readonly request: Request }
  /** Writes bytes past HTTP, all exchanges at the same time. */
  | { readonly do: 'raw'; readonly exchanges: readonly RawExchange[] }
  /** Lists what `here` stores; what `there` stores is listed at the end of every script. */
  | { readonly do: 'look' }
  /** Asks the same thing several times and takes down how quick the answers are. */
  | { readonly do: 'tempo'; readonly request: Request }
  /** Moves the clock of the server. */
  | { readonly do: 'clock'; readonly forwardMs: number };

/** What is done, in order, in two fresh worlds of a server. */
export interface Script {
  readonly title: string;
  readonly steps: readonly Step[];
}

/** What a request has beside its operation; the role, where none is given, is the operation's own. */
export interface Extra {
  readonly role?: Role;
  /** Whose key it is; `here` by default. */
  readonly from?: keyof Worlds;
  /** The `Authorization` lines made of the key, in place of `Bearer <key>`; undefined sends none. */
  readonly authorization?: ((key: string) => HeaderLines | undefined) | undefined;
  readonly headers?: Sending['headers'] | ((worlds: Worlds, key: string) => Sending['headers']);
  readonly query?: string;
  readonly body?: string;
  readonly method?: string;
}

/** A part of a target that is known once the worlds are open. */
export type Part = string | ((worlds: Worlds) => string);

/** The key of a role; a server that does not offer the role is sent an unknown one. */
export function keyOf(worlds: Worlds, role: Role, from: keyof Worlds = 'here'): string {
  return worlds[from].keys[role] ?? 'sk-none';
}

/** A request to any target below the server's root. */
export function request(
  method: string,
  target: (worlds: Worlds) => string,
  role: Role,
  extra: Extra = {},
): Request {
  return (worlds) => {
    const key = keyOf(worlds, extra.role ?? role, extra.from);
    const lines = extra.authorization === undefined ? `Bearer ${key}` : extra.authorization(key);
    const headers = typeof extra.headers === 'function' ? extra.headers(worlds, key) : extra.headers;
    return {
      method: extra.method ?? method,
      target: target(worlds) + (extra.query ?? ''),
      headers: { ...(lines === undefined ? {} : { Authorization: lines }), ...headers },
      body: extra.body,
    };
  };
}

/** The intern `own`. */
export function own({ here }: Worlds): string {
  return here.interns.own;
}

/** DELETE of a secret of an intern (§4.1), `own` by default. */
export function removal(name: Part, extra: Extra & { readonly intern?: Part } = {}): Request {
  const { intern = own } = extra;
  return request(
    'DELETE',
    (worlds) => `/v1/vault/interns/${text(intern, worlds)}/secrets/${text(name, worlds)}`,
    'member',
    extra,
  );
}

/** GET of the calling key (§4.3). */
export function keyRead(extra: Extra = {}): Request {
  return request('GET', () => '/v1/key', 'member', extra);
}

/** GET of a guardrail (§4.2), the own one by default. */
export function guardrailRead(extra: Extra & { readonly id?: Part } = {}): Request {
  const { id = ({ here }) => here.guardrail_id } = extra;
  return request('GET', (worlds) => `/v1/guardrails/${text(id, worlds)}`, 'management', extra);
}

/** GET of the secrets of `own`, one of the other vault routes (§4.1). */
export function listing(extra: Extra = {}): Request {
  return request('GET', (worlds) => `/v1/vault/interns/${own(worlds)}/secrets`, 'member', extra);
}

/** GET of anything below the version segment. */
export function read(path: Part, extra: Extra = {}): Request {
  return request('GET', (worlds) => `/v1${text(path, worlds)}`, 'member', extra);
}

/** POST of an inference request: its model, whether it streams, and the rest of its body. */
export function inference(
  model: string,
  stream: boolean,
  extra: Extra & { readonly more?: object } = {},
): Request {
  const body = JSON.stringify({
    model,
    stream,
    messages: [{ role: 'user', content: 'ping' }],
    ...extra.more,
  });
  return inferenceBody({ body, ...extra });
}

/** POST of an inference request with any body. */
function inferenceBody(extra: Extra): Request {
  const { headers } = extra;
  return request('POST', () => '/v1/chat/completions', 'member', {
    ...extra,
    headers: (worlds, key) => ({
      'Content-Type': 'application/json',
      ...(typeof headers === 'function' ? headers(worlds, key) : headers),
    }),
  });
}

/** An inference request of each kind: paid and free, whole and streamed. */
export function everyInference(extra: Extra = {}): readonly Request[] {
  return [PAID_MODEL, FREE_MODEL].flatMap((model) =>
    [false, true].map((stream) => inference(model, stream, extra)),
  );
}

/** A request to each operation and to another vault route, alike but for the route. */
export function everyOperation(extra: Extra = {}): readonly Request[] {
  const { body: _body, method: _method, ...plain } = extra;
  return [
    removal('token', extra),
    listing(extra),
    keyRead(extra),
    guardrailRead(extra),
    inference(PAID_MODEL, false, plain),
  ];
}

function text(part: Part, worlds: Worlds): string {
  return typeof part === 'string' ? part : part(worlds);
}

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
