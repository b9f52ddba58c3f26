import type { OpenApiFault } from './fault.js';
import { pointerTo } from './json-pointer.js';
import { isJsonRecord } from './json-record.js';
import { type LocatedNode, type LocatedNodes, nodesOfKind } from './located-nodes.js';

/** Operation ids given twice, and security requirements that name no declared scheme. */
export function operationFaults(nodes: LocatedNodes): OpenApiFault[] {
  return [...repeatedOperationIds(nodes), ...unknownSecuritySchemes(nodes)];
}

function repeatedOperationIds(nodes: LocatedNodes): OpenApiFault[] {
  const firstWith = new Map<string, LocatedNode>();
  return nodesOfKind(nodes, 'operation').flatMap((operation): OpenApiFault[] => {
    const id = isJsonRecord(operation.value) ? operation.value.operationId : undefined;
    if (typeof id !== 'string') return [];
    const first = firstWith.get(id);
    if (first === undefined) {
      firstWith.set(id, operation);
      return [];
    }
    const message = `operationId ${id} is already that of ${first.where}`;
    return [{ where: pointerTo(operation.where, 'operationId'), kind: 'repeated-operation-id', message }];
  });
}

function unknownSecuritySchemes(nodes: LocatedNodes): OpenApiFault[] {
  const declared = new Set(nodesOfKind(nodes, 'securityScheme').map(({ name }) => name));
  const holders = [...nodesOfKind(nodes, 'document'), ...nodesOfKind(nodes, 'operation')];
  return holders.flatMap(securityRequirements).flatMap(({ scheme, where }): OpenApiFault[] => {
    if (declared.has(scheme)) return [];
    return [{ where, kind: 'unknown-security-scheme', message: `no security scheme is called ${scheme}` }];
  });
}

function securityRequirements(holder: LocatedNode): { scheme: string; where: string }[] {
  const security = isJsonRecord(holder.value) ? holder.value.security : undefined;
  const listed: readonly unknown[] = Array.isArray(security) ? security : [];
  return listed.flatMap((requirement, index) =>
    Object.keys(isJsonRecord(requirement) ? requirement : {}).map((scheme) => ({
      scheme,
      where: pointerTo(holder.where, 'security', index, scheme),
    })),
  );
}
