import { messageOf } from '../thrown.js';
import type { OpenApiFault } from './fault.js';
import { pointerTo } from './json-pointer.js';
import { isJsonRecord, type JsonRecord } from './json-record.js';
import { type LocatedNodes, nodesOfKind } from './located-nodes.js';

/** What is wrong with a pattern read with the `u` flag, as JSON Schema asks; null where nothing is. */
export function patternComplaint(pattern: string): string | null {
  try {
    new RegExp(pattern, 'u');
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

/** Patterns, and keys of patternProperties, that are no regular expression under the `u` flag. */
export function patternFaults(nodes: LocatedNodes): OpenApiFault[] {
  return nodesOfKind(nodes, 'schema').flatMap(({ value, where }) =>
    isJsonRecord(value) ? patternsOf(value, where).flatMap(faultOfPattern) : [],
  );
}

interface PlacedPattern {
  readonly where: string;
  readonly pattern: string;
}

function patternsOf(schema: JsonRecord, where: string): PlacedPattern[] {
  const { pattern, patternProperties } = schema;
  const own = typeof pattern === 'string' ? [{ where: pointerTo(where, 'pattern'), pattern }] : [];
  const keys = isJsonRecord(patternProperties) ? Object.keys(patternProperties) : [];
  return [
    ...own,
    ...keys.map((key) => ({ where: pointerTo(where, 'patternProperties', key), pattern: key })),
  ];
}

function faultOfPattern({ where, pattern }: PlacedPattern): OpenApiFault[] {
  const complaint = patternComplaint(pattern);
  return complaint === null ? [] : [{ where, kind: 'bad-pattern', message: complaint }];
}
