import type { ServerResponse } from 'node:http';
import {
  type Answer,
  type Behaviour,
  type Call,
  type Gate,
  type GateName,
  makeGate,
  type Refusal,
} from './behaviour.js';
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

function isMeant(where: Where, answer: Answer, call: Call): boolean {
  const { operation = call.operation, status = answer.status, when } = where;
  return call.operation === operation && answer.status === status && when?.(call, answer) !== false;
}

/** Changes some answers as a whole. */
export function editAnswer(where: Where, change: (answer: Answer, call: Call) => Answer): Mutation {
  return { answer: (answer, call) => (isMeant(where, answer, call) ? change(answer, call) : answer) };
}

/** Changes the JSON objects that some answers have for a body. */
export function editBody(where: Where, change: (body: JsonObject) => JsonObject): Mutation {
  return editAnswer(where, (answer) =>
    isJsonObject(answer.body) ? { ...answer, body: change(answer.body) } : answer,
  );
}

/** Sets headers of some answers; undefined removes one. */
export function setHeaders(where: Where, headers: Readonly<Record<string, string | undefined>>): Mutation {
  const edits = Object.entries(headers);
  return editAnswer(where, (answer) => ({
    ...answer,
    headers: edits.reduce((all, [name, value]) => setMember(all, name, value), answer.headers),
  }));
}

/** Sets the status of some refusals, in the envelope too. */
export function setStatus(where: Where, status: number): Mutation {
  return editAnswer(where, (answer) => setInError({ ...answer, status }, 'code', status));
}

/** Returns an answer with one member of its error object set, or removed where the value is undefined. */
export function setInError(answer: Answer, field: string, value: unknown): Answer {
  const { body } = answer;
  if (!isJsonObject(body) || !isJsonObject(body.error)) return answer;
  return { ...answer, body: { ...body, error: setMember(body.error, field, value) } };
}

/** Changes the bodies of some errors. */
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

/** Replaces the decision of one gate of some operations. Throws where there is no gate of that name. */
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

/** Does something beside the refusals of one gate, which stay as they are. */
export function actWhenRefused(
  operation: Operation,
  gate: GateName,
  act: (call: Call, refusal: Refusal) => void,
): Mutation {
  return editGate(operation, gate, (call, original) => {
    const refusal = original(call);
    if (refusal !== undefined) act(call, refusal);
    return refusal;
  });
}

/** Sets the status with which one gate of some operations refuses, for some calls or all. */
export function setGateStatus(on: Operations, name: GateName, status: number, when = always): Mutation {
  return editGate(on, name, (call, original) => {
    const refusal = original(call);
    return refusal !== undefined && when(call) ? { ...refusal, status } : refusal;
  });
}

/** Removes one gate of some operations, for some calls or all. */
export function dropGate(operations: Operations, name: GateName, when = always): Mutation {
  return editGate(operations, name, (call, original) => (when(call) ? undefined : original(call)));
}

/** Replaces members of the refusals of some faults. */
export function editFaults(refusals: Partial<Record<Fault, Partial<Refusal>>>): Mutation {
  const edited = { ...conforming.faults };
  for (const [name, refusal] of Object.entries(refusals) as [Fault, Partial<Refusal>][])
    edited[name] = { ...edited[name], refusal: { ...edited[name].refusal, ...refusal } };
  return { faults: edited };
}

/** Sets the status of one fault. */
export function setFaultStatus([name, status]: readonly [Fault, number]): Mutation {
  return editFaults({ [name]: { status } });
}

/** Replaces what some operations do once their gates have let a call pass. */
export function setEffects(effects: Partial<Behaviour['effects']>): Mutation {
  return { effects: { ...conforming.effects, ...effects } };
}

/** Adds a reason to refuse to some operations, which is looked for first. */
export function alsoRefuse(operations: Operations, refuse: Gate['refuse']): Mutation {
  const gates = { ...conforming.gates };
  for (const operation of [operations].flat())
    gates[operation] = [{ name: 'fault', refuse }, ...gates[operation]];
  return { gates };
}

function makeRefusal(status: number): Refusal {
  return { status, message: 'This request is refused' };
}

/** Refuses some calls of some operations before any gate does. */
export function refuseFirst(operations: Operations, status: number, when: When): Mutation {
  return alsoRefuse(operations, makeGate('fault', when, makeRefusal(status)).refuse);
}

