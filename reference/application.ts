import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import {
  type Answer,
  type Body,
  type Call,
  type Gate,
  NO_BODY,
  type Refusal,
  type ServerState,
} from './behaviour.js';
import { readInferenceRequest } from './inference.js';
import { type Handler, makeRouter, pathOf, type Route } from './router.js';
import type { Operation } from './vocabulary.js';
import { readBody } from './wire.js';

/** The refusal of the first gate that refuses. */
export function findRefusal(gates: readonly Gate[], call: Call): Refusal | undefined {
  for (const gate of gates) {
    const refusal = gate.refuse(call);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

const BODY_LIMIT = 262_144;

// The stalled body of §7.1 is the vault's affair; an inference request may take its time.
const INFERENCE_BODY_DEADLINE_MS = 10_000;

/** Where the control protocol is mounted. */
export const CONTROL = '/control';

/** The application: routing and nothing else, every decision is the behaviour's. @param inference whether it has that route */
export function makeApplication(
  server: ServerState,
  control: RequestListener,
  inference: boolean,
): RequestListener {
  const application = makeRouter(makeRoutes(server, inference), {
    otherwise: serve(server, 'no-route'),
    onError: (error, request, response) => {
      if (response.headersSent) {
        response.destroy();
        return;
      }
      const call = makeCall(server, request, 'malformed-target');
      if (error instanceof URIError) respond(call, response);
      else send(call, response, call.behaviour.refuse(call, { status: 500, message: 'Internal error' }));
    },
  });
  return (request, response) => {
    const path = pathOf(request);
    if (path === CONTROL || path.startsWith(`${CONTROL}/`)) return control(request, response);
    request.url = server.behaviour.rewriteTarget(request.url ?? '/', request.method ?? 'GET');
    // HTTP/1.1 asks for a Host; Node's own refusal would have no envelope.
    const isHostMissing = request.headers.host === undefined && request.httpVersion === '1.1';
    if (isHostMissing) respond(makeCall(server, request, 'malformed-target'), response);
    else application(request, response);
  };
}

function makeRoutes(server: ServerState, inference: boolean): readonly Route[] {
  const others = serve(server, 'wrong-method');
  const infer = serve(server, 'inference', INFERENCE_BODY_DEADLINE_MS);
  return [
    {
      path: '/v1/vault/interns/:internId/secrets/:name',
      methods: {
        DELETE: serve(server, 'vault-delete', server.bodyDeadlineMs),
        PUT: serve(server, 'vault-store', server.bodyDeadlineMs),
      },
    },
    { path: ['/v1/vault', '/v1/vault/*rest'], others: serve(server, 'vault-other') },
    { path: '/v1/key', methods: { GET: serve(server, 'key-read') }, others },
    { path: '/v1/guardrails/:id', methods: { GET: serve(server, 'guardrail-read') }, others },
    ...(inference ? [{ path: '/v1/chat/completions', methods: { POST: infer }, others }] : []),
  ];
}

/** Serves an operation; without a deadline for its body, in milliseconds, the body is left alone. */
function serve(server: ServerState, operation: Operation, deadlineMs?: number): Handler {
  return async (request, response, given) => {
    const body = deadlineMs === undefined ? NO_BODY : await readBody(request, deadlineMs, BODY_LIMIT);
    if (body.state === 'gone') return;
    // No operation reads the wildcard, which alone is a list.
    respond(makeCall(server, request, operation, given as Call['parameters'], body), response);
  };
}

/** Gathers what an answer may depend on. */
function makeCall(
  server: ServerState,
  request: IncomingMessage,
  operation: Operation,
  parameters: Call['parameters'] = {},
  body: Body = NO_BODY,
): Call {
  const { behaviour, store } = server;
  const path = request.url ?? '/';
  return behaviour.receive({
    server,
    behaviour,
    operation,
    method: request.method ?? 'GET',
    path,
    parameters,
    headers: request.headers,
    rawHeaders: request.rawHeaders,
    // A target in absolute form names the host, and a Host header beside it does not count.
    host: /^https?:\/\/([^/?#]*)/i.exec(path)?.[1] ?? request.headers.host,
    body,
    key: behaviour.authenticate(request.headers.authorization, store),
    connection: request.socket,
    inference: operation === 'inference' ? readInferenceRequest(body) : undefined,
  });
}

/** Decides a call and sends its answer. */
function respond(call: Call, response: ServerResponse): void {
  const refusal = findRefusal(call.behaviour.gates[call.operation], call);
  const answer =
    refusal === undefined
      ? call.behaviour.effects[call.operation](call)
      : call.behaviour.refuse(call, refusal);
  send(call, response, answer);
}

function send(call: Call, response: ServerResponse, answer: Answer): void {
  const sent = call.behaviour.transmit(response, call.behaviour.answer(answer, call), call);
  if (sent instanceof Promise) sent.catch(() => response.destroy());
}
