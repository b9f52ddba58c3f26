import { readFileSync } from 'node:fs';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { nameText, type Place, placeOf, type YamlFault } from './yaml-file.js';

/** The schemas of files that users write, beside spec/. */
type FileSchema = 'profile.schema.json' | 'waivers.schema.json';

const compiled = new Map<FileSchema, ValidateFunction>();

/** Where a value breaks one of the schemas, in plain sentences; empty where it satisfies it. */
export function schemaFaults(schema: FileSchema, value: unknown): readonly YamlFault[] {
  const validate = compiled.get(schema) ?? validatorOf(schema);
  compiled.set(schema, validate);
  if (validate(value)) return [];
  return (validate.errors ?? []).filter(isOwnFault).flatMap(schemaFault);
}

function validatorOf(schema: FileSchema): ValidateFunction {
  // `verbose` puts the schema that was broken beside each error; its title is the sentence's object.
  return new Ajv2020({
    strict: true,
    // The alternatives of an object require members that are declared outside of them.
    strictRequired: false,
    allErrors: true,
    verbose: true,
    // A test checks the schemas themselves.
    validateSchema: false,
  }).compile(parsed(schema));
}

/** The schema as spec/ holds it; from the sources and from dist alike. */
function parsed(schema: FileSchema): object {
  return JSON.parse(readFileSync(new URL(`../spec/${schema}`, import.meta.url), 'utf8'));
}

/** Whether an error is no mere part of another one: a branch of an alternative, the pattern of a member's name. */
function isOwnFault({ keyword, schemaPath, propertyName }: ErrorObject): boolean {
  return keyword !== 'if' && propertyName === undefined && !/\/(?:oneOf|anyOf|not)\/./.test(schemaPath);
}

/** One error of Ajv as the faults a user reads; it takes Ajv's option `verbose`. */
export function schemaFault(error: ErrorObject): readonly YamlFault[] {
  const place = placeOf(error.instancePath);
  const faults = told[error.keyword];
  return faults === undefined ? [{ place, message: expectation(error) }] : faults(error, place);
}

type Told = (error: ErrorObject, place: Place) => readonly YamlFault[];

/** The keywords whose faults are more than "takes something else". */
const told: Readonly<Record<string, Told>> = {
  additionalProperties: ({ params, parentSchema }, place) => [
    unknownMember([...place, String(params.additionalProperty)], membersOf(parentSchema)),
  ],
  required: ({ params }, place) => [
    { place: [...place, String(params.missingProperty)], message: 'is missing' },
  ],
  dependentRequired: ({ params }, place) => [
    { place: [...place, String(params.missingProperty)], message: `is missing; ${params.property} needs it` },
  ],
  minProperties: ({ parentSchema }, place) => [
    { place, message: `takes at least one of ${membersOf(parentSchema).join(', ')}` },
  ],
  maxProperties: ({ parentSchema }, place) => [
    { place, message: `takes only one of ${membersOf(parentSchema).join(', ')}` },
  ],
  propertyNames: ({ params }, place) => [
    { place: [...place, String(params.propertyName)], message: 'is no legal header name' },
  ],
  minItems: (_error, place) => [{ place, message: 'takes at least one entry' }],
  uniqueItems: ({ data }, place) => repeated(data, place),
  oneOf: ({ schema }, place) => [{ place, message: `takes exactly one of ${alternatives(schema)}` }],
  anyOf: ({ schema }, place) => [{ place, message: `takes at least one of ${alternatives(schema)}` }],
  not: ({ schema }, place) => [{ place, message: `takes only one of ${alternatives([schema])}` }],
};

function unknownMember(place: Place, known: readonly string[]): YamlFault {
  const name = place.at(-1) ?? '';
  const near = nearestWord(name, known);
  // What stands among the keys may be a key: it is repeated only where it is nearly a role.
  if (place[0] === 'keys' && near === undefined) {
    return { place, message: `holds a member that is no role; the roles are ${known.join(', ')}` };
  }
  const hint = near === undefined ? `known here: ${known.join(', ')}` : `did you mean ${near}?`;
  if (place[0] === 'keys') return { place, message: `${nameText(name)} is no role; ${hint}` };
  return { place, message: `is no known member; ${hint}` };
}

/** Each entry of a list that stands in it before. */
function repeated(list: unknown, place: Place): readonly YamlFault[] {
  const seen = new Set<unknown>();
  const faults: YamlFault[] = [];
  for (const [index, entry] of (Array.isArray(list) ? list : []).entries()) {
    if (seen.has(entry))
      faults.push({ place: [...place, String(index)], message: 'stands in the list before' });
    seen.add(entry);
  }
  return faults;
}

/** What a value should have been. */
function expectation({ keyword, params, parentSchema }: ErrorObject): string {
  const title: unknown = parentSchema?.title;
  if (typeof title === 'string' && parentSchema?.type !== 'object') return `takes ${title}`;
  if (keyword === 'enum') return `takes ${oneOf(params.allowedValues)}`;
  if (keyword === 'type') return `takes ${types[String(params.type)] ?? String(params.type)}`;
  return 'is not as its schema describes it';
}

function oneOf(words: unknown): string {
  return `one of ${(words as readonly unknown[]).join(', ')}`;
}

const types: Readonly<Record<string, string>> = {
  object: 'members of its own, indented below it',
  array: 'a list',
  boolean: 'true or false',
};

function membersOf(schema: ErrorObject['parentSchema']): readonly string[] {
  return Object.keys((schema as { readonly properties?: object } | undefined)?.properties ?? {});
}

/** The members that the branches of an alternative require. */
function alternatives(branches: unknown): string {
  return (branches as readonly { readonly required: readonly string[] }[])
    .flatMap(({ required }) => required)
    .join(', ');
}

/** The word of a list that a mistyped one was most likely meant to be; undefined where none is close. */
export function nearestWord(mistyped: string, words: readonly string[]): string | undefined {
  // A text much longer than every word is no mistyped word, and comparing it would take long.
  if (mistyped.length > 80) return undefined;
  const close = words
    .map((word) => ({ word, edits: editsBetween(mistyped.toLowerCase(), word) }))
    .filter(({ word, edits }) => edits <= Math.max(1, Math.floor(word.length / 3)));
  return close.sort((one, other) => one.edits - other.edits)[0]?.word;
}

/** How many letters must be put in, taken out, replaced or swapped with their neighbour to make one word the other. */
function editsBetween(one: string, other: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1] ? 0 : 1;
      const swapped =
        row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + same,
        swapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforeLast = last;
    last = current;
  }
  return last[other.length] ?? 0;
}
