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

/** The names and places that lead to a member of a JSON value. */
export type Path = readonly (string | number)[];

/** A copy of a JSON value with one member set; undefined takes it away. */
export function changeMember(value: unknown, path: Path, member: unknown): unknown {
  const copy: unknown = structuredClone(value);
  const last = path.at(-1) ?? '';
  const holder = path.slice(0, -1).reduce((at, step) => Reflect.get(at as object, step), copy) as object;
  if (member === undefined) Reflect.deleteProperty(holder, last);
  else Reflect.set(holder, last, member);
  return copy;
}
