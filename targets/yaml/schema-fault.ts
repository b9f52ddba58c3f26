import type { ErrorObject } from 'ajv';
import { nearestWord } from './nearest-word.js';
import { nameText, type Place, placeOf, type YamlFault } from './place.js';

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
