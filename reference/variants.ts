import { setTimeout as wait } from 'node:timers/promises';
import { type Answer, type Frame, isFrames } from './answer.js';
import { type Behaviour, conforming } from './behaviour.js';
import { completionHead, openingFrames } from './completion.js';
import { stream } from './effects.js';
import type { Gate } from './gate.js';
import type { JsonObject } from './json.js';
import { isJsonObject } from './json.js';
import { regionalHostGate } from './vault-gates.js';
import type { Operation } from './vocabulary.js';

/** The reference with one permitted difference. */
export interface Variant {
  readonly id: string;
  /** The section of the document that leaves the freedom. */
  readonly section: string;
  readonly description: string;
  readonly behaviour: Behaviour;
}

/** All variants. */
export const variants: readonly Variant[] = [
  {
    id: 'gates-reversed',
    section: '7.1',
    description: 'What is wrong with a request is looked for in the opposite order; faults still come last',
    behaviour: { ...conforming, gates: mapGates(reversed) },
  },
  {
    id: 'more-members',
    section: '2.4',
    description: 'Header names in odd case, and members the document does not know in every object',
    behaviour: {
      ...conforming,
      answer: (answer) => ({
        ...answer,
        headers: { ...withOddNames(answer.headers), 'x-REQUEST-id': 'r-1' },
        body: withMoreMembers(answer.body),
      }),
    },
  },
  {
    id: 'problem-json',
    section: '2.4',
    description: 'Errors are application/problem+json',
    behaviour: { ...conforming, errorMediaType: 'application/problem+json; charset=utf-8' },
  },
  {
    id: 'connection-closed',
    section: '1',
    description: 'The connection is closed after every answer',
    behaviour: {
      ...conforming,
      answer: (answer) => ({ ...answer, headers: { ...answer.headers, Connection: 'close' } }),
    },
  },
  {
    id: 'sparse-guardrail',
    section: '2.1',
    description: 'The guardrail has few fields: which are always present is not shown',
    behaviour: {
      ...conforming,
      guardrailView: (_call, { id, workspace_id, name }) => ({ id, workspace_id, name }),
    },
  },
  {
    id: 'answers-delayed',
    section: '1',
    description: 'Every answer comes 5 ms late',
    behaviour: {
      ...conforming,
      transmit: async (response, answer, call) => {
        await wait(5);
        await conforming.transmit(response, answer, call);
      },
    },
  },
  {
    id: 'regional-everywhere',
    section: '5',
    description: 'The regional hostname is refused on every route, not the vault alone',
    behaviour: {
      ...conforming,
      gates: mapGates((gates) => [regionalHostGate, ...gates.filter((gate) => gate !== regionalHostGate)]),
    },
  },
  {
    id: 'stream-refusals-in-band',
    section: '6',
    description:
      'A streamed request that is refused for credit, a limit or upstream gets 200 and the in-band event',
    behaviour: {
      ...conforming,
      refuse: (call, refusal) => {
        const inBand = [402, 429, 502, 503].includes(refusal.status) && call.inference?.stream === true;
        if (!inBand || call.inference === undefined) return conforming.refuse(call, refusal);
        const head = completionHead(call.inference.model, call.server.now());
        return stream([
          ...openingFrames(head).slice(0, 1),
          { data: call.behaviour.streamErrorEvent(head, refusal) },
        ]);
      },
    },
  },
];

function mapGates(change: (gates: readonly Gate[]) => readonly Gate[]): Behaviour['gates'] {
  const { gates } = conforming;
  const changed: Record<Operation, readonly Gate[]> = { ...gates };
  for (const operation of Object.keys(gates) as Operation[]) changed[operation] = change(gates[operation]);
  return changed;
}

function reversed(gates: readonly Gate[]): readonly Gate[] {
  const isFault = (gate: Gate): boolean => gate.name === 'fault';
  return [...gates.filter((gate) => !isFault(gate)).reverse(), ...gates.filter(isFault)];
}

function withOddNames(headers: Answer['headers']): Record<string, string> {
  const entries = Object.entries(headers);
  return Object.fromEntries(entries.map(([name, value], at) => [oddName(name, at), value]));
}

function oddName(name: string, at: number): string {
  return at % 2 === 0 ? name.toLowerCase() : name.toUpperCase();
}

function withMoreMembers(body: Answer['body']): Answer['body'] {
  if (isFrames(body)) return body.map(frameWithMoreMembers);
  return isJsonObject(body) ? objectWithMoreMembers(body) : body;
}

function frameWithMoreMembers(frame: Frame): Frame {
  return 'data' in frame && isJsonObject(frame.data) ? { data: objectWithMoreMembers(frame.data) } : frame;
}

function objectWithMoreMembers(object: JsonObject): JsonObject {
  const members = Object.entries(object).map(([name, value]) => [
    name,
    isJsonObject(value) ? { x_more: [1], ...value } : value,
  ]);
  return { x_more: { a: null }, ...Object.fromEntries(members) };
}
