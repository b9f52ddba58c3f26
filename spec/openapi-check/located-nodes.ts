import { pointerInReference, pointerTo } from './json-pointer.js';
import { isJsonRecord, type JsonRecord } from './json-record.js';
import { anyMember, type MemberShape, type NodeKind, openApiShape } from './openapi-shape.js';

/** One object of an OpenAPI document with its place in it. */
export interface LocatedNode {
  readonly kind: NodeKind;
  /** JSON pointer, empty for the document itself. */
  readonly where: string;
  /** The member name or index that leads here from what holds it. */
  readonly name: string;
  readonly value: unknown;
  readonly parent: LocatedNode | null;
}

/** Every object of an OpenAPI document, found by its place. */
export type LocatedNodes = ReadonlyMap<string, LocatedNode>;

/** Finds every object of the document that `openApiShape` knows; what has another form is passed over. */
export function locateNodes(document: JsonRecord): LocatedNodes {
  const found = new Map<string, LocatedNode>();
  locate({ kind: 'document', where: '', name: '', value: document, parent: null }, found);
  return found;
}

/** The objects of one kind. */
export function nodesOfKind(nodes: LocatedNodes, kind: NodeKind): LocatedNode[] {
  return [...nodes.values()].filter((node) => node.kind === kind);
}

/** The objects of one kind that stand directly in another. */
export function childrenOfKind(nodes: LocatedNodes, parent: LocatedNode, kind: NodeKind): LocatedNode[] {
  return nodesOfKind(nodes, kind).filter((node) => node.parent === parent);
}

/** The text of an object's `$ref`; null where it has none. */
export function referenceOf(node: LocatedNode): string | null {
  if (!isJsonRecord(node.value)) return null;
  const reference = node.value.$ref;
  return typeof reference === 'string' ? reference : null;
}

/** What an object's `$ref` leads to in one step; null where that is nothing in the document. */
export function directReferent(nodes: LocatedNodes, node: LocatedNode): LocatedNode | null {
  const reference = referenceOf(node);
  const pointer = reference === null ? null : pointerInReference(reference);
  return pointer === null ? null : (nodes.get(pointer) ?? null);
}

/** The object itself, or the one its references lead to; null where they lead to nothing or in a circle. */
export function referent(nodes: LocatedNodes, node: LocatedNode): LocatedNode | null {
  const passed = new Set<LocatedNode>();
  let current: LocatedNode | null = node;
  while (current !== null && referenceOf(current) !== null) {
    if (passed.has(current)) return null;
    passed.add(current);
    current = directReferent(nodes, current);
  }
  return current;
}

function locate(node: LocatedNode, found: Map<string, LocatedNode>): void {
  found.set(node.where, node);
  for (const child of childrenOf(node)) locate(child, found);
}

function childrenOf(node: LocatedNode): LocatedNode[] {
  const value = node.value;
  if (!isJsonRecord(value)) return [];
  return Object.entries(value).flatMap(([member, held]) => {
    const shape = shapeOfMember(node.kind, member);
    return shape === null ? [] : heldNodes(node, member, held, shape);
  });
}

function shapeOfMember(kind: NodeKind, member: string): MemberShape | null {
  const members = openApiShape[kind];
  return Object.hasOwn(members, member) ? (members[member] ?? null) : (members[anyMember] ?? null);
}

function heldNodes(parent: LocatedNode, member: string, held: unknown, shape: MemberShape): LocatedNode[] {
  const where = pointerTo(parent.where, member);
  if (shape.holds === 'one') return [{ kind: shape.kind, where, name: member, value: held, parent }];
  const entries = entriesOf(held, shape.holds);
  return entries.map(([name, value]) => ({
    kind: shape.kind,
    where: pointerTo(where, name),
    name,
    value,
    parent,
  }));
}

function entriesOf(held: unknown, holds: 'list' | 'map'): [string, unknown][] {
  const fits = holds === 'list' ? Array.isArray(held) : isJsonRecord(held);
  return fits ? Object.entries(held as object) : [];
}
