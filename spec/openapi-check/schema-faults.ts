import type { AnySchema } from 'ajv/dist/2020.js';
import { messageOf } from '../thrown.js';
import type { OpenApiFault } from './fault.js';
import { isJsonRecord } from './json-record.js';
import { type LocatedNode, type LocatedNodes, nodesOfKind } from './located-nodes.js';
import { patternComplaint } from './pattern-faults.js';
import { type SchemaCompiler, strictAjv } from './schema-compiler.js';

/**
 * Schemas that Ajv refuses in strict mode, each taken by itself: references and bad patterns are left out, since
 * they have faults of their own and would accuse every schema that refers to the broken one.
 */
export function schemaFaults(nodes: LocatedNodes): OpenApiFault[] {
  const ajv = strictAjv();
  return outermostSchemas(nodes).flatMap((node) =>
    faultOfCompiling(node, () => ajv.compile(standingAlone(node.value) as AnySchema)),
  );
}

/** Schemas that Ajv refuses once their references are followed, although each is sound by itself. */
export function linkedSchemaFaults(nodes: LocatedNodes, compile: SchemaCompiler): OpenApiFault[] {
  return outermostSchemas(nodes).flatMap((node) => faultOfCompiling(node, () => compile(node.where)));
}

function outermostSchemas(nodes: LocatedNodes): LocatedNode[] {
  return nodesOfKind(nodes, 'schema').filter((node) => node.parent?.kind !== 'schema');
}

function faultOfCompiling(node: LocatedNode, compile: () => unknown): OpenApiFault[] {
  try {
    compile();
    return [];
  } catch (error) {
    const message = messageOf(error);
    return [{ where: node.where, kind: 'bad-schema', message }];
  }
}

function standingAlone(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(standingAlone);
  if (!isJsonRecord(value)) return value;
  const kept = Object.entries(value).filter(([key, held]) => !isReported(key, held));
  return Object.fromEntries(
    kept.map(([key, held]) => [key, standingAlone(key === 'patternProperties' ? soundKeys(held) : held)]),
  );
}

function isReported(key: string, held: unknown): boolean {
  if (typeof held !== 'string') return false;
  return key === '$ref' || (key === 'pattern' && patternComplaint(held) !== null);
}

function soundKeys(patternProperties: unknown): unknown {
  if (!isJsonRecord(patternProperties)) return patternProperties;
  const sound = Object.entries(patternProperties).filter(([pattern]) => patternComplaint(pattern) === null);
  return Object.fromEntries(sound);
}
