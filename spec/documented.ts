import { openapiDocument } from './generated/openapi.js';
import type { Operation } from './vocabulary.js';

/** The operations that openapi.yaml describes; the inference route is the target's own. */
export type DocumentedOperation = Exclude<Operation, 'inference'>;

const operationIds: Readonly<Record<string, DocumentedOperation>> = {
  deleteInternSecret: 'vault-delete',
  readGuardrail: 'guardrail-read',
  readKey: 'key-info',
};

function members(value: unknown): readonly (readonly [string, unknown])[] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

function member(value: unknown, name: string): unknown {
  return members(value).find(([key]) => key === name)?.[1];
}

function statusesByOperation(): ReadonlyMap<DocumentedOperation, ReadonlySet<number>> {
  const found = new Map<DocumentedOperation, ReadonlySet<number>>();
  for (const [, item] of members(member(openapiDocument, 'paths'))) {
    for (const [, operation] of members(item)) {
      const id = operationIds[String(member(operation, 'operationId'))];
      if (id === undefined) continue;
      found.set(id, new Set(members(member(operation, 'responses')).map(([status]) => Number(status))));
    }
  }
  return found;
}

let statuses: ReadonlyMap<DocumentedOperation, ReadonlySet<number>> | undefined;

/** Whether openapi.yaml names a status for an operation (§4, §7.1 and §7.2, and §7.3 where the operation can take it on). */
export function isDocumented(operation: DocumentedOperation, status: number): boolean {
  statuses ??= statusesByOperation();
  return statuses.get(operation)?.has(status) ?? false;
}