/** Refuses some calls at one gate of some operations, whatever the gate itself says. */
export function refuseAt(operations: Operations, name: GateName, status: number, when: When): Mutation {
  return editGate(operations, name, (call, original) => (when(call) ? makeRefusal(status) : original(call)));
}

const GATE_BEFORE = {
  'vault-delete': 'secret-exists',
  'guardrail-read': 'fault',
  'key-read': 'key-enabled',
} as const;

/** Refuses some calls of an operation that its gates let pass, up to the one that knows the caller and what it asks for. */
export function refuseLast(operation: keyof typeof GATE_BEFORE, status: number, when: When): Mutation {
  return editGate(
    operation,
    GATE_BEFORE[operation],
    (call, original) => original(call) ?? (when(call) ? makeRefusal(status) : undefined),
  );
}

/** Changes the value of a field of a record, such as a Guardrail. */
export type FieldChange = (value: unknown, record: JsonObject, call: Call) => unknown;

/** Changes Key information (§2.2) as a whole. */
export function editInformation(change: (given: JsonObject, key: Key, call: Call) => JsonObject): Mutation {
  return { keyInformation: (call, key) => change(conforming.keyInformation(call, key), key, call) };
}

/** Changes one member of Key information (§2.2); undefined removes it. */
export function editKey(field: string, change: FieldChange): Mutation {
  return editInformation((information, _key, call) =>
    setMember(information, field, change(information[field], information, call)),
  );
}

/** Changes one member of a Guardrail (§2.1); undefined removes it. */
export function editGuardrail(field: string, change: FieldChange): Mutation {
  return {
    guardrailView: (call, guardrail) =>
      setMember(guardrail, field, change(guardrail[field], guardrail, call)),
  };
}

/** Changes the in-band error event (§6). */
export function editErrorEvent(change: (event: JsonObject) => JsonObject): Mutation {
  return { streamErrorEvent: (head, refusal) => change(conforming.streamErrorEvent(head, refusal)) };
}

/** Answers streamed requests with the in-band event (§6) in place of some refusals: those for which `change` returns one. */
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

/** Answers streamed requests with the in-band event (§6), and with another code, where they are refused with a status. */
export function refuseInBandAs(code: number, status: number, when = always): Mutation {
  return refuseInBand((refusal, call) =>
    refusal.status === status && when(call) ? { ...refusal, status: code } : undefined,
  );
}

/** Returns an object with one member set, or removed where the value is undefined. */
export function setMember<Value>(
  object: Readonly<Record<string, Value>>,
  field: string,
  value: Value | undefined,
): Record<string, Value> {
  const { [field]: _former, ...rest } = object;
  return value === undefined ? rest : { ...object, [field]: value };
}

/** Returns an object with each of its values replaced. */
export function mapMembers(
  object: JsonObject,
  change: (value: unknown, name: string) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value, name)]));
}

/** Returns what this server remembers under a name, made when it is first asked for. */
export function remember<Value>({ server: { memory } }: Call, name: string, make: () => Value): Value {
  if (!memory.has(name)) memory.set(name, make());
  return memory.get(name) as Value;
}

/** Returns what a cache has under a name, read anew once it is `forMs` old. */
export function readAged<Value>(call: Call, name: string, forMs: number, read: () => Value): Value {
  const { memory, now } = call.server;
  const cached = memory.get(name) as { readonly value: Value; readonly at: number } | undefined;
  if (cached !== undefined && now() - cached.at < forMs) return cached.value;
  const value = read();
  memory.set(name, { value, at: now() });
  return value;
}

/** Does something before an answer is sent as the reference sends it. */
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

/** Replaces how some answers are put on the wire. */
export function transmitAs(where: Where, transmit: Behaviour['transmit']): Pick<Behaviour, 'transmit'> {
  return {
    transmit: (response, answer, call) =>
      (isMeant(where, answer, call) ? transmit : conforming.transmit)(response, answer, call),
  };
}

/** Closes the connections of some calls without an answer. */
export function closeConnection(when: When): Mutation {
  return transmitAs({ when }, (response) => {
    response.destroy();
  });
}

/** Counts how often something has happened on this server, this time included. */
export function countUp(call: Call, what: string): number {
  const now = remember(call, what, () => 0) + 1;
  call.server.memory.set(what, now);
  return now;
}

/** Meets every n-th of the calls that it is asked about, counted under a name. */
export function everyNth(n: number, what: string): When {
  return (call) => countUp(call, what) % n === 0;
}

/** The decisions of the reference that one server replaces. */
export type Mutation = Partial<Behaviour>;
