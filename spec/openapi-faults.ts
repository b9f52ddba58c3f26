import type { OpenApiFault } from './openapi-check/fault.js';
import { isJsonRecord, type JsonRecord } from './openapi-check/json-record.js';
import { locateNodes } from './openapi-check/located-nodes.js';
import { operationFaults } from './openapi-check/operation-faults.js';
import { pathFaults } from './openapi-check/path-faults.js';
import { patternFaults } from './openapi-check/pattern-faults.js';
import { referenceFaults } from './openapi-check/reference-faults.js';
import { compilerFor } from './openapi-check/schema-compiler.js';
import { linkedSchemaFaults, schemaFaults } from './openapi-check/schema-faults.js';
import { valueFaults } from './openapi-check/value-faults.js';

export type { OpenApiFault, OpenApiFaultKind } from './openapi-check/fault.js';

/**
 * What a validator of OpenAPI 3.1 documents lets pass: schemas that do not compile, patterns that are none,
 * examples their schema refuses, paths and parameters that disagree, repeated operation ids, references and
 * security schemes that lead nowhere. Changes nothing, needs no network, throws nothing; empty for a sound
 * document. The document is the interface description of §9, or the control protocol's.
 */
export function openapiFaults(document: unknown): OpenApiFault[] {
  if (!isOpenApiDocument(document)) {
    const message = 'this is no OpenAPI 3.1 document: openapi: 3.1.x and an object paths are needed';
    return [{ where: '', kind: 'not-a-document', message }];
  }
  const nodes = locateNodes(document);
  const compile = compilerFor(document);
  const unsound = [...referenceFaults(nodes), ...patternFaults(nodes), ...schemaFaults(nodes)];
  return [
    ...(unsound.length > 0 ? unsound : linkedSchemaFaults(nodes, compile)),
    ...valueFaults(nodes, compile),
    ...pathFaults(nodes),
    ...operationFaults(nodes),
  ];
}

function isOpenApiDocument(document: unknown): document is JsonRecord {
  if (!isJsonRecord(document) || typeof document.openapi !== 'string') return false;
  return document.openapi.startsWith('3.1.') && isJsonRecord(document.paths);
}
