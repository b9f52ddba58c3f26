/** The factors of a covering array, and what may stand together in one row. */
export interface ArrayDesign {
  /** How many values each factor has; 0 is the plain one. */
  readonly sizes: readonly number[];
  /** Whether a value masks the effect of others. The plain value of a factor never does. */
  readonly isReason: (factor: number, value: number) => boolean;
  /** Whether two values cannot stand together; never where one of them is plain. */
  readonly excludes?: (one: Cell, other: Cell) => boolean;
  /** Factors that stay plain unless another value covers something. */
  readonly costly?: readonly number[];
}

type Cell = readonly [factor: number, value: number];

/** A row: a value for each factor, and the numbers of the combinations that it covers: those that hold all its reasons. */
interface ArrayRow {
  readonly values: readonly number[];
  readonly covers: readonly number[];
}

/** Rows that together hold every possible combination. */
export interface CoveringArray {
  readonly rows: readonly ArrayRow[];
  /** How many combinations are possible. */
  readonly possible: number;
}

/**
 * Makes rows in which every combination of `strength` values occurs without a further reason, which would mask it:
 * greedily, combinations with the most reasons first, so that they lead the rows. The same rows for the same seed.
 * @example makeCoveringArray({ sizes: [3, 3, 3], isReason: () => false }, 2, 1).rows.length // 9 to 11
 */
export function makeCoveringArray(design: ArrayDesign, strength: number, seed: number): CoveringArray {
  const { sizes, isReason, excludes = () => false, costly = [] } = design;
  const random = makeRandom(seed);
  const sizeOf = (factor: number) => sizes[factor] ?? 1;
  const valuesOf = (factor: number) => [...Array(sizeOf(factor)).keys()];
  let total = 0;
  const groups = listSubsets(sizes.length, strength).map((factors) => {
    const start = total;
    total += factors.reduce((product, factor) => product * sizeOf(factor), 1);
    return { factors, start };
  });
  const numberOf = ({ factors, start }: Group, row: Row): number => {
    let number = 0;
    for (const factor of factors) number = number * sizeOf(factor) + (row[factor] ?? unset);
    return start + number;
  };
  const reasonsIn = (row: Row): readonly number[] =>
    row.flatMap((value, factor) => (value > 0 && isReason(factor, value) ? [factor] : []));
  /** Whether a row that does not say it yet may have a value of a factor. */
  const canHold = (row: Row, factor: number, value: number): boolean =>
    value === 0 || !row.some((known, other) => known > 0 && excludes([other, known], [factor, value]));

  const open = new Uint8Array(total);
  const wanted: { readonly row: Row; readonly number: number; readonly rank: number }[] = [];
  const collect = (group: Group, row: Row, depth: number): void => {
    const factor = group.factors[depth];
    if (factor === undefined) {
      const number = numberOf(group, row);
      open[number] = 1;
      wanted.push({ row, number, rank: random() - reasonsIn(row).length });
      return;
    }
    for (const value of valuesOf(factor))
      if (canHold(row, factor, value)) collect(group, row.with(factor, value), depth + 1);
  };
  for (const group of groups)
    collect(
      group,
      sizes.map(() => unset),
      0,
    );
  wanted.sort((one, other) => one.rank - other.rank);

  const rows: ArrayRow[] = [];
  for (const { row: start, number } of wanted) {
    if (open[number] === 0) continue;
    const row = [...start];
    const reasons = reasonsIn(row);
    const unmasked = groups.filter(({ factors }) => reasons.every((reason) => factors.includes(reason)));
    for (const factor of shuffle([...sizes.keys()], random)) {
      if (row[factor] !== unset) continue;
      const complete = unmasked.filter(
        ({ factors }) =>
          factors.includes(factor) && factors.every((member) => member === factor || row[member] !== unset),
      );
      const possible = valuesOf(factor).filter(
        (value) => value === 0 || (!isReason(factor, value) && canHold(row, factor, value)),
      );
      let [best, most] = [0, Number.NEGATIVE_INFINITY];
      for (const value of possible) {
        // Where no value covers anything the row stays plain; a costly one comes last.
        row[factor] = value;
        let rank = value === 0 ? 0.5 : costly.includes(factor) ? -1 : random() - 0.5;
        for (const group of complete) rank += open[numberOf(group, row)] ?? 0;
        if (rank > most) [best, most] = [value, rank];
      }
      row[factor] = best;
    }
    const covers = unmasked.map((group) => numberOf(group, row));
    for (const covered of covers) open[covered] = 0;
    rows.push({ values: row, covers });
  }
  return { rows, possible: wanted.length };
}

/** Factors whose values make up combinations, and the number of the first of these. */
interface Group {
  readonly factors: readonly number[];
  readonly start: number;
}

type Row = readonly number[];
const unset = -1;

/** The subsets of the first numbers that have so many members, in ascending order. */
function listSubsets(of: number, size: number, from = 0): readonly (readonly number[])[] {
  if (size === 0) return [[]];
  return [...Array(of).keys()]
    .slice(from)
    .flatMap((first) => listSubsets(of, size - 1, first + 1).map((rest) => [first, ...rest]));
}

/** Numbers from 0 up to 1 that follow from a seed (mulberry32). */
export function makeRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The members of a list in another order. */
export function shuffle<T>(list: readonly T[], random: () => number): readonly T[] {
  return list
    .map((member) => ({ member, rank: random() }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ member }) => member);
}
