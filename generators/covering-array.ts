/** The factors of a covering array, and which values can be combined in a row. */
export interface ArrayDesign {
  /** How many values each factor has; 0 is the plain one. */
  readonly sizes: readonly number[];
  /** Whether a value is a reason to refuse, which masks the effect of others. The plain value never is. */
  readonly isReason: (factor: number, value: number) => boolean;
  /** Whether two values cannot be combined; false if one of them is plain. */
  readonly excludes?: (one: Cell, other: Cell) => boolean;
  /** Factors that stay plain unless another value covers a new combination. */
  readonly costly?: readonly number[];
}

type Cell = readonly [factor: number, value: number];

/**
 * Makes rows that contain every combination of `strength` values, each in a row without a further reason, which would mask
 * it, and says how many are possible. Greedy: combinations with the most reasons are placed first and so lead the rows. The
 * same seed gives the same rows.
 * @example makeCoveringArray({ sizes: [3, 3, 3], isReason: () => false }, 2, 1).rows.length // 9 to 11
 */
export function makeCoveringArray(design: ArrayDesign, strength: number, seed: number) {
  const filling = new RowFiller(design, strength, makeRandom(seed));
  const combinations = filling.openAll();
  const rows = combinations.flatMap(({ row, number }) => (filling.isOpen(number) ? [filling.fill(row)] : []));
  return { rows, possible: combinations.length };
}

/** Fills rows one after another, each with as many combinations as possible that are not covered yet. */
class RowFiller {
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

  /**
   * Marks every possible combination as open and lists them, those with the most reasons first. Each has a row in which
   * nothing else is set.
   */
  openAll() {
    const empty = this.design.sizes.map(() => unset);
    return this.#groups
      .flatMap((group) => this.#combine(group, empty, 0))
      .map(({ row, number }) => ({ row, number, rank: this.random() - this.#reasonsIn(row).length }))
      .sort((one, other) => one.rank - other.rank);
  }

  #combine(group: Group, row: Row, depth: number): readonly { readonly row: Row; readonly number: number }[] {
    const factor = group.factors[depth];
    if (factor !== undefined)
      return this.#valuesOf(factor)
        .filter((value) => this.#canHold(row, factor, value))
        .flatMap((value) => this.#combine(group, row.with(factor, value), depth + 1));
    const number = this.#numberOf(group, row);
    this.#open[number] = 1;
    return [{ row, number }];
  }

  /**
   * Sets the other factors to the values that cover the most combinations and mask nothing. Returns a value for each factor,
   * and the numbers of the combinations that the row covers: those that include all its reasons.
   */
  fill(start: Row) {
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
      // If no value covers anything, the factor stays plain; costly values come last.
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

  #canHold(row: Row, factor: number, value: number): boolean {
    const { excludes = () => false } = this.design;
    return value === 0 || !row.some((known, other) => known > 0 && excludes([other, known], [factor, value]));
  }
}

/** Factors whose values are combined, and the number of their first combination. */
interface Group {
  readonly factors: readonly number[];
  readonly start: number;
}

type Row = readonly number[];
const unset = -1;

/** Lists the subsets of 0 to `of - 1` that have `size` members, in ascending order. */
function listSubsets(of: number, size: number, from = 0): readonly (readonly number[])[] {
  if (size === 0) return [[]];
  return [...Array(of).keys()]
    .slice(from)
    .flatMap((first) => listSubsets(of, size - 1, first + 1).map((rest) => [first, ...rest]));
}

/** Makes a generator of numbers from 0 up to 1 from a seed (mulberry32). */
export function makeRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns the members of a list in random order. */
export function shuffle<T>(list: readonly T[], random: () => number): readonly T[] {
  return list
    .map((member) => ({ member, rank: random() }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ member }) => member);
}
