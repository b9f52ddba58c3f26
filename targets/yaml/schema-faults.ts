import { readFileSync } from 'node:fs';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { YamlFault } from './place.js';
import { schemaFault } from './schema-fault.js';

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
  return JSON.parse(readFileSync(new URL(`../../spec/${schema}`, import.meta.url), 'utf8'));
}

/** Whether an error is no mere part of another one: a branch of an alternative, the pattern of a member's name. */
function isOwnFault({ keyword, schemaPath, propertyName }: ErrorObject): boolean {
  return keyword !== 'if' && propertyName === undefined && !/\/(?:oneOf|anyOf|not)\/./.test(schemaPath);
}
