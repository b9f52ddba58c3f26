import { type Answer, JSON_MEDIA_TYPE, type Refusal } from './answer.js';
import type { Call } from './call.js';
import { completion, completionFrames, completionHead, openingFrames } from './completion.js';
import { midStreamRule } from './fault-gate.js';
import { countFreeRequest } from './inference-gates.js';
import type { JsonObject } from './json.js';
import { storedValue } from './vault-gates.js';
import type { Operation } from './vocabulary.js';

/** What a call does and is answered once every gate has let it pass. */
export type Effect = (call: Call) => Answer;

/** The answer to a refused call: status, envelope, and the headers of a platform limit. */
export function refuse(call: Call, refusal: Refusal): Answer {
  const { behaviour, server } = call;
  const platform = refusal.platform && behaviour.platformHeaders(refusal.platform, server.now());
  return {
    status: refusal.status,
    headers: { 'Content-Type': behaviour.errorMediaType, ...refusal.headers, ...platform },
    body: behaviour.envelope(call, refusal),
  };
}

/** The effect of every operation; those that serve nothing refuse. */
export const effects: Readonly<Record<Operation, Effect>> = {
  'vault-delete': (call) => {
    const place = call.behaviour.findSecret(call);
    if (place !== undefined) call.behaviour.removeSecret(call, place);
    return { status: 204, headers: {} };
  },
  'guardrail-read': (call) => {
    const guardrail = call.behaviour.findGuardrail(call);
    return guardrail === undefined
      ? call.behaviour.refuse(call, { status: 404, message: 'Guardrail not found' })
      : data(call.behaviour.guardrailView(call, guardrail));
  },
  'key-read': (call) =>
    call.key === undefined
      ? call.behaviour.refuse(call, { status: 401, message: 'Missing or unknown API key' })
      : data(call.behaviour.keyInformation(call, call.key)),
  inference: infer,
  'vault-store': (call) => {
    const intern = call.key && call.behaviour.findIntern(call.key.world, call.parameters.internId ?? '');
    const value = storedValue(call);
    if (intern === undefined || value === undefined)
      return call.behaviour.refuse(call, { status: 404, message: 'Not found', metadata: null });
    call.key?.world.secrets[intern].set(call.parameters.name ?? '', value);
    return json({ data: { name: call.parameters.name ?? '' } });
  },
  'vault-other': (call) => call.behaviour.refuse(call, { status: 404, message: 'Not found', metadata: null }),
  'no-route': (call) => call.behaviour.refuse(call, { status: 404, message: 'There is no such route' }),
  'wrong-method': (call) =>
    call.behaviour.refuse(call, { status: 405, message: 'This route does not take this method' }),
  'malformed-target': (call) =>
    call.behaviour.refuse(call, { status: 400, message: 'The request is malformed', metadata: null }),
};

function infer(call: Call): Answer {
  const { behaviour, inference, server } = call;
  if (inference === undefined)
    return behaviour.refuse(call, { status: 400, message: 'The body is malformed' });
  countFreeRequest(call);
  const head = completionHead(inference.model, server.now());
  if (!inference.stream) return json(completion(head));
  const broken = midStreamRule(call);
  if (broken === undefined) return stream(completionFrames(head));
  return stream([...openingFrames(head), { data: behaviour.streamErrorEvent(head, broken.refusal) }]);
}

function data(value: JsonObject): Answer {
  return json({ data: value });
}

function json(body: JsonObject): Answer {
  return { status: 200, headers: { 'Content-Type': JSON_MEDIA_TYPE }, body };
}

/** An event stream of these frames. */
export function stream(body: NonNullable<Answer['body']>): Answer {
  return { status: 200, headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' }, body };
}
