import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';

/** Reads a published schema, `report` for spec/report.schema.json. */
export function readSchema(name: string) {
  return JSON.parse(readFileSync(new URL(`../../spec/${name}.schema.json`, import.meta.url), 'utf8'));
}

/** Compiles a published schema, which must be valid draft 2020-12. */
export function compileSchema(name: string) {
  return new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true }).compile(
    readSchema(name),
  );
}
