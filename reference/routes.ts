import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { NO_BODY, readBody } from './body.js';
import type { ServerState } from './call.js';
import { isJsonObject } from './json.js';
import { makeCall, respond, respondRefusal } from './respond.js';
import type { Operation } from './vocabulary.js';

const SECRET = '/v1/vault/interns/:internId/secrets/:name';
const VAULT = ['/v1/vault', '/v1/vault/*rest'];
const GUARDRAIL = '/v1/guardrails/:id';
const KEY = '/v1/key';
const INFERENCE = '/v1/chat/completions';

const BODY_LIMIT = 262_144;
// The stalled body of §7.1 is the vault's affair; an inference request may take its time.
const INFERENCE_BODY_DEADLINE_MS = 10_000;

/** What is mounted on the application. */
export interface RouteOptions {
  readonly server: ServerState;
  /** The control, mounted at `/control`. */
  readonly control: RequestHandler;
  /** Whether the inference route exists. */
  readonly inference: boolean;
}

/** The Express application: routing and nothing else, every decision is the behaviour's. */
export function makeApplication({ server, control, inference }: RouteOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  const serve = (operation: Operation): RequestHandler => withoutBody(server, operation);

  app.delete(SECRET, withBody(server, 'vault-delete', server.bodyDeadlineMs));
  app.put(SECRET, withBody(server, 'vault-store', server.bodyDeadlineMs));
  app.use('/control', control);
  app.all(VAULT, serve('vault-other'));
  app.get(KEY, serve('key-read'));
  app.all(KEY, serve('wrong-method'));
  app.get(GUARDRAIL, serve('guardrail-read'));
  app.all(GUARDRAIL, serve('wrong-method'));
  if (inference) {
    app.post(INFERENCE, withBody(server, 'inference', INFERENCE_BODY_DEADLINE_MS));
    app.all(INFERENCE, serve('wrong-method'));
  }
  app.use(serve('no-route'));
  app.use(onError(server));
  return app;
}

function withoutBody(server: ServerState, operation: Operation): RequestHandler {
  return (request, response) => {
    respond(
      makeCall(server, request, { operation, parameters: words(request.params), body: NO_BODY }),
      response,
    );
  };
}

function withBody(server: ServerState, operation: Operation, deadlineMs: number): RequestHandler {
  return async (request, response) => {
    const body = await readBody(request, deadlineMs, BODY_LIMIT);
    if (body.state === 'gone') return;
    respond(makeCall(server, request, { operation, parameters: words(request.params), body }), response);
  };
}

// Express reports a malformed percent-encoding as an error with a 4xx status.
function onError(server: ServerState): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const call = makeCall(server, request, { operation: 'malformed-target', parameters: {}, body: NO_BODY });
    if (isClientError(error)) respond(call, response);
    else respondRefusal(call, response, { status: 500, message: 'Internal error' });
  };
}

function isClientError(error: unknown): boolean {
  const status = isJsonObject(error) ? error.status : undefined;
  return typeof status === 'number' && status >= 400 && status < 500;
}

// A wildcard parameter is a list of segments; no operation uses one.
function words(parameters: Readonly<Record<string, string | string[]>>): Record<string, string> {
  const named: Record<string, string> = {};
  for (const name of ['internId', 'name', 'id']) {
    const value = parameters[name];
    if (typeof value === 'string') named[name] = value;
  }
  return named;
}
