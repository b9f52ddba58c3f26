import { createHash, timingSafeEqual } from 'node:crypto';
import express, { type ErrorRequestHandler, type RequestHandler, type Router } from 'express';

type Done = Promise<void> | void;

/** What the suite has arranged on your server: write it against your own stores. A world is a tenant of its own. */
export interface Worlds {
  /** `{ id, workspace_id, keys, interns, guardrail_id }` of a fresh one. */
  open(label: string): Promise<object> | object;
  /** One that is gone already is no error. */
  close(id: string): Done;
  /** The scope is workspace, own, sibling or foreign. */
  store(id: string, scope: string, name: string, value: string): Done;
  /** What is stored still, as `{ scope, name }`: never a value. */
  stored(id: string): Promise<readonly object[]> | readonly object[];
  /** What `GET /key` tells of a role's key. */
  setKeyInformation(id: string, role: string, fields: object): Done;
  setGuardrail(id: string, fields: object): Done;
  /** What requests with the world's keys meet from now on. */
  setFaults(id: string, faults: readonly string[]): Done;
  setFreeUsage(id: string, usage: { role: string; minute: number; day: number }): Done;
  /** What enforces the credit limits of a role's key; one of the two figures. */
  setCredit(id: string, credit: { role: string; balance?: number; limit_remaining?: number }): Done;
  /** What the usage figures of a role's key are computed from, in place of what was set. */
  setUsage(id: string, role: string, records: readonly { at: string; credits: number; byok: number }[]): Done;
}

/** What it can arrange: base_url, roles, faults, features and the rest of the protocol's Capabilities. */
export interface Capabilities {
  readonly base_url: string;
  readonly roles: readonly string[];
  readonly faults: readonly string[];
  readonly features: readonly string[];
  readonly [more: string]: unknown;
}

/** Throw it for an unknown world (404), for an unknown role, scope or fault (400), for what is not offered (404). */
export class Refused extends Error {
  constructor(
    readonly status: 400 | 404,
    message: string,
  ) {
    super(message);
  }
}

/**
 * The control protocol, for a staging server and nothing else; best on a listener of its own on loopback.
 * Throws where the token is empty or NODE_ENV is "production".
 */
export function controlProtocol(
  worlds: Worlds,
  capabilities: () => Capabilities,
  token: string | undefined,
): Router {
  if (process.env.NODE_ENV === 'production')
    throw new Error('The control protocol must not run with NODE_ENV=production: it makes keys.');
  if (!token) throw new Error('The control protocol needs a token: set PLUMBLINE_CONTROL_TOKEN.');
  const router = express.Router();
  router.use(onlyWith(token), express.json({ limit: '1mb', type: () => true }));

  router.get('/', (_request, response) => {
    response.json({ protocol: '1', ...capabilities() });
  });
  router.post('/worlds', async ({ body }, response) => {
    response.status(201).json(await worlds.open(body.label));
  });
  router.delete('/worlds/:id', async ({ params }, response) => {
    await worlds.close(params.id);
    response.status(204).end();
  });
  router.get('/worlds/:id/secrets', async ({ params }, response) => {
    response.json({ secrets: await worlds.stored(params.id) });
  });
  router.put('/worlds/:id/secrets/:scope/:name', async ({ params, body }, response) => {
    await worlds.store(params.id, params.scope, params.name, body.value);
    response.status(204).end();
  });
  router.put('/worlds/:id/keys/:role/info', async ({ params, body }, response) => {
    await worlds.setKeyInformation(params.id, params.role, body);
    response.status(204).end();
  });
  router.put('/worlds/:id/guardrail', async ({ params, body }, response) => {
    await worlds.setGuardrail(params.id, body);
    response.status(204).end();
  });
  router.put('/worlds/:id/faults', async ({ params, body }, response) => {
    await worlds.setFaults(params.id, body.faults);
    response.status(204).end();
  });
  router.put('/worlds/:id/free-usage', async ({ params, body }, response) => {
    await worlds.setFreeUsage(params.id, body);
    response.status(204).end();
  });
  router.put('/worlds/:id/credit', async ({ params, body }, response) => {
    await worlds.setCredit(params.id, body);
    response.status(204).end();
  });
  router.put('/worlds/:id/usage', async ({ params, body }, response) => {
    await worlds.setUsage(params.id, body.role, body.records);
    response.status(204).end();
  });
  return router.use(onError);
}

function onlyWith(token: string): RequestHandler {
  // Digests have one length, so that comparing them tells nothing about the token, not even how long it is.
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const expected = digest(`Bearer ${token}`);
  return ({ headers }, response, next) => {
    if (timingSafeEqual(digest(headers.authorization ?? ''), expected)) next();
    else response.status(401).json({ error: 'the control token is missing or wrong' });
  };
}

// The other two are Express's own: a body that is no JSON, a path that is no UTF-8.
const onError: ErrorRequestHandler = (error, _request, response, _next) => {
  const status = error instanceof Refused ? error.status : error?.status === 400 ? 400 : 500;
  response.status(status).json({ error: status === 500 ? 'the control failed' : error.message });
};
