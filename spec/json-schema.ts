import { readFileSync } from 'node:fs';
import { Ajv2020, type Options, type ValidateFunction } from 'ajv/dist/2020.js';

const validators = new Map<string, ValidateFunction>();

/**
 * Returns the validator of a schema in this folder, compiled once for each set of options.
 * @example schemaValidator('profile') // of profile.schema.json
 */
export function schemaValidator(name: string, options: Options = {}): ValidateFunction {
  const key = JSON.stringify([name, options]);
  const known = validators.get(key);
  if (known !== undefined) return known;
  const schema = readFileSync(new URL(`./${name}.schema.json`, import.meta.url), 'utf8');
  // A test checks the schemas themselves.
  const ajv = new Ajv2020({ validateSchema: false, strict: false, strictNumbers: true, ...options });
  const validate = ajv.compile(JSON.parse(schema) as object);
  validators.set(key, validate);
  return validate;
}
