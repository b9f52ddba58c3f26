import type { OpenApiFault } from './fault.js';
import { pointerInReference } from './json-pointer.js';
import { directReferent, type LocatedNode, type LocatedNodes, referenceOf } from './located-nodes.js';

/** References that leave the document, lead to nothing, to another kind of object, or in a circle. */
export function referenceFaults(nodes: LocatedNodes): OpenApiFault[] {
  return [...nodes.values()].flatMap((node) => {
    const reference = referenceOf(node);
    const complaint = reference === null ? null : complaintAbout(nodes, node, reference);
    if (complaint === null) return [];
    return [{ where: node.where, kind: 'unresolved-reference', message: `$ref ${reference} ${complaint}` }];
  });
}

function complaintAbout(nodes: LocatedNodes, node: LocatedNode, reference: string): string | null {
  if (pointerInReference(reference) === null) return 'is not a JSON pointer within the document';
  const target = directReferent(nodes, node);
  if (target === null) return 'leads to nothing';
  if (target.kind !== node.kind) return `leads to a ${target.kind} where a ${node.kind} is due`;
  // A chain that breaks further on is reported where it breaks; a circle breaks nowhere.
  return leadsInCircle(nodes, node) ? 'leads in a circle' : null;
}

function leadsInCircle(nodes: LocatedNodes, start: LocatedNode): boolean {
  const passed = new Set<LocatedNode>();
  for (let node: LocatedNode | null = start; node !== null; node = directReferent(nodes, node)) {
    if (passed.has(node)) return true;
    passed.add(node);
  }
  return false;
}
