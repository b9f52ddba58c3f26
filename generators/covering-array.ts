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
  const rows: ArrayRow[] = [];
  const filling = new Filling(design, strength, makeRandom(seed));
  const combinations = filling.openAll();
  for (const { row, number } of combinations) if (filling.isOpen(number)) rows.push(filling.fill(row));
  return { rows, possible: combinations.length };
}

/** A row that holds a combination and nothing else yet. */
interface Combination {
  readonly row: Row;
  readonly number: number;
}

/** Fills rows one after another, so that each covers many combinations that none before it covers. */
class Filling {
  readonly #groups: readonly Group[];
  /** Whether the combination of each number is possible and not covered yet: 1 or 0. */
  readonly #open: Uint8Array;

  constructor(
    private readonly design: ArrayDesign,
    strength: number,
    private readonly random: () => number,
  ) {
    let total = 0;
    this.#groups = listSubsets(design.sizes.length, strength).map((factors) => {
      const start = total;
      total += factors.reduce((product, factor) => product * this.#sizeOf(factor), 1);
      return { factors, start };
    });
    this.#open = new Uint8Array(total);
  }

  isOpen(number: number): boolean {
    return this.#open[number] === 1;
  }

  /** Opens every possible combination, and lists them, those with the most reasons first. */
  openAll(): readonly Combination[] {
    const empty = this.design.sizes.map(() => unset);
    return this.#groups
      .flatMap((group) => this.#combine(group, empty, 0))
      .map(({ row, number }) => ({ row, number, rank: this.random() - this.#reasonsIn(row).length }))
      .sort((one, other) => one.rank - other.rank);
  }

  #combine(group: Group, row: Row, depth: number): readonly Combination[] {
    const factor = group.factors[depth];
    if (factor !== undefined)
      return this.#valuesOf(factor)
        .filter((value) => this.#canHold(row, factor, value))
        .flatMap((value) => this.#combine(group, row.with(factor, value), depth + 1));
    const number = this.#numberOf(group, row);
    this.#open[number] = 1;
    return [{ row, number }];
  }

  /** Gives the other factors values that cover the most, of those that mask nothing. */
  fill(start: Row): ArrayRow {
    const row = [...start];
    const reasons = this.#reasonsIn(row);
    const unmasked = this.#groups.filter(({ factors }) =>
      reasons.every((reason) => factors.includes(reason)),
    );
    for (const factor of shuffle([...row.keys()], this.random))
      if (row[factor] === unset) row[factor] = this.#chooseValue(row, factor, unmasked);
    const covers = unmasked.map((group) => this.#numberOf(group, row));
    for (const covered of covers) this.#open[covered] = 0;
    return { values: row, covers };
  }

  #chooseValue(row: Row, factor: number, unmasked: readonly Group[]): number {
    const { isReason, costly = [] } = this.design;
    const complete = unmasked.filter(
      ({ factors }) =>
        factors.includes(factor) && factors.every((member) => member === factor || row[member] !== unset),
    );
    let [best, most] = [0, Number.NEGATIVE_INFINITY];
    for (const value of this.#valuesOf(factor)) {
      if (value > 0 && (isReason(factor, value) || !this.#canHold(row, factor, value))) continue;
      // Where no value covers anything the row stays plain; a costly one comes last.
      let rank = value === 0 ? 0.5 : costly.includes(factor) ? -1 : this.random() - 0.5;
      const filled = row.with(factor, value);
      for (const group of complete) rank += this.#open[this.#numberOf(group, filled)] ?? 0;
      if (rank > most) [best, most] = [value, rank];
    }
    return best;
  }

  #sizeOf(factor: number): number {
    return this.design.sizes[factor] ?? 1;
  }

  #valuesOf(factor: number): readonly number[] {
    return [...Array(this.#sizeOf(factor)).keys()];
  }

  #numberOf({ factors, start }: Group, row: Row): number {
    let number = 0;
    for (const factor of factors) number = number * this.#sizeOf(factor) + (row[factor] ?? unset);
    return start + number;
  }

  #reasonsIn(row: Row): readonly number[] {
    const { isReason } = this.design;
    return row.flatMap((value, factor) => (value > 0 && isReason(factor, value) ? [factor] : []));
  }

  /** Whether a row that has no value of a factor yet may have one. */
  #canHold(row: Row, factor: number, value: number): boolean {
    const { excludes = () => false } = this.design;
    return value === 0 || !row.some((known, other) => known > 0 && excludes([other, known], [factor, value]));
  }
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
