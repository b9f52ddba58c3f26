import type { ErrorObject } from 'ajv';
import { schemaValidator } from '../spec/json-schema.js';
import { type FileFault, type MemberPath, renderName } from './yaml-file.js';

/** Checks a value against the schema of a file that users write, and fills in defaults. Returns the faults. */
export function findSchemaFaults(schema: 'profile' | 'waivers', value: unknown): readonly FileFault[] {
  // `verbose` adds the broken schema to each error; its title says what a value must be.
  const validate = schemaValidator(schema, { allErrors: true, verbose: true, useDefaults: true });
  if (validate(value)) return [];
  const errors = (validate.errors ?? []).filter(isOwnError);
  const isMistyped = ({ instancePath }: ErrorObject) =>
    errors.some((other) => other.keyword === 'type' && other.instancePath === instancePath);
  // What a value of the right type must have is no news of one of another type.
  return errors
    .filter((error) => error.keyword === 'type' || !isMistyped(error))
    .flatMap(describeSchemaError);
}

/** Whether an error is not just part of another: a branch of an alternative, the pattern of a member's name. */
function isOwnError({ keyword, schemaPath, propertyName }: ErrorObject): boolean {
  return keyword !== 'if' && propertyName === undefined && !/\/(?:oneOf|anyOf|not)\/./.test(schemaPath);
}

/** Describes an error of Ajv, which needs the option `verbose`, as faults for users. */
export function describeSchemaError(error: ErrorObject): readonly FileFault[] {
  const { keyword, instancePath, params, schema, parentSchema } = error;
  const steps = instancePath.split('/').slice(1);
  const place = steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const inMember = (name: unknown, message: string) => [{ place: [...place, String(name)], message }];
  const fault = (message: string) => [{ place, message }];
  const known = listMembers(parentSchema);
  const descriptions: Readonly<Record<string, () => readonly FileFault[]>> = {
    additionalProperties: () => [describeUnknown(place, String(params.additionalProperty), known)],
    required: () => inMember(params.missingProperty, 'is missing'),
    dependentRequired: () => inMember(params.missingProperty, `is missing; ${params.property} needs it`),
    propertyNames: () => inMember(params.propertyName, 'is not a valid header name'),
    minProperties: () => fault(`must have at least one of ${known.join(', ')}`),
    maxProperties: () => fault(`must have only one of ${known.join(', ')}`),
    oneOf: () => fault(`must have exactly one of ${alternatives(schema)}`),
    anyOf: () => fault(`must have at least one of ${alternatives(schema)}`),
    not: () => fault(`must have only one of ${alternatives([schema])}`),
    minItems: () => fault('must have at least one entry'),
    uniqueItems: () => findDuplicates(error.data).flatMap((index) => inMember(index, 'is a duplicate')),
  };
  return descriptions[keyword]?.() ?? fault(describeExpected(error));
}

function describeUnknown(place: MemberPath, name: string, known: readonly string[]): FileFault {
  const near = findNearestWord(name, known);
  const [what, all] = place[0] === 'keys' ? ['role', 'the roles are'] : ['field', 'known here:'];
  // An unknown role may be a misplaced key: it is shown only where it resembles a role.
  const shown = what === 'role' && near !== undefined ? ` ${renderName(name)}` : '';
  const hint = near === undefined ? `${all} ${known.join(', ')}` : `did you mean ${near}?`;
  return { place: [...place, name], message: `unknown ${what}${shown}; ${hint}` };
}

function findDuplicates(list: unknown): readonly number[] {
  const entries: readonly unknown[] = Array.isArray(list) ? list : [];
  const seen = new Set<unknown>();
  return entries.flatMap((entry, index) => (seen.size === seen.add(entry).size ? [index] : []));
}

function describeExpected({ keyword, params, parentSchema }: ErrorObject): string {
  const title: unknown = parentSchema?.title;
  if (typeof title === 'string' && parentSchema?.type !== 'object') return `must be ${title}`;
  if (keyword === 'enum') return `must be one of ${(params.allowedValues as readonly unknown[]).join(', ')}`;
  if (keyword !== 'type') return 'is invalid';
  const [first] = listMembers(parentSchema);
  const suchAs = first === undefined ? '' : ` (such as ${first})`;
  const types: Readonly<Record<string, string>> = {
    array: 'a list',
    boolean: 'true or false',
    object: `a mapping, its members${suchAs} indented below it`,
  };
  return `must be ${types[String(params.type)] ?? String(params.type)}`;
}

function listMembers(schema: ErrorObject['parentSchema']): readonly string[] {
  return Object.keys((schema as { readonly properties?: object } | undefined)?.properties ?? {});
}

/** Lists the members that the branches of an alternative require. */
function alternatives(branches: unknown): string {
  const each = branches as readonly { readonly required: readonly string[] }[];
  return each.flatMap(({ required }) => required).join(', ');
}

/** Returns the word that a mistyped one most likely means; undefined where none is close. */
export function findNearestWord(mistyped: string, words: readonly string[]): string | undefined {
  // Comparing a long text takes long, and it is no mistyped word.
  if (mistyped.length > 80) return undefined;
  const close = words
    .map((word) => ({ word, edits: countEdits(mistyped.toLowerCase(), word) }))
    .filter(({ word, edits }) => edits <= Math.max(1, Math.floor(word.length / 3)));
  return close.sort((one, other) => one.edits - other.edits)[0]?.word;
}

/** Counts the insertions, deletions, substitutions and transpositions between two words (Damerau and Levenshtein). */
function countEdits(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? 0;
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    rows.push(current);
    for (let column = 1; column <= other.length; column++) {
      const [a, b] = [one[row - 1], other[column - 1]];
      const swapped = row > 1 && column > 1 && a === other[column - 2] && b === one[row - 2];
      current[column] = Math.min(
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        at(row - 1, column - 1) + (a === b ? 0 : 1),
        swapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
  }
  return at(one.length, other.length);
}
