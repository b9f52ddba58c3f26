import { createHash } from 'node:crypto';
import type { Mutant } from '../../reference/mutant.js';
import { mutants } from '../../reference/mutants.js';
import type { Variant } from '../../reference/variant.js';
import { variants } from '../../reference/variants.js';
import { matchesOf, UnusablePattern } from '../../spec/id-patterns.js';
import { UsageError } from '../usage-error.js';

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

/** A fifth of the mutants of each area, rounded up, drawn by the seed. */
export function drawFifth(rows: readonly CatalogueRow[], seed: number): ReadonlySet<string> {
  const byArea = new Map<string, string[]>();
  for (const { kind, id } of rows) {
    const [area = ''] = id.split('.');
    if (kind === 'mutant') byArea.set(area, [...(byArea.get(area) ?? []), id]);
  }
  const rank = (id: string) => createHash('sha256').update(`${seed}:${id}`).digest('hex');
  const drawn = [...byArea.values()].flatMap((ids) =>
    ids.sort((one, other) => (rank(one) < rank(other) ? -1 : 1)).slice(0, Math.ceil(ids.length / 5)),
  );
  return new Set(drawn);
}
