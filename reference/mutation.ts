import { answerStream } from './answers.js';
import type { Answer, Behaviour, Call, Gate, GateName, Refusal } from './behaviour.js';
import { conforming } from './conforming.js';
import { makeCompletionHead } from './inference.js';
import { type Fault, isJsonObject, type JsonObject, type Operation } from './vocabulary.js';

/** The same gates with another decision under one name. Throws when no gate has that name. */
export function replaceGate(
  gates: readonly Gate[],
  name: GateName,
  refuse: (call: Call, original: Gate['refuse']) => Refusal | undefined,
): readonly Gate[] {
  if (!gates.some((gate) => gate.name === name)) throw new Error(`There is no gate named ${name} here.`);
  return gates.map((gate) =>
    gate.name === name ? { name, refuse: (call: Call) => refuse(call, gate.refuse) } : gate,
  );
}

// The ways in which a mutant or a variant departs from the reference, so that a catalogue reads as data.

/** Which answers are meant; what is left out matches every answer. */
export interface Where {
  readonly operation?: Operation;
  readonly status?: number;
  readonly when?: (call: Call, answer: Answer) => boolean;
}

/** Whether an answer is one of those meant. */
function isMeant({ operation, status, when }: Where, answer: Answer, call: Call): boolean {
  return (
    (operation === undefined || call.operation === operation) &&
    (status === undefined || answer.status === status) &&
    (when === undefined || when(call, answer))
  );
}

/** Some answers are changed as a whole. */
export function editAnswer(where: Where, change: (answer: Answer, call: Call) => Answer): Mutation {
  return { answer: (answer, call) => (isMeant(where, answer, call) ? change(answer, call) : answer) };
}

/** Some answers have one header more, or another value of it; undefined leaves it out. */
export function setHeader(where: Where, name: string, value: string | undefined): Mutation {
  return editAnswer(where, (answer) => {
    const { [name]: _former, ...headers } = answer.headers;
    return { ...answer, headers: value === undefined ? headers : { ...headers, [name]: value } };
  });
}

/** Some refusals get another status, in the envelope too. */
export function setStatus(where: Where, status: number): Mutation {
  return editAnswer(where, (answer) => ({ ...answer, status, body: withCode(answer.body, status) }));
}

function withCode(body: Answer['body'], code: number): Answer['body'] {
  if (!isJsonObject(body)) return body;
  return isJsonObject(body.error) ? { ...body, error: { ...body.error, code } } : body;
}

/** The bodies of some errors are changed, as §2.4 does not allow. */
export function editEnvelope(
  { operation, status, when }: { operation?: Operation; status?: number; when?: (call: Call) => boolean },
  change: (body: EnvelopeBody, refusal: Refusal, call: Call) => JsonObject,
): Mutation {
  return {
    envelope: (call, refusal) => {
      const body = conforming.envelope(call, refusal) as EnvelopeBody;
      const isOne =
        (operation === undefined || call.operation === operation) &&
        (status === undefined || refusal.status === status) &&
        (when === undefined || when(call));
      return isOne ? change(body, refusal, call) : body;
    },
  };
}

/** The envelope of an error before it is changed (§2.4). */
export interface EnvelopeBody extends JsonObject {
  readonly error: JsonObject;
}

/** One gate of an operation decides otherwise. */
export function editGate(
  operation: Operation,
  name: GateName,
  decide: (call: Call, original: Gate['refuse']) => Refusal | undefined,
): Mutation {
  return {
    gates: { ...conforming.gates, [operation]: replaceGate(conforming.gates[operation], name, decide) },
  };
}

/** One gate of an operation refuses with another status, some calls or all. */
export function setGateStatus(
  operation: Operation,
  name: GateName,
  status: number,
  when: (call: Call) => boolean = () => true,
): Mutation {
  return editGate(operation, name, (call, original) => {
    const refusal = original(call);
    return refusal !== undefined && when(call) ? { ...refusal, status } : refusal;
  });
}

/** One or several gates of an operation are missing, for some calls or for all. */
export function dropGate(
  operation: Operation,
  names: GateName | readonly GateName[],
  when: (call: Call) => boolean = () => true,
): Mutation {
  const drop = (gates: readonly Gate[], name: GateName): readonly Gate[] =>
    replaceGate(gates, name, (call, original) => (when(call) ? undefined : original(call)));
  return {
    gates: { ...conforming.gates, [operation]: [names].flat().reduce(drop, conforming.gates[operation]) },
  };
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

/** One member of Key information (§2.2) is another value; undefined leaves it out. */
export function editKey(
  field: string,
  change: (value: unknown, information: JsonObject, call: Call) => unknown,
): Mutation {
  return {
    keyInformation: (call, key) => {
      const information = conforming.keyInformation(call, key);
      return setMember(information, field, change(information[field], information, call));
    },
  };
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

/** Streamed requests that are refused with this status get the in-band event (§6) with another code in its place. */
export function refuseInBandAs(
  code: number,
  status: number,
  when: (call: Call) => boolean = () => true,
): Mutation {
  return {
    refuse: (call, refusal) => {
      const { inference, server } = call;
      if (refusal.status !== status || inference?.stream !== true || !when(call))
        return conforming.refuse(call, refusal);
      const head = makeCompletionHead(inference.model, server.now());
      return answerStream([{ data: conforming.streamErrorEvent(head, { ...refusal, status: code }) }]);
    },
  };
}

/** An object with one member set, or without it where the value is undefined. */
export function setMember(object: JsonObject, field: string, value: unknown): JsonObject {
  const { [field]: _former, ...rest } = object;
  return value === undefined ? rest : { ...object, [field]: value as JsonObject[string] };
}

/** How often something has happened on this server, this time included. */
export function countUp(call: Call, what: string): number {
  const { memory } = call.server;
  const before = memory.get(what);
  const now = (typeof before === 'number' ? before : 0) + 1;
  memory.set(what, now);
  return now;
}

/** The decisions that one server takes otherwise than the reference. */
export type Mutation = Partial<Behaviour>;

/** The behaviour of the reference with some decisions taken otherwise. */
export function behaviourWith(mutation: Mutation): Behaviour {
  return { ...conforming, ...mutation };
}
