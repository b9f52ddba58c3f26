import { createHash, timingSafeEqual } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Router } from 'express';
import { JSON_MEDIA_TYPE } from './answer.js';
import { bearerKey } from './authorization.js';
import { parseJson, readBody } from './body.js';
import { ControlError } from './control-error.js';
import { isJsonObject, type JsonObject } from './json.js';
import type { Capabilities, Offers } from './offers.js';
import { isSecretName } from './secret-name.js';
import { type Feature, isOneOf, SCOPES, type Scope } from './vocabulary.js';
import type { Key, World } from './world.js';
import type { WorldStore } from './world-store.js';
import { worldView } from './world-view.js';

const BODY_LIMIT = 1_048_576;
const BODY_DEADLINE_MS = 10_000;

/** What the control works on. */
export interface ControlOptions {
  readonly store: WorldStore;
  readonly offers: Offers;
  /** Asked for on each call, since the port is known only once the server listens. */
  readonly capabilities: () => Capabilities;
  /** When set, every call must carry it. */
  readonly token: string | undefined;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/** The control protocol, version 1, as an Express router. */
export function makeControl(options: ControlOptions): Router {
  const { store, offers, now } = options;
  const router = express.Router();
  if (options.token !== undefined) router.use(requireToken(options.token));

  router.get('/', (_request, response) => sendJson(response, 200, options.capabilities()));

  router.post('/worlds', async (request, response) => {
    const { label } = await readObject(request);
    if (typeof label !== 'string') throw new ControlError(400, 'label must be a string');
    sendJson(response, 201, worldView(store.open(label)));
  });

  router.delete('/worlds/:id', (request, response) => {
    store.delete(request.params.id);
    sendNothing(response);
  });

  router.put('/worlds/:id/secrets/:scope/:name', async (request, response) => {
    requireFeature(offers, 'secrets');
    const { value } = await readObject(request);
    const world = findWorld(store, request);
    const scope = readScope(request.params.scope);
    if (!isSecretName(request.params.name)) throw new ControlError(400, 'this is not a valid secret name');
    if (typeof value !== 'string') throw new ControlError(400, 'value must be a string');
    world.secrets[scope].set(request.params.name, value);
    sendNothing(response);
  });

  router.get('/worlds/:id/secrets', (request, response) => {
    requireFeature(offers, 'inspect');
    sendJson(response, 200, { secrets: storedSecrets(findWorld(store, request)) });
  });

  router.put('/worlds/:id/keys/:role/info', async (request, response) => {
    requireFeature(offers, 'key_info');
    const fields = await readObject(request);
    const key = findKey(offers, findWorld(store, request), request.params.role);
    Object.assign(key.information, fields);
    sendNothing(response);
  });

  router.put('/worlds/:id/guardrail', async (request, response) => {
    requireFeature(offers, 'guardrail');
    const fields = await readObject(request);
    const world = findWorld(store, request);
    Object.assign(world.guardrail, fields, { id: world.guardrailId, workspace_id: world.workspaceId });
    sendNothing(response);
  });

  router.put('/worlds/:id/faults', async (request, response) => {
    if (offers.faults.length === 0) throw new ControlError(404, 'faults are not offered here');
    const { faults } = await readObject(request);
    const world = findWorld(store, request);
    world.faults = readWords(faults, offers.faults, 'fault');
    sendNothing(response);
  });

  router.put('/worlds/:id/free-usage', async (request, response) => {
    requireFeature(offers, 'free_usage');
    const { role, minute, day } = await readObject(request);
    const key = findKey(offers, findWorld(store, request), role);
    key.usage.set(readCount(minute, 'minute'), readCount(day, 'day'), now());
    sendNothing(response);
  });

  router.use(() => {
    throw new ControlError(404, 'the control protocol has no such call');
  });
  router.use(onError);
  return router;
}

function requireToken(token: string): RequestHandler {
  const expected = digest(token);
  return (request, _response, next) => {
    const given = bearerKey(request.headers.authorization);
    if (given === undefined || !timingSafeEqual(digest(given), expected)) {
      throw new ControlError(401, 'this control needs its token: Authorization: Bearer <token>');
    }
    next();
  };
}

// Digests are equally long, which the comparison in constant time needs.
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function requireFeature(offers: Offers, feature: Feature): void {
  if (!offers.features.includes(feature)) throw new ControlError(404, `${feature} is not offered here`);
}

function findWorld(store: WorldStore, request: Request<{ id: string }>): World {
  const world = store.find(request.params.id);
  if (world === undefined) throw new ControlError(404, 'there is no such world; it may have expired');
  return world;
}

function findKey(offers: Offers, world: World, role: unknown): Key {
  const key = isOneOf(offers.roles, role) ? world.keys.get(role) : undefined;
  if (key === undefined) throw new ControlError(400, `unknown role; known are ${offers.roles.join(', ')}`);
  return key;
}

function readScope(scope: string): Scope {
  if (!isOneOf(SCOPES, scope)) throw new ControlError(400, `unknown scope; known are ${SCOPES.join(', ')}`);
  return scope;
}

function readWords<Word extends string>(
  given: unknown,
  known: readonly Word[],
  what: string,
): readonly Word[] {
  if (!Array.isArray(given)) throw new ControlError(400, `${what}s must be an array of strings`);
  const words: readonly unknown[] = given;
  return words.map((word) => {
    if (!isOneOf(known, word)) throw new ControlError(400, `unknown ${what}; known are ${known.join(', ')}`);
    return word;
  });
}

function readCount(count: unknown, name: string): number {
  if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0) {
    throw new ControlError(400, `${name} must be a whole number, 0 or more`);
  }
  return count;
}

function storedSecrets(world: World): readonly { readonly scope: Scope; readonly name: string }[] {
  return SCOPES.flatMap((scope) => [...world.secrets[scope].keys()].map((name) => ({ scope, name })));
}

async function readObject(request: Request<Record<string, string>>): Promise<JsonObject> {
  const body = await readBody(request, BODY_DEADLINE_MS, BODY_LIMIT);
  if (body.state === 'stalled') throw new ControlError(408, 'the body did not arrive in time');
  if (body.state === 'too-long') throw new ControlError(413, 'the body is too long');
  const value = body.state === 'complete' ? parseJson(body.text) : undefined;
  if (!isJsonObject(value)) throw new ControlError(400, 'the body must be a JSON object');
  return value;
}

const onError: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
  if (error instanceof ControlError) sendJson(response, error.status, { error: error.message });
  else if (error instanceof URIError || isMalformed(error)) {
    sendJson(response, 400, { error: 'the path is not well-formed' });
  } else sendJson(response, 500, { error: 'the control failed' });
};

function isMalformed(error: unknown): boolean {
  return isJsonObject(error) && error.status === 400;
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { 'Content-Type': JSON_MEDIA_TYPE, 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
}

function sendNothing(response: ServerResponse): void {
  response.writeHead(204);
  response.end();
}
