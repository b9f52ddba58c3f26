import type { ValidateFunction } from 'ajv/dist/2020.js';
import { messageOf } from '../thrown.js';
import type { OpenApiFault } from './fault.js';
import { pointerTo } from './json-pointer.js';
import { isJsonRecord, type JsonRecord } from './json-record.js';
import { childrenOfKind, type LocatedNode, type LocatedNodes, referent } from './located-nodes.js';
import type { NodeKind } from './openapi-shape.js';
import type { SchemaCompiler } from './schema-compiler.js';

interface StatedValue {
  readonly where: string;
  readonly value: unknown;
  /** JSON pointer of the schema that has to accept the value. */
  readonly schema: string;
  readonly kind: 'example-refused' | 'default-refused';
}

/** Examples and defaults that their own schema refuses. A schema that does not compile is reported elsewhere. */
export function valueFaults(nodes: LocatedNodes, compile: SchemaCompiler): OpenApiFault[] {
  return [...nodes.values()]
    .flatMap((node) => statedValues(nodes, node))
    .flatMap((stated) => {
      const refusal = refusalOf(stated, compile);
      return refusal === null ? [] : [{ where: stated.where, kind: stated.kind, message: refusal }];
    });
}

const kindsWithExamples: ReadonlySet<NodeKind> = new Set(['mediaType', 'parameter', 'header']);

function statedValues(nodes: LocatedNodes, node: LocatedNode): StatedValue[] {
  if (!isJsonRecord(node.value)) return [];
  if (node.kind === 'schema') return [...defaultOf(node, node.value), ...examplesInSchema(node, node.value)];
  if (!kindsWithExamples.has(node.kind) || node.value.schema === undefined) return [];
  const schema = pointerTo(node.where, 'schema');
  return [...exampleOf(node, node.value, schema), ...namedExamples(nodes, node, schema)];
}

function defaultOf(node: LocatedNode, schema: JsonRecord): StatedValue[] {
  if (!Object.hasOwn(schema, 'default')) return [];
  const where = pointerTo(node.where, 'default');
  return [{ where, value: schema.default, schema: node.where, kind: 'default-refused' }];
}

function exampleOf(node: LocatedNode, holder: JsonRecord, schema: string): StatedValue[] {
  if (!Object.hasOwn(holder, 'example')) return [];
  return [
    { where: pointerTo(node.where, 'example'), value: holder.example, schema, kind: 'example-refused' },
  ];
}

function examplesInSchema(node: LocatedNode, schema: JsonRecord): StatedValue[] {
  const listed: readonly unknown[] = Array.isArray(schema.examples) ? schema.examples : [];
  const inList = listed.map((value, index): StatedValue => {
    return {
      where: pointerTo(node.where, 'examples', index),
      value,
      schema: node.where,
      kind: 'example-refused',
    };
  });
  return [...exampleOf(node, schema, node.where), ...inList];
}

function namedExamples(nodes: LocatedNodes, node: LocatedNode, schema: string): StatedValue[] {
  return childrenOfKind(nodes, node, 'example').flatMap((named): StatedValue[] => {
    const example = referent(nodes, named)?.value;
    if (!isJsonRecord(example) || !Object.hasOwn(example, 'value')) return [];
    return [{ where: named.where, value: example.value, schema, kind: 'example-refused' }];
  });
}

function refusalOf(stated: StatedValue, compile: SchemaCompiler): string | null {
  const accepts = compiledOrNull(stated.schema, compile);
  if (accepts === null) return null;
  try {
    if (accepts(stated.value)) return null;
    return refusalMessage(accepts);
  } catch (error) {
    // A schema that contains itself compiles, and then never ends.
    return `could not be judged: ${messageOf(error)}`;
  }
}

function compiledOrNull(where: string, compile: SchemaCompiler): ValidateFunction | null {
  try {
    return compile(where);
  } catch {
    return null;
  }
}

function refusalMessage(refusing: ValidateFunction): string {
  const [first] = refusing.errors ?? [];
  return first === undefined ? 'refused by its schema' : `${first.instancePath} ${first.message}`.trim();
}
