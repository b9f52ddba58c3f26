import { expect, it } from 'vitest';
import { type ArrayDesign, makeCoveringArray } from '../../generators/covering-array.js';

const plainDesign: ArrayDesign = { sizes: [4, 3, 3, 2, 2], isReason: () => false };
// Of the first three factors every value but the plain one is a reason, and two of them exclude each other.
const limited: ArrayDesign = {
  ...plainDesign,
  isReason: (factor, value) => factor < 3 && value > 0,
  excludes: ([one, value], [other, otherValue]) =>
    Math.min(one, other) === 0 && Math.max(one, other) === 1 && value === 2 && otherValue === 2,
};

/** Returns every combination of this many values, written as `0=1 2=0`. */
function combinationsIn(values: readonly number[], strength: number, from = 0): readonly string[] {
  if (strength === 0) return [''];
  return values.flatMap((value, factor) =>
    factor < from
      ? []
      : combinationsIn(values, strength - 1, factor + 1).map((rest) => `${factor}=${value} ${rest}`),
  );
}

const reasonsIn = (design: ArrayDesign, values: readonly number[]) =>
  values.filter((value, factor) => value > 0 && design.isReason(factor, value)).length;

it.each([2, 3])('the covering array contains every combination of %i values', (strength) => {
  const { rows, possible } = makeCoveringArray(plainDesign, strength, 1);
  const seen = new Set(rows.flatMap(({ values }) => combinationsIn(values, strength)));
  const all = plainDesign.sizes
    .reduce<number[][]>(
      (made, size) => made.flatMap((row) => [...Array(size).keys()].map((value) => [...row, value])),
      [[]],
    )
    .flatMap((row) => combinationsIn(row, strength));
  expect(seen).toEqual(new Set(all));
  expect(possible).toBe(seen.size);
  expect(rows.length).toBeLessThan(strength === 2 ? 18 : 60);
});

it('no row has more reasons than a combination has values, and the rows with the most come first', () => {
  const { rows, possible } = makeCoveringArray(limited, 2, 7);
  const counts = rows.map(({ values }) => reasonsIn(limited, values));
  expect(Math.max(...counts)).toBe(2);
  expect(counts).toEqual([...counts].sort((one, other) => other - one));
  expect(rows.some(({ values }) => values[0] === 2 && values[1] === 2)).toBe(false);
  const seen = new Set(rows.flatMap(({ values }) => combinationsIn(values, 2)));
  expect(seen.size).toBe(possible);
  // One pair of all excludes itself.
  const all = new Set(makeCoveringArray(plainDesign, 2, 1).rows.flatMap(({ covers }) => covers)).size - 1;
  expect(possible).toBe(all);
});

it('a combination counts only in a row without a further reason, which would mask it', () => {
  const { rows, possible } = makeCoveringArray(limited, 2, 3);
  expect(new Set(rows.flatMap(({ covers }) => covers)).size).toBe(possible);
  const unmasked = rows.flatMap(({ values }) => {
    const reasons = reasonsIn(limited, values);
    return combinationsIn(values, 2).filter((combination) => {
      const pairs = [...combination.matchAll(/(\d)=(\d)/g)];
      return pairs.filter(([, factor, value]) => Number(factor) < 3 && Number(value) > 0).length === reasons;
    });
  });
  expect(new Set(unmasked).size).toBe(possible);
});

it('one seed gives the same rows, and another seed gives others', () => {
  expect(makeCoveringArray(limited, 2, 5)).toEqual(makeCoveringArray(limited, 2, 5));
  expect(makeCoveringArray(limited, 2, 5).rows).not.toEqual(makeCoveringArray(limited, 2, 6).rows);
});

it('a costly value appears only where it covers a combination', () => {
  const design: ArrayDesign = { sizes: [9, 9, 2], isReason: () => false, costly: [2] };
  const { rows } = makeCoveringArray(design, 2, 2);
  expect(rows.filter(({ values }) => values[2] === 1).length).toBeLessThan(20);
  expect(rows.length).toBeGreaterThan(80);
});
