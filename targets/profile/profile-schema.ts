import { readFileSync } from 'node:fs';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ProfileFault } from './place.js';
import { schemaFault } from './schema-fault.js';

let validate: ValidateFunction | undefined;

function compiled(): ValidateFunction {
  // `verbose` puts the schema that was broken beside each error; its title is the sentence's object.
  validate ??= new Ajv2020({
    strict: true,
    // The alternatives of an object require members that are declared outside of them.
    strictRequired: false,
    allErrors: true,
    verbose: true,
    // A test checks the schema itself.
    validateSchema: false,
  }).compile(profileSchema());
  return validate;
}

/** spec/profile.schema.json, parsed; from the sources and from dist alike. */
function profileSchema(): object {
  return JSON.parse(readFileSync(new URL('../../spec/profile.schema.json', import.meta.url), 'utf8'));
}

/** Where a value breaks the schema of a profile, in plain sentences; empty where it satisfies it. */
export function schemaFaults(value: unknown): readonly ProfileFault[] {
  const validator = compiled();
  if (validator(value)) return [];
  return (validator.errors ?? []).filter(isOwnFault).flatMap(schemaFault);
}

/** Whether an error is no mere part of another one: a branch of an alternative, the pattern of a member's name. */
function isOwnFault({ schemaPath, propertyName }: ErrorObject): boolean {
  return propertyName === undefined && !/\/(?:oneOf|anyOf|not)\/./.test(schemaPath);
}
