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

/** A copy of a JSON value with the member at a dotted path set; undefined takes it away. */
export function changeMember(value: unknown, path: string, member: unknown): unknown {
  const copy: unknown = structuredClone(value);
  const steps = path.split('.');
  const last = steps.pop() ?? '';
  const holder = steps.reduce((at, step) => Reflect.get(at as object, step), copy) as object;
  if (member === undefined) Reflect.deleteProperty(holder, last);
  else Reflect.set(holder, last, member);
  return copy;
}

/** Lists the dotted paths of all members of objects in a value. */
export function listMembers(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const inner = listMembers(member).map((path) => `${name}.${path}`);
    return Array.isArray(value) ? inner : [name, ...inner];
  });
}
