import type { ServerResponse } from 'node:http';
import type { Answer, Behaviour, Call, Gate, GateName, Refusal } from './behaviour.js';
import { conforming } from './conforming.js';
import { makeCompletionHead } from './inference.js';
import { type Fault, isJsonObject, type JsonObject, type Operation } from './vocabulary.js';
import { answerStream } from './wire.js';
import type { Key } from './world.js';

// The ways in which a mutant or a variant departs from the reference, so that a catalogue reads as data.

/** Which calls are meant. */
export type When = (call: Call) => boolean;

const always: When = () => true;

type Operations = Operation | readonly Operation[];

/** Which answers are meant; what is left out matches every answer. */
export interface Where {
  readonly operation?: Operation;
  readonly status?: number;
  readonly when?: (call: Call, answer: Answer) => boolean;
}

/** Whether an answer is one of those meant. */
function isMeant(where: Where, answer: Answer, call: Call): boolean {
  const { operation = call.operation, status = answer.status, when } = where;
  return call.operation === operation && answer.status === status && when?.(call, answer) !== false;
}

/** Some answers are changed as a whole. */
export function editAnswer(where: Where, change: (answer: Answer, call: Call) => Answer): Mutation {
  return { answer: (answer, call) => (isMeant(where, answer, call) ? change(answer, call) : answer) };
}

/** Some answers have one header more, or another value of it; undefined leaves it out. */
export function setHeader(where: Where, name: string, value: string | undefined): Mutation {
  return editAnswer(where, (answer) => ({ ...answer, headers: setMember(answer.headers, name, value) }));
}

/** Some answers have these headers more. */
export function addHeaders(where: Where, headers: Answer['headers']): Mutation {
  return editAnswer(where, (answer) => ({ ...answer, headers: { ...answer.headers, ...headers } }));
}

/** Some refusals get another status, in the envelope too. */
export function setStatus(where: Where, status: number): Mutation {
  return editAnswer(where, (answer) => setInError({ ...answer, status }, 'code', status));
}

/** An answer with one member of its error object set, or without it where the value is undefined. */
export function setInError(answer: Answer, field: string, value: unknown): Answer {
  const { body } = answer;
  if (!isJsonObject(body) || !isJsonObject(body.error)) return answer;
  return { ...answer, body: { ...body, error: setMember(body.error, field, value) } };
}

/** The bodies of some errors are changed, as §2.4 does not allow. */
export function editEnvelope(
  where: Where,
  change: (body: EnvelopeBody, refusal: Refusal, call: Call) => JsonObject,
): Mutation {
  return {
    envelope: (call, refusal) => {
      const body = conforming.envelope(call, refusal) as EnvelopeBody;
      return isMeant(where, { ...refusal, headers: {} }, call) ? change(body, refusal, call) : body;
    },
  };
}

/** The envelope of an error before it is changed (§2.4). */
export interface EnvelopeBody extends JsonObject {
  readonly error: JsonObject;
}

/** One gate of some operations decides otherwise. Throws where there is no gate of that name. */
export function editGate(
  operations: Operations,
  name: GateName,
  decide: (call: Call, original: Gate['refuse']) => Refusal | undefined,
): Mutation {
  const gates = { ...conforming.gates };
  for (const operation of [operations].flat()) {
    if (!gates[operation].some((gate) => gate.name === name))
      throw new Error(`${operation}: no gate ${name}`);
    gates[operation] = gates[operation].map((gate) =>
      gate.name === name ? { name, refuse: (call) => decide(call, gate.refuse) } : gate,
    );
  }
  return { gates };
}

/** One gate of some operations refuses with another status, some calls or all. */
export function setGateStatus(
  operations: Operations,
  name: GateName,
  status: number,
  when = always,
): Mutation {
  return editGate(operations, name, (call, original) => {
    const refusal = original(call);
    return refusal !== undefined && when(call) ? { ...refusal, status } : refusal;
  });
}

/** One gate of some operations is missing, for some calls or for all. */
export function dropGate(operations: Operations, name: GateName, when = always): Mutation {
  return editGate(operations, name, (call, original) => (when(call) ? undefined : original(call)));
}

/** Some faults are answered otherwise: the members given replace those of their refusals. */
export function editFaults(refusals: Partial<Record<Fault, Partial<Refusal>>>): Mutation {
  const edited = { ...conforming.faults };
  for (const [name, refusal] of Object.entries(refusals) as [Fault, Partial<Refusal>][])
    edited[name] = { ...edited[name], refusal: { ...edited[name].refusal, ...refusal } };
  return { faults: edited };
}

/** One fault is answered otherwise. */
export function editFault(name: Fault, refusal: Partial<Refusal>): Mutation {
  return editFaults({ [name]: refusal });
}

/** One fault is answered with another status. */
export function setFaultStatus([name, status]: readonly [Fault, number]): Mutation {
  return editFault(name, { status });
}

/** Some operations do something else once their gates have let a call pass. */
export function setEffects(effects: Partial<Behaviour['effects']>): Mutation {
  return { effects: { ...conforming.effects, ...effects } };
}

