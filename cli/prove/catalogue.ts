import { createHash } from 'node:crypto';
import type { Mutant } from '../../reference/mutant.js';
import { mutants } from '../../reference/mutants.js';
import { decisionsOf, type Variant } from '../../reference/variant.js';
import { variants } from '../../reference/variants.js';
import { matchesOf, UnusablePattern } from '../../spec/id-patterns.js';
import { UsageError } from '../../spec/thrown.js';

/** One server of the catalogue. */
export type CatalogueRow = ({ readonly kind: 'mutant' } & Mutant) | ({ readonly kind: 'variant' } & Variant);

/** Every server of the catalogue, mutants first. */
export const catalogue: readonly CatalogueRow[] = [
  ...mutants.map((row) => ({ kind: 'mutant' as const, ...row })),
  ...variants.map((row) => ({ kind: 'variant' as const, ...row })),
];

/** The server of an id, of the kind asked for where one is. Throws UsageError where there is none. */
export function catalogued(id: string, kind?: CatalogueRow['kind']): CatalogueRow {
  const row = catalogue.find(
    (candidate) => candidate.id === id && (kind ?? candidate.kind) === candidate.kind,
  );
  if (row === undefined) {
    throw new UsageError(
      `There is no ${kind ?? 'mutant or variant'} ${id}. \`plumbline prove --list\` names them all.`,
    );
  }
  return row;
}

/** The servers of the everyday proof. */
const everyday: readonly CatalogueRow[] = catalogue.filter((row) => row.everyday);

/**
 * The servers that the globs name; where there are none, those of the everyday proof, or all. Throws UsageError where
 * a glob names nothing.
 */
export function named(globs: readonly string[], all: boolean): readonly CatalogueRow[] {
  if (globs.length === 0) return all ? catalogue : everyday;
  const chosen = new Set<CatalogueRow>();
  const matches = matched(globs);
  for (const [glob, ids] of matches) {
    const found = catalogue.filter(({ id }) => ids.includes(id));
    if (found.length === 0)
      throw new UsageError(
        `--only ${glob} names no mutant and no variant. \`plumbline prove --list\` names them all.`,
      );
    for (const row of found) chosen.add(row);
  }
  return catalogue.filter((row) => chosen.has(row));
}

function matched(globs: readonly string[]): ReadonlyMap<string, readonly string[]> {
  try {
    return matchesOf(
      globs,
      catalogue.map(({ id }) => id),
    );
  } catch (error) {
    throw error instanceof UnusablePattern ? new UsageError(error.message) : error;
  }
}

/** A fifth of the mutants, spread evenly over the areas and chosen by the seed. */
export function drawFifth(rows: readonly CatalogueRow[], seed: number): ReadonlySet<string> {
  const rank = rankBy(seed);
  const inOrder = rows
    .filter(({ kind }) => kind === 'mutant')
    .map(({ id }) => ({ id, place: `${id.split('.')[0]} ${rank(id)}` }))
    .sort((one, other) => (one.place < other.place ? -1 : 1));
  return new Set(inOrder.filter((_, at) => at % 5 === seed % 5).map(({ id }) => id));
}

/**
 * Groups of variants that are judged in one server each, as few as possible, chosen by the seed. No two of a group change the
 * same decision of the reference. A variant that disturbs a run, or offers less, has a server of its own.
 */
export function groupVariants(rows: readonly CatalogueRow[], seed: number): readonly (readonly string[])[] {
  const rank = rankBy(seed);
  const variants = rows.flatMap((row) => (row.kind === 'variant' ? [row] : []));
  const isAlone = ({ offers, mayEnd, maxTimeS }: Variant) => (offers ?? mayEnd ?? maxTimeS) !== undefined;
  const groups: { readonly ids: string[]; readonly taken: Set<string> }[] = [];
  const toPlace = variants
    .filter((variant) => !isAlone(variant))
    .map(({ id, override }) => ({ id, decisions: decisionsOf(override), place: rank(id) }))
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

function rankBy(seed: number): (id: string) => string {
  return (id) => createHash('sha256').update(`${seed}:${id}`).digest('hex');
}
