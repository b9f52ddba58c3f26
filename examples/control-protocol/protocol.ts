import { createHash, timingSafeEqual } from 'node:crypto';

type Done = Promise<void> | void;

/** Arranges worlds (isolated tenants) on your server. Implement it with your own stores. */
export interface Worlds {
  /** Makes a world: `{ id, workspace_id, keys, interns, guardrail_id }`. */
  open(label: string): Promise<object> | object;
  /** Deletes a world, if it is still there. */
  close(id: string): Done;
  /** Stores a secret. The scope is workspace, own, sibling or foreign. */
  store(id: string, scope: string, name: string, value: string): Done;
  /** Lists the secrets that are still stored, as `{ scope, name }`: never a value. */
  stored(id: string): Promise<readonly object[]> | readonly object[];
  /** Sets fields that `GET /key` reports for the key of a role. */
  setKeyInformation(id: string, role: string, fields: object): Done;
  /** Sets fields of the world's guardrail. */
  setGuardrail(id: string, fields: object): Done;
  /** Replaces the faults that affect requests with the world's keys. */
  setFaults(id: string, faults: readonly string[]): Done;
  /** Sets how many requests to free models the account of a role has made. */
  setFreeUsage(id: string, usage: { role: string; minute: number; day: number }): Done;
  /** Sets the balance of the account of a role's key, or what remains of the limit of the key. */
  setCredit(id: string, credit: { role: string; balance?: number; limit_remaining?: number }): Done;
  /** Replaces the records that the usage figures of a role's key are computed from. */
  setUsage(id: string, role: string, records: readonly { at: string; credits: number; byok: number }[]): Done;
}

/** What your server can arrange: base_url, roles, faults, features and the other capabilities of the protocol. */
export interface Capabilities {
  readonly base_url: string;
  readonly roles: readonly string[];
  readonly faults: readonly string[];
  readonly features: readonly string[];
  readonly [more: string]: unknown;
}

/** Throw this for an unknown world (404), an unknown role, scope or fault (400), or what you do not offer (404). */
export class Refused extends Error {
  constructor(
    readonly status: 400 | 404,
    message: string,
  ) {
    super(message);
  }
}

/** The decoded parameters of a path; each path has some of them. */
export type Params = Readonly<Record<'id' | 'scope' | 'name' | 'role', string>>;
/** The JSON body of a call; each has some of these members. */
export interface Body {
  readonly label: string;
  readonly value: string;
  readonly faults: readonly string[];
  readonly role: string;
  readonly minute: number;
  readonly day: number;
  readonly balance?: number;
  readonly limit_remaining?: number;
  readonly records: readonly { at: string; credits: number; byok: number }[];
}

/** A call of the protocol. Its path has the syntax of Express and Fastify. */
export interface Call {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  readonly path: string;
  /** The status of a successful response. */
  readonly status: number;
  /** Executes the call, and returns the body of the response, if there is one. */
  answer(params: Params, body: Body): unknown;
}

/** Lists every call of the protocol. */
export function controlCalls(worlds: Worlds, capabilities: () => Capabilities): readonly Call[] {
  const put = (path: string, answer: Call['answer']): Call => ({
    ...{ method: 'put', status: 204, answer },
    path: `/worlds/:id/${path}`,
  });
  return [
    { method: 'get', path: '/', status: 200, answer: () => ({ protocol: '1', ...capabilities() }) },
    { method: 'post', path: '/worlds', status: 201, answer: (_, { label }) => worlds.open(label) },
    { method: 'delete', path: '/worlds/:id', status: 204, answer: ({ id }) => worlds.close(id) },
    {
      ...{ method: 'get', path: '/worlds/:id/secrets', status: 200 },
      answer: async ({ id }) => ({ secrets: await worlds.stored(id) }),
    },
    put('secrets/:scope/:name', ({ id, scope, name }, { value }) => worlds.store(id, scope, name, value)),
    put('keys/:role/info', ({ id, role }, fields) => worlds.setKeyInformation(id, role, fields)),
    put('guardrail', ({ id }, fields) => worlds.setGuardrail(id, fields)),
    put('faults', ({ id }, { faults }) => worlds.setFaults(id, faults)),
    put('free-usage', ({ id }, usage) => worlds.setFreeUsage(id, usage)),
    put('credit', ({ id }, credit) => worlds.setCredit(id, credit)),
    put('usage', ({ id }, { role, records }) => worlds.setUsage(id, role, records)),
  ];
}

/**
 * Returns a function that says whether an `Authorization` header contains the token. Throws if the token is empty, or if
 * NODE_ENV is "production", since the protocol hands out keys.
 */
export function tokenGuard(token: string | undefined): (authorization: string | undefined) => boolean {
  if (process.env.NODE_ENV === 'production')
    throw new Error('The control protocol must not run with NODE_ENV=production: it hands out keys.');
  if (!token) throw new Error('The control protocol needs a token: set PLUMBLINE_CONTROL_TOKEN.');
  // Digests all have the same length, so comparing them reveals nothing about the token, not even its length.
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const expected = digest(`Bearer ${token}`);
  return (authorization = '') => timingSafeEqual(digest(authorization), expected);
}

/** Returns the status and the body of the response to a failed call. */
export function describeFailure(error: unknown): readonly [number, { readonly error: string }] {
  if (error instanceof Refused) return [error.status, { error: error.message }];
  // The framework's own errors: a body that is not JSON, a path that is not UTF-8.
  const { status, statusCode = status } = Object(error) as { status?: number; statusCode?: number };
  return statusCode === 400
    ? [400, { error: 'the call is malformed' }]
    : [500, { error: 'the control failed' }];
}
