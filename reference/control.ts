import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { setBalance, type UsageRecord } from './accounts.js';
import { parseBearerKey } from './authentication.js';
import { JSON_MEDIA_TYPE } from './behaviour.js';
import type { Capabilities } from './capabilities.js';
import { type Handler, makeRouter, type PathParameters, type Route } from './router.js';
import { isSecretName } from './vault.js';
import { type Feature, isJsonObject, isOneOf, type JsonObject, SCOPES } from './vocabulary.js';
import { parseBody, readBody } from './wire.js';
import type { Key, World } from './world.js';
import { describeWorld, type WorldStore } from './world-store.js';

/** Why a control call is refused; answered as `{"error": message}`. */
class ControlError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

const BODY_LIMIT = 1_048_576;
const BODY_DEADLINE_MS = 10_000;

/** What the control works on. */
export interface ControlOptions {
  readonly store: WorldStore;
  readonly capabilities: Capabilities;
  /** Asked for on each call, since the port is known only once the server listens. */
  readonly describe: () => object;
  /** When set, every call must carry it. */
  readonly token: string | undefined;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/** The control protocol, version 1, below a path. */
export function makeControl(below: string, options: ControlOptions): RequestListener {
  const { token } = options;
  const control = makeRouter(makeRoutes(options), {
    below,
    otherwise: () => {
      throw new ControlError(404, 'the control protocol has no such call');
    },
    onError: (error, _request, response) => sendError(error, response),
  });
  if (token === undefined) return control;
  return (request, response) => {
    const given = parseBearerKey(request.headers.authorization);
    if (given !== undefined && timingSafeEqual(digest(given), digest(token))) control(request, response);
    else sendJson(response, 401, { error: 'this control needs its token: Authorization: Bearer <token>' });
  };
}

function makeRoutes({ store, capabilities, now, describe }: ControlOptions): readonly Route[] {
  const openWorld: Handler = async (request, response) => {
    const { label } = await readObject(request);
    if (typeof label !== 'string') throw new ControlError(400, 'label must be a string');
    sendJson(response, 201, describeWorld(store.open(label)));
  };

  const deleteWorld: Handler = (_request, response, { id }) => {
    store.delete(String(id));
    response.writeHead(204).end();
  };

  const listSecrets: Handler = (_request, response, parameters) => {
    requireOffered(capabilities, 'inspect');
    const { secrets } = findWorld(store, parameters);
    const listed = SCOPES.flatMap((scope) => [...secrets[scope].keys()].map((name) => ({ scope, name })));
    sendJson(response, 200, { secrets: listed });
  };

  /** The route of a call that sets something in a world by its body. */
  const set = (
    path: string,
    what: Feature | 'faults',
    act: (world: World, body: JsonObject, parameters: PathParameters) => void,
  ): Route => {
    const handle: Handler = async (request, response, parameters) => {
      requireOffered(capabilities, what);
      const body = await readObject(request);
      act(findWorld(store, parameters), body, parameters);
      response.writeHead(204).end();
    };
    return { path: `/worlds/:id/${path}`, methods: { PUT: handle } };
  };

  return [
    { path: ['', '/'], methods: { GET: (_request, response) => sendJson(response, 200, describe()) } },
    { path: '/worlds', methods: { POST: openWorld } },
    { path: '/worlds/:id', methods: { DELETE: deleteWorld } },
    { path: '/worlds/:id/secrets', methods: { GET: listSecrets } },
    set('secrets/:scope/:name', 'secrets', (world, { value }, { scope, name }) => {
      const secrets = world.secrets[readWord(scope, capabilities.scopes, 'scope')];
      if (typeof name !== 'string' || !isSecretName(name))
        throw new ControlError(400, 'this is not a valid secret name');
      if (typeof value !== 'string') throw new ControlError(400, 'value must be a string');
      secrets.set(name, value);
    }),
    set('keys/:role/info', 'key_info', (world, fields, { role }) => {
      Object.assign(findKey(capabilities, world, role).information, fields);
    }),
    set('guardrail', 'guardrail', (world, fields) => {
      Object.assign(world.guardrail, fields, { id: world.guardrailId, workspace_id: world.workspaceId });
    }),
    set('faults', 'faults', (world, { faults }) => {
      world.faults = readList(faults, 'faults', 'strings').map((fault) =>
        readWord(fault, capabilities.faults, 'fault'),
      );
    }),
    set('free-usage', 'free_usage', (world, { role, minute, day }) => {
      const { usage } = findKey(capabilities, world, role);
      usage.set(readCount(minute, 'minute'), readCount(day, 'day'), now());
    }),
    set('credit', 'credit', (world, { role, balance, limit_remaining: remaining }) => {
      const key = findKey(capabilities, world, role);
      if ((balance === undefined) === (remaining === undefined))
        throw new ControlError(400, 'give either balance or limit_remaining');
      if (balance !== undefined) setBalance(key.balance, readAmount(balance, 'balance'));
      else {
        key.limitRemaining = readAmount(remaining, 'limit_remaining');
        // Whatever is left is left of a limit (§2.2).
        key.information.limit ??= key.limitRemaining;
        key.information.limit_remaining = key.limitRemaining;
      }
    }),
    set('usage', 'usage', (world, { role, records }) => {
      const key = findKey(capabilities, world, role);
      key.records = readList(records, 'records', 'objects').map(readRecord);
    }),
  ];
}

// Digests are equally long, which the comparison in constant time needs.
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function requireOffered({ features, faults }: Capabilities, what: Feature | 'faults'): void {
  const isOffered = what === 'faults' ? faults.length > 0 : features.includes(what);
  if (!isOffered) throw new ControlError(404, `this control does not offer ${what}`);
}

function findWorld(store: WorldStore, { id }: PathParameters): World {
  const world = store.find(String(id));
  if (world === undefined) throw new ControlError(404, 'there is no such world; it may have expired');
  return world;
}

function findKey(capabilities: Capabilities, world: World, role: unknown): Key {
  const key = world.keys.get(readWord(role, capabilities.roles, 'role'));
  if (key === undefined) throw new ControlError(404, `this world has no key of the role ${String(role)}`);
  return key;
}

function readWord<Word extends string>(word: unknown, known: readonly Word[], what: string): Word {
  if (!isOneOf(known, word)) throw new ControlError(400, `unknown ${what}; known are ${known.join(', ')}`);
  return word;
}

function readList(list: unknown, name: string, what: string): readonly unknown[] {
  if (!Array.isArray(list)) throw new ControlError(400, `${name} must be an array of ${what}`);
  return list;
}

function readCount(count: unknown, name: string): number {
  if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0)
    throw new ControlError(400, `${name} must be a whole number, 0 or more`);
  return count;
}

