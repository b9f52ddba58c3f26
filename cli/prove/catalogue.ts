import { createHash } from 'node:crypto';
import type { Mutant } from '../../reference/mutant.js';
import { mutants } from '../../reference/mutants.js';
import { decisionsOf, type Variant } from '../../reference/variant.js';
import { variants } from '../../reference/variants.js';
import { matchIds } from '../../spec/id-patterns.js';
import { ledger } from '../../spec/ledger.js';
import { UsageError } from '../../spec/thrown.js';

/** One server of the catalogue. */
export type CatalogueRow =
  /** `section` is where the document states the first requirement that the mutant violates. */
  ({ readonly kind: 'mutant'; readonly section: string } & Mutant) | ({ readonly kind: 'variant' } & Variant);

/** Every server of the catalogue, mutants first. */
export const catalogue: readonly CatalogueRow[] = [
  ...mutants.map((row) => ({
    kind: 'mutant' as const,
    section: ledger.find(({ id }) => id === row.violates[0])?.section ?? '',
    ...row,
  })),
  ...variants.map((row) => ({ kind: 'variant' as const, ...row })),
];

/** Finds a server of the catalogue. Throws UsageError if there is none. */
export function findServer(id: string, kind?: CatalogueRow['kind']): CatalogueRow {
  const row = catalogue.find((one) => one.id === id && (kind === undefined || one.kind === kind));
  if (row === undefined)
    throw new UsageError(
      `unknown ${kind ?? 'mutant or variant'} ${id}. "plumbline prove --list" lists the IDs.`,
    );
  return row;
}

/** Selects the servers that match globs; without globs the everyday ones, or all. Throws UsageError for a glob without a match. */
export function selectServers(globs: readonly string[], all: boolean): readonly CatalogueRow[] {
  if (globs.length === 0) return catalogue.filter((row) => all || row.everyday);
  const ids = catalogue.map(({ id }) => id);
  const matches = matchIds(globs, ids);
  for (const [glob, found] of matches) {
    if (found.length === 0)
      throw new UsageError(
        `--only ${glob} matches no mutant or variant. "plumbline prove --list" lists the IDs.`,
      );
  }
  const chosen = new Set([...matches.values()].flat());
  return catalogue.filter(({ id }) => chosen.has(id));
}

/** Draws a twentieth of the mutants by the seed, spread evenly over the areas. */
export function drawTwentieth(rows: readonly CatalogueRow[], seed: number): ReadonlySet<string> {
  const rank = makeRank(seed);
  const inOrder = rows
    .filter(({ kind }) => kind === 'mutant')
    .map(({ id }) => ({ id, place: `${id.split('.')[0]} ${rank(id)}` }))
    .sort((one, other) => (one.place < other.place ? -1 : 1));
  return new Set(inOrder.filter((_, at) => at % 20 === seed % 20).map(({ id }) => id));
}

/** Groups variants by the seed into few servers, no two of a group changing the same decision or disturbing others. */
export function groupVariants(rows: readonly CatalogueRow[], seed: number): readonly (readonly string[])[] {
  const rank = makeRank(seed);
  const variants = rows.flatMap((row) => (row.kind === 'variant' ? [row] : []));
  const isAlone = ({ capabilities, mayEnd, maxTimeS }: Variant) =>
    (capabilities ?? mayEnd ?? maxTimeS) !== undefined;
  const groups: { readonly ids: string[]; readonly taken: Set<string> }[] = [];
  const toPlace = variants
    .filter((variant) => !isAlone(variant))
    .map(({ id, mutation }) => ({ id, decisions: decisionsOf(mutation), place: rank(id) }))
    .sort(
      (one, other) => other.decisions.length - one.decisions.length || (one.place < other.place ? -1 : 1),
    );
  for (const { id, decisions } of toPlace) {
    const [smallest = { ids: [], taken: new Set<string>() }] = groups
      .filter(({ taken }) => !decisions.some((decision) => taken.has(decision)))
      .sort((one, other) => one.ids.length - other.ids.length);
    if (smallest.ids.length === 0) groups.push(smallest);
    smallest.ids.push(id);
    for (const decision of decisions) smallest.taken.add(decision);
  }
  return [...variants.filter(isAlone).map(({ id }) => [id]), ...groups.map(({ ids }) => ids)];
}

function makeRank(seed: number): (id: string) => string {
  return (id) => createHash('sha256').update(`${seed}:${id}`).digest('hex');
}
