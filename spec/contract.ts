import { getDate } from '@0dep/piso';
import type { ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import { controlDocument } from './generated/control.js';
import { openapiDocument } from './generated/openapi.js';
import { streamErrorSchema } from './generated/stream-error.js';
import { type DocumentedOperation, routes } from './vocabulary.js';

/** The schemas that bodies are judged by: components of openapi.yaml, and the chunk of stream-error.schema.json. */
export type ContractSchema =
  | 'SecretName'
  | 'GuardrailResponse'
  | 'KeyInformationResponse'
  | 'ErrorEnvelope'
  | 'StreamErrorChunk';

/** The component schemas of control.yaml that the control client reads answers by. */
export type ControlSchema = 'Capabilities' | 'World' | 'SecretList';

/** One place at which a value breaks a schema. */
export interface SchemaFault {
  /** The members that lead to the place, `['data', 'limit']`; a missing member is its own last step. */
  readonly path: readonly string[];
  /** Which rule is broken, in words that never change: a waiver repeats them. */
  readonly message: string;
  /** What the schema asks for at the place, `a number or null`. */
  readonly expected: string;
  /** What stands there; absent where a member is missing. */
  readonly got?: unknown;
}

/** The format of the document's timestamps (§2.1). */
export const timestampFormat = 'iso-8601-utc';

/** Whether a text is a timestamp of the document. */
export function isTimestamp(text: string): boolean {
  return parseUtcTimestamp(text) !== undefined;
}

// ajv-formats is CommonJS; under NodeNext its function is the module's `default` member.
const addFormats = addFormatsModule.default;

let compiler: Ajv2020 | undefined;

function createCompiler(): Ajv2020 {
  // The schemas themselves are validated by a test; checking them again would cost every start 50 ms.
  const checked = { strict: true, validateSchema: false, allowUnionTypes: true } as const;
  // Verbose: a fault names the value and what its schema asks for.
  const ajv = new Ajv2020({ ...checked, allErrors: true, verbose: true });
  addFormats(ajv);
  ajv.addFormat(timestampFormat, isTimestamp);
  // An OpenAPI document is no schema: its own members are unknown words to a strict Ajv.
  ajv.addVocabulary(['openapi', 'info', 'servers', 'tags', 'security', 'paths', 'components']);
  ajv.addSchema(openapiDocument as object, 'plumbline:openapi');
  ajv.addSchema(controlDocument as object, 'plumbline:control');
  ajv.addSchema(streamErrorSchema as object, 'plumbline:stream-error');
  return ajv;
}

// The names of members come from a server, and a fault is reported in one line.
const longestStep = 100;

/** Decodes a step of a JSON pointer. A long name is left out, since part of a key in it could not be redacted. */
function decodeStep(step: string): string {
  if (step.length > longestStep) return '(a long name)';
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

function describeFault(error: ErrorObject): SchemaFault {
  const { instancePath, parentSchema, params, data } = error;
  const path = instancePath.split('/').slice(1).map(decodeStep);
  const missing: unknown = params.missingProperty;
  if (typeof missing !== 'string')
    return { path, message: describeRule(error), expected: describeExpected(parentSchema), got: data };
  const expected = describeExpected(getMembers(getMembers(parentSchema).properties)[missing]);
  return { path: [...path, missing], message: 'is missing', expected };
}

/** Describes the rule that is broken. The timestamps of 0.1.0 had a pattern, and waivers repeat what it said. */
function describeRule({ keyword, params, message }: ErrorObject): string {
  const isTimestamps = keyword === 'format' && params.format === timestampFormat;
  return isTimestamps ? `must match pattern "${timestampFormat}"` : (message ?? 'breaks the schema');
}

type Members = Readonly<Record<string, unknown>>;

function getMembers(value: unknown): Members {
  return typeof value === 'object' && value !== null ? (value as Members) : {};
}

const formatsInWords: Readonly<Record<string, string>> = {
  uuid: 'a UUID',
  [timestampFormat]: 'an ISO 8601 timestamp in UTC',
};
const typesInWords: Readonly<Record<string, string>> = {
  array: 'an array',
  boolean: 'a boolean',
  integer: 'an integer',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'a string',
};

function describeExpected(schema: unknown): string {
  const { const: constant, format, type, items, maxItems } = getMembers(schema);
  if (constant !== undefined) return JSON.stringify(constant);
  const named = formatsInWords[String(format)];
  if (named !== undefined) return named;
  const types = (Array.isArray(type) ? type : [type]).map((one) =>
    one === 'array' ? describeArray(items, maxItems) : typesInWords[String(one)],
  );
  return types.filter((one) => one !== undefined).join(' or ') || 'what its schema describes';
}

function describeArray(items: unknown, maxItems: unknown): string {
  const { type } = getMembers(items);
  if (type === undefined) return 'an array';
  return maxItems === 1 ? `an array of one ${type}` : `an array of ${type}s`;
}

function findFaults(reference: string, value: unknown): readonly SchemaFault[] {
  compiler ??= createCompiler();
  const validate = compiler.getSchema(reference);
  if (validate === undefined) throw new Error(`There is no schema ${reference}.`);
  return validate(shortenLists(value)) ? [] : (validate.errors ?? []).map(describeFault);
}

const elementsJudged = 5_000;
const levelsOfLists = 4;

/** Copies a value with its lists truncated: each invalid element is a fault, and a body may hold half a million. */
function shortenLists(value: unknown, level = 0): unknown {
  if (typeof value !== 'object' || value === null || level > levelsOfLists) return value;
  if (Array.isArray(value))
    return value.slice(0, elementsJudged).map((element) => shortenLists(element, level + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, shortenLists(member, level + 1)]),
  );
}

/** Finds where a value breaks a schema of the document; nowhere if it satisfies it. */
export function findContractFaults(schema: ContractSchema, value: unknown): readonly SchemaFault[] {
  const reference =
    schema === 'StreamErrorChunk'
      ? 'plumbline:stream-error'
      : `plumbline:openapi#/components/schemas/${schema}`;
  return findFaults(reference, value);
}

/** Finds where a value breaks a schema of control.yaml; nowhere if it satisfies it. */
export function findControlFaults(schema: ControlSchema, value: unknown): readonly SchemaFault[] {
  return findFaults(`plumbline:control#/components/schemas/${schema}`, value);
}

// Written with two-digit hours or more, with minutes and seconds where they are given, and in UTC. Whether the date
// exists and basic and extended format are mixed is for the library to say.
const dateAndTime =
  /^(\d{4}-?(?:\d\d-?\d\d|\d{3}|W\d\d-?\d))[Tt](\d\d(?::?\d\d){0,2})(?:[.,](\d+))?(?:[Zz]|\+00(?::?00)?)$/;

const secondMs = 1_000;
/** What a fraction is a fraction of, by the number of digits of the time before it. */
const unitMs: Readonly<Record<number, number>> = { 2: 3_600 * secondMs, 4: 60 * secondMs, 6: secondMs };

/**
 * Returns the instant that a text names, in milliseconds since 1970; undefined where the text is no ISO 8601 date and
 * time in UTC (§2.1). A leap second and a lower-case `t` or `z` are accepted: standards differ about them.
 */
export function parseUtcTimestamp(text: string): number | undefined {
  const [, date, time, fraction] = dateAndTime.exec(text) ?? [];
  if (date === undefined || time === undefined) return undefined;
  const beyondMs = Number(`0.${fraction ?? 0}`) * (unitMs[time.replaceAll(':', '').length] ?? 0);
  // The last instant of a day has nothing after it.
  if (time.startsWith('24') && beyondMs > 0) return undefined;
  const wholeMs = parseInstant(date, time);
  // To the microsecond: a decimal fraction of a minute is rounded where it is written.
  return wholeMs === undefined ? undefined : wholeMs + Math.round(beyondMs * 1_000) / 1_000;
}

/** Parses date and time; the library takes neither an hour alone nor a leap second. */
function parseInstant(date: string, time: string): number | undefined {
  const toMinutes = time.length === 2 ? `${time}${date.includes('-') ? ':' : ''}00` : time;
  const isLeapSecond = /^\d\d(:?)\d\d\1(?:60)$/.test(toMinutes);
  const toSeconds = isLeapSecond ? toMinutes.replace(/60$/, '59') : toMinutes;
  try {
    return getDate(`${date}T${toSeconds}Z`).getTime() + (isLeapSecond ? secondMs : 0);
  } catch {
    return undefined;
  }
}

/** Whether openapi.yaml names a status for an operation (§4, §7.1 and §7.2, and §7.3 where the operation can take it on). */
export function isDocumented(operation: DocumentedOperation, status: number): boolean {
  const { method, path } = routes[operation];
  const { [path]: methods } = getMembers(getMembers(openapiDocument).paths);
  const { responses } = getMembers(getMembers(methods)[method.toLowerCase()]);
  return status in getMembers(responses);
}