function readAmount(amount: unknown, name: string): number {
  if (typeof amount !== 'number') throw new ControlError(400, `${name} must be a number`);
  return amount;
}

function readRecord(record: unknown): UsageRecord {
  if (!isJsonObject(record)) throw new ControlError(400, 'a record must be an object');
  const at = Date.parse(String(record.at));
  if (Number.isNaN(at)) throw new ControlError(400, 'the at of a record must be a timestamp');
  return { at, credits: readAmount(record.credits, 'credits'), byok: readAmount(record.byok, 'byok') };
}

async function readObject(request: IncomingMessage): Promise<JsonObject> {
  const body = await readBody(request, BODY_DEADLINE_MS, BODY_LIMIT);
  if (body.state === 'stalled') throw new ControlError(408, 'the body did not arrive in time');
  if (body.state === 'too-long') throw new ControlError(413, 'the body is too long');
  const value = parseBody(body);
  if (value === undefined) throw new ControlError(400, 'the body must be a JSON object');
  return value;
}

function sendError(error: unknown, response: ServerResponse): void {
  if (error instanceof ControlError) sendJson(response, error.status, { error: error.message });
  else if (error instanceof URIError) sendJson(response, 400, { error: 'the path is not well-formed' });
  else sendJson(response, 500, { error: 'the control failed' });
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response
    .writeHead(status, { 'Content-Type': JSON_MEDIA_TYPE, 'Content-Length': Buffer.byteLength(text) })
    .end(text);
}
