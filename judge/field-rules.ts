import { isDeepStrictEqual } from 'node:util';
import { type ContractSchema, findContractFaults, type SchemaFault } from '../spec/contract.js';
import { isObject } from '../spec/json.js';
import { ledger, type RequirementId } from '../spec/ledger.js';
import { getOrInsert } from '../spec/maps.js';
import type { Mismatch, Wrong } from '../spec/report.js';
import { keyInformationFields, type Operation } from '../spec/vocabulary.js';
import {
  type Answered,
  explainUnread,
  header,
  isJsonMediaType,
  json,
  readData,
} from '../targets/exchange.js';
import { findErrorChunkOnce } from './answer-rules.js';

/** A violation of a rule by a response. */
export interface Breach {
  readonly message: string;
  /** Identifies the situation, if the message may change: the words of a situation never do. */
  readonly aspect?: string;
  /** What was expected, if that is more exact than the rule's own words. */
  readonly expected?: string;
  readonly got?: unknown;
  /** What is wrong, as data; by the rule's `wrong` where absent. */
  readonly mismatch?: Mismatch;
  readonly conclusive: boolean;
  /** Distinguishes it from other breaches of the same rule that count separately. */
  readonly about?: string;
}

/** What is known of a response before its content is read. */
export type ResponseKind = Pick<Answered, 'operation' | 'reaches'> & { readonly status: number };

/** A rule for every response of a run that it applies to. */
export interface PassiveRule {
  readonly requirement: RequirementId;
  readonly expected: string;
  /** What is wrong if it is broken; `rule` where absent. */
  readonly wrong?: Wrong;
  /** Whether it can apply to responses of a kind; called once for each kind. */
  concerns(kind: ResponseKind): boolean;
  /** Whether it applies to a response of such a kind; to all where absent. */
  applies?(exchange: Answered): boolean;
  breach(exchange: Answered): Breach | readonly Breach[] | undefined;
}

/** Concerns the 200 responses of an operation. */
export function concernServed(operation: Operation): PassiveRule['concerns'] {
  return (kind) => kind.reaches === 'operation' && kind.operation === operation && kind.status === 200;
}

const hasData = ({ answer }: Answered): boolean => {
  const body = json(answer);
  return isObject(body) && isObject(body.data);
};

// ── Schemas ──

const faultsByValue = new WeakMap<object, Map<ContractSchema, readonly SchemaFault[]>>();

/** Validates a body once for all rules, of which each field has one. */
function findFaults(schema: ContractSchema, value: unknown): readonly SchemaFault[] {
  if (typeof value !== 'object' || value === null) return findContractFaults(schema, value);
  const known = getOrInsert(faultsByValue, value, () => new Map());
  return getOrInsert(known, schema, () => findContractFaults(schema, value));
}

/** Returns the first schema fault at a path that a rule is about. */
export function findSchemaBreach(
  schema: ContractSchema,
  value: unknown,
  isOwn: (path: readonly string[]) => boolean,
): Breach | undefined {
  const fault = findFaults(schema, value).find(({ path }) => isOwn(path));
  if (fault === undefined) return undefined;
  const { path, message, expected, got } = fault;
  const place = path.join('.');
  return {
    message: `${place} ${got === undefined ? message : `must be ${expected}`}`,
    aspect: `${place} ${message}`,
    expected,
    got,
    mismatch: { wrong: 'shape', fields: [path[0] === 'data' ? (path[1] ?? place) : place] },
    conclusive: true,
  };
}

