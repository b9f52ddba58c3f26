import { FREE_MODEL, PAID_MODEL } from '../../../reference/inference.js';
import type { Role } from '../../../reference/vocabulary.js';
import type { HeaderLines, Request, Sending, Worlds } from './script.js';

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