/** Some operations have one reason more to refuse, which is looked for first. */
export function alsoRefuse(operations: Operations, name: GateName, refuse: Gate['refuse']): Mutation {
  const gates = { ...conforming.gates };
  for (const operation of [operations].flat()) gates[operation] = [{ name, refuse }, ...gates[operation]];
  return { gates };
}

/** Key information (§2.2) is changed as a whole. */
export function editInformation(
  change: (information: JsonObject, key: Key, call: Call) => JsonObject,
): Mutation {
  return { keyInformation: (call, key) => change(conforming.keyInformation(call, key), key, call) };
}

/** One member of Key information (§2.2) is another value; undefined leaves it out. */
export function editKey(
  field: string,
  change: (value: unknown, information: JsonObject, call: Call) => unknown,
): Mutation {
  return editInformation((information, _key, call) =>
    setMember(information, field, change(information[field], information, call)),
  );
}

/** One member of a Guardrail (§2.1) is another value; undefined leaves it out. */
export function editGuardrail(
  field: string,
  change: (value: unknown, guardrail: JsonObject, call: Call) => unknown,
): Mutation {
  return {
    guardrailView: (call, guardrail) =>
      setMember(guardrail, field, change(guardrail[field], guardrail, call)),
  };
}

/** The in-band error event (§6) is changed. */
export function editErrorEvent(change: (event: JsonObject) => JsonObject): Mutation {
  return { streamErrorEvent: (head, refusal) => change(conforming.streamErrorEvent(head, refusal)) };
}

/** Streamed requests get the in-band event (§6) in place of some refusals; with what is returned for them. */
export function refuseInBand(change: (refusal: Refusal, call: Call) => Refusal | undefined): Mutation {
  return {
    refuse: (call, refusal) => {
      const { inference, server } = call;
      const inBand = inference?.stream === true ? change(refusal, call) : undefined;
      if (inference === undefined || inBand === undefined) return conforming.refuse(call, refusal);
      const head = makeCompletionHead(inference.model, server.now());
      return answerStream([{ data: call.behaviour.streamErrorEvent(head, inBand) }]);
    },
  };
}

/** Streamed requests that are refused with this status get the in-band event (§6) with another code in its place. */
export function refuseInBandAs(code: number, status: number, when = always): Mutation {
  return refuseInBand((refusal, call) =>
    refusal.status === status && when(call) ? { ...refusal, status: code } : undefined,
  );
}

/** An object with one member set, or without it where the value is undefined. */
export function setMember<Value>(
  object: Readonly<Record<string, Value>>,
  field: string,
  value: Value | undefined,
): Record<string, Value> {
  const { [field]: _former, ...rest } = object;
  return value === undefined ? rest : { ...object, [field]: value };
}

/** What this server remembers under a name; made when it is first asked for. */
export function remember<Value>({ server: { memory } }: Call, name: string, make: () => Value): Value {
  if (!memory.has(name)) memory.set(name, make());
  return memory.get(name) as Value;
}

/** What a cache has under a name, which it reads anew once it is so old. */
export function readAged<Value>(call: Call, name: string, forMs: number, read: () => Value): Value {
  const { memory, now } = call.server;
  const cached = memory.get(name) as { readonly value: Value; readonly at: number } | undefined;
  if (cached !== undefined && now() - cached.at < forMs) return cached.value;
  const value = read();
  memory.set(name, { value, at: now() });
  return value;
}

/** Something is done before an answer is sent as the reference sends it. */
export function beforeSending(
  prepare: (response: ServerResponse, answer: Answer, call: Call) => void | Promise<void>,
): Pick<Behaviour, 'transmit'> {
  return {
    transmit: async (response, answer, call) => {
      await prepare(response, answer, call);
      await conforming.transmit(response, answer, call);
    },
  };
}

/** Some answers are put on the wire otherwise. */
export function transmitAs(where: Where, transmit: Behaviour['transmit']): Pick<Behaviour, 'transmit'> {
  return {
    transmit: (response, answer, call) =>
      (isMeant(where, answer, call) ? transmit : conforming.transmit)(response, answer, call),
  };
}

/** The connections of some calls are closed in place of an answer. */
export function closeConnection(when: When): Mutation {
  return transmitAs({ when }, (response) => {
    response.destroy();
  });
}

/** How often something has happened on this server, this time included. */
export function countUp(call: Call, what: string): number {
  const now = remember(call, what, () => 0) + 1;
  call.server.memory.set(what, now);
  return now;
}

/** Every so many of the calls that it is asked about, counted under a name. */
export function everyNth(n: number, what: string): When {
  return (call) => countUp(call, what) % n === 0;
}

/** The decisions that one server takes otherwise than the reference. */
export type Mutation = Partial<Behaviour>;

/** The behaviour of the reference with some decisions taken otherwise. */
export function behaviourWith(mutation: Mutation): Behaviour {
  return { ...conforming, ...mutation };
}