function dataRule(requirement: RequirementId, operation: Operation): PassiveRule {
  return {
    requirement,
    expected: 'a JSON object whose data member is an object',
    wrong: 'form',
    concerns: concernServed(operation),
    // A body that was not read completely may be JSON or not.
    applies: ({ answer }) => explainUnread(answer) === undefined,
    breach: (exchange) => {
      const { answer } = exchange;
      const body = json(answer);
      if (body === undefined)
        return { message: 'the body is not valid JSON', aspect: 'the body is no JSON', conclusive: false };
      const got = isObject(body) ? body.data : body;
      if (!hasData(exchange)) return { message: 'the body has no data object', got, conclusive: true };
      // No field of a guardrail has to be present, so no other rule would notice this.
      const [nested, ...others] = Object.values(readData(exchange));
      if (isObject(nested) && 'id' in nested && others.length === 0)
        return { message: 'the data object holds nothing but another object with an id', conclusive: true };
      if (isJsonMediaType(answer)) return undefined;
      const type = header(answer, 'content-type');
      if (type === undefined && answer.lacksHeaders) return undefined;
      return { message: `the media type is ${type ?? 'absent'}`, conclusive: false };
    },
  };
}

/** Removes what only a naming style adds, so that `limitUsd`, `limit-usd` and `limit_usd` become the same name. */
function unstyle(name: string): string {
  return name.replace(/[-_]/g, '').toLowerCase();
}

/** Finds a member whose name is that of a missing field in another style, such as `limitUsd` for `limit_usd`. */
function findMisnamed(data: Readonly<Record<string, unknown>>, field: string): Breach | undefined {
  if (field in data) return undefined;
  const misnamed = Object.keys(data).find((name) => unstyle(name) === unstyle(field));
  if (misnamed === undefined) return undefined;
  return {
    message: `data.${field} is named ${misnamed}`,
    expected: `the name ${field}`,
    mismatch: { wrong: 'shape', fields: [field] },
    conclusive: true,
  };
}

/** Makes a rule about the type of a field that is there; whether it has to be there is a rule of its own. */
function fieldRule(
  requirement: RequirementId,
  operation: 'guardrail-read' | 'key-info',
  isField: (name: string) => boolean,
  /** A field that may be absent; if it is, no other member may have its name in another style. */
  field?: string,
): PassiveRule {
  const [section, schema] =
    operation === 'key-info'
      ? (['2.2', 'KeyInformationResponse'] as const)
      : (['2.1', 'GuardrailResponse'] as const);
  return {
    requirement,
    expected: `what §${section} says of the field`,
    concerns: concernServed(operation),
    applies: hasData,
    breach: (exchange) => {
      const data = readData(exchange);
      const isOwn = ([member, name = '']: readonly string[]) =>
        member === 'data' && name in data && isField(name);
      const misnamed = field === undefined ? undefined : findMisnamed(data, field);
      const breach = misnamed ?? findSchemaBreach(schema, json(exchange.answer), isOwn);
      return breach && { ...breach, expected: `${breach.expected} (§${section})` };
    },
  };
}

// ── §2.1: the guardrail ──

/** The requirements about the type of one field, without the silent ones and those about vendors. */
const guardrailFieldRows = ledger.flatMap(({ id, level }) => {
  const [, field] = /^guardrail-read\.field\.(?!.*_vendor)(.*)/.exec(id) ?? [];
  return field === undefined || level === 'silent' ? [] : [{ id, field }];
});

// A vendor's name has no underscore: a member with one is a field that the document does not know.
const vendorField = /^enforce_zdr_([a-z0-9-]{1,64})$/i;
const vendorsKnown = 4;

export const guardrailRules: readonly PassiveRule[] = [
  dataRule('guardrail-read.200.data', 'guardrail-read'),
  ...guardrailFieldRows.map(({ id, field }) =>
    fieldRule(id, 'guardrail-read', (name) => name === field, field),
  ),
  fieldRule('guardrail-read.field.enforce_zdr_vendor', 'guardrail-read', (name) =>
    name.startsWith('enforce_zdr_'),
  ),
  vendorRule('guardrail-read.field.enforce_zdr_vendor-case', 'a vendor in lower case', (vendors) => {
    const wrong = vendors.find((vendor) => vendor !== vendor.toLowerCase());
    return wrong === undefined
      ? []
      : [`data.enforce_zdr_${wrong} is not in lower case`, `enforce_zdr_${wrong}`];
  }),
  vendorRule('guardrail-read.field.enforce_zdr_vendor-count', 'four vendors at most', (vendors) => {
    const { length } = vendors.filter((vendor) => vendor.toLowerCase() !== 'other');
    return length > vendorsKnown ? [`${length} vendors have a field enforce_zdr_<vendor>`] : [];
  }),
];

