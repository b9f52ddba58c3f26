import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer, Refusal } from './answer.js';
import type { Body } from './body.js';
import type { Call, ServerState } from './call.js';
import { firstRefusal } from './gate.js';
import { readInferenceRequest } from './inference-request.js';
import type { Operation } from './vocabulary.js';

/** What routing found out about a request. */
export interface Routed {
  readonly operation: Operation;
  readonly parameters: Readonly<Record<string, string>>;
  readonly body: Body;
}

/** Gathers what an answer may depend on. */
export function makeCall(server: ServerState, request: IncomingMessage, routed: Routed): Call {
  const { behaviour, store } = server;
  const path = request.url ?? '/';
  return behaviour.receive({
    server,
    behaviour,
    operation: routed.operation,
    method: request.method ?? 'GET',
    path,
    parameters: routed.parameters,
    headers: request.headers,
    host: authority(path) ?? request.headers.host,
    body: routed.body,
    key: behaviour.authenticate(request.headers.authorization, store),
    connection: request.socket,
    inference: routed.operation === 'inference' ? readInferenceRequest(routed.body) : undefined,
  });
}

/** Decides a call and sends its answer. */
export function respond(call: Call, response: ServerResponse): void {
  const refusal = firstRefusal(call.behaviour.gates[call.operation], call);
  const answer =
    refusal === undefined
      ? call.behaviour.effects[call.operation](call)
      : call.behaviour.refuse(call, refusal);
  send(call, response, answer);
}

/** Refuses a call whatever its gates say. */
export function respondRefusal(call: Call, response: ServerResponse, refusal: Refusal): void {
  send(call, response, call.behaviour.refuse(call, refusal));
}

function send(call: Call, response: ServerResponse, answer: Answer): void {
  const sent = call.behaviour.transmit(response, call.behaviour.answer(answer, call), call);
  if (sent instanceof Promise) sent.catch(() => response.destroy());
}

// A target in absolute form names the host, and a Host header beside it does not count.
function authority(target: string): string | undefined {
  return target.startsWith('/') ? undefined : /^https?:\/\/([^/?#]*)/i.exec(target)?.[1];
}