/** Makes a rule about the vendors in boolean `enforce_zdr_<vendor>` members; one of another type is another field. */
function vendorRule(
  requirement: RequirementId,
  expected: string,
  findWrong: (vendors: readonly string[]) => readonly [message?: string, ...fields: readonly string[]],
): PassiveRule {
  return {
    requirement,
    expected,
    concerns: concernServed('guardrail-read'),
    applies: hasData,
    breach: (exchange) => {
      const vendors = Object.entries(readData(exchange)).flatMap(([name, value]) =>
        typeof value === 'boolean' ? (vendorField.exec(name)?.[1] ?? []) : [],
      );
      const [message, ...fields] = findWrong(vendors);
      if (message === undefined) return undefined;
      return { message, aspect: expected, mismatch: { wrong: 'rule', fields }, conclusive: true };
    },
  };
}

// ── §2.2: key information ──

export const keyRules: readonly PassiveRule[] = [
  dataRule('key-info.200.data', 'key-info'),
  ...keyInformationFields.map((field) =>
    fieldRule(`key-info.field.${field}`, 'key-info', (name) => name === field),
  ),
  fieldRule('key-info.field.rate_limit-type', 'key-info', (name) => name === 'rate_limit'),
  {
    requirement: 'key-info.field-presence',
    expected: 'every field of §2.2 but rate_limit',
    concerns: concernServed('key-info'),
    applies: hasData,
    breach: (exchange) => {
      const data = readData(exchange);
      return keyInformationFields
        .filter((field) => !(field in data))
        .map((field) => ({
          message: `data.${field} is missing`,
          mismatch: { wrong: 'shape', fields: [field] },
          conclusive: true,
          about: field,
        }));
    },
  },
];

// ── §6: the in-band error event ──

export function findInBandError({ operation, answer }: Answered): unknown {
  return operation === 'inference' ? findErrorChunkOnce(answer) : undefined;
}

export const streamRules: readonly PassiveRule[] = (
  [
    ['stream-error.id', ['id'], 'a string'],
    ['stream-error.object', ['object'], 'chat.completion.chunk'],
    ['stream-error.created', ['created'], 'an integer'],
    ['stream-error.model', ['model'], 'a string'],
    ['stream-error.provider', ['provider'], 'a string'],
    ['stream-error.error', ['error'], 'an object'],
    ['stream-error.error.code', ['error', 'code'], 'an integer'],
    ['stream-error.error.message', ['error', 'message'], 'a string'],
    ['stream-error.choices', ['choices'], 'an array of one object'],
    ['stream-error.choices.index', ['choices', '0', 'index'], 'an integer'],
    ['stream-error.choices.delta', ['choices', '0', 'delta'], 'an object whose content is a string'],
    ['stream-error.choices.finish_reason', ['choices', '0', 'finish_reason'], 'error'],
  ] as const
).map(([requirement, own, expected]) => ({
  requirement,
  expected,
  concerns: ({ operation }: ResponseKind) => operation === 'inference',
  applies: (exchange: Answered) => findInBandError(exchange) !== undefined,
  breach: (exchange) => {
    const isOwn = (path: readonly string[]) => isDeepStrictEqual(path, own) || isWithin(path, own);
    const breach = findSchemaBreach('StreamErrorChunk', findInBandError(exchange), isOwn);
    return breach && { ...breach, expected };
  },
}));

// A choice that is not an object, or content of the wrong type, is a breach of the nearest rule above it.
function isWithin(path: readonly string[], owner: readonly string[]): boolean {
  if (owner.length === 1) return owner[0] === 'choices' && path.length === 2 && path[0] === 'choices';
  return owner[2] === 'delta' && path.length === 4 && isDeepStrictEqual(path.slice(0, 3), owner);
}
