import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SecretIndex } from '../../targets/secret-index.js';

const run = 16;

function indexOf(values: readonly string[]): SecretIndex {
  const index = new SecretIndex();
  for (const value of values) index.add(value);
  return index;
}

// Two signs and parts in common make values that hold, repeat, reverse and continue one another.
const part = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 9 }),
  fc.constantFrom('key-of-member-', 'KEY-OF-ADMIN-', '0123456789', 'ababababab'),
);
const joinParts = (least: number, most: number) =>
  fc.array(part, { minLength: least, maxLength: most }).map((parts) => parts.join(''));
const values = fc.array(
  joinParts(2, 7).filter((one) => one.length >= run),
  { minLength: 1, maxLength: 8 },
);

function textOf(known: readonly string[]): fc.Arbitrary<string> {
  const piece = fc
    .tuple(fc.constantFrom(...known), fc.nat(40), fc.integer({ min: 1, max: 60 }), fc.nat(3))
    .map(([value, start, length, change]) => {
      const text = value.slice(start, start + length);
      return change === 0 ? reverse(text) : change === 1 ? text.toUpperCase() : text;
    });
  return fc
    .array(fc.oneof(piece, part, fc.constant('.')), { maxLength: 12 })
    .map((pieces) => pieces.join(''));
}

const valuesAndText = values.chain((known) => fc.tuple(fc.constant(known), textOf(known)));

function reverse(text: string): string {
  return [...text].reverse().join('');
}

/** Whether a value holds the same run twice, so that a part of it may match at another place first. */
function repeatsRun(value: string): boolean {
  const starts = Array.from({ length: value.length - run + 1 }, (_, at) => at);
  const runs = new Set(starts.map((at) => value.slice(at, at + run).toLowerCase()));
  return runs.size < starts.length;
}

function writingsOf(known: readonly string[]): readonly string[] {
  return known.flatMap((value) => [value.toLowerCase(), reverse(value.toLowerCase())]);
}

it('the index finds every run of 16 characters in either direction and case, and nothing else', () => {
  fc.assert(
    fc.property(valuesAndText, ([known, text]) => {
      const writings = writingsOf(known);
      const expected = new Set<number>();
      for (let at = 0; at + run <= text.length; at++) {
        const sought = text.slice(at, at + run).toLowerCase();
        if (!writings.some((writing) => writing.includes(sought))) continue;
        for (let next = at; next < at + run; next++) expected.add(next);
      }
      const found = new Set<number>();
      for (const { start, end } of indexOf(known).search(text))
        for (let next = start; next < end; next++) found.add(next);
      expect(found).toEqual(expected);
    }),
    { numRuns: 500 },
  );
});

it('the index finds every value that a text contains whole, even within another', () => {
  fc.assert(
    fc.property(valuesAndText, ([known, text]) => {
      const index = indexOf(known);
      const wholes = index.search(text).filter(({ isWhole }) => isWhole);
      for (const { start, end, value } of wholes)
        expect(writingsOf([index.value(value)])).toContain(text.slice(start, end).toLowerCase());
      // All runs of a value that repeats itself are found, as the test above shows, but not always as one match.
      for (const value of known.filter((one) => !repeatsRun(one)))
        for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1))
          expect(wholes.some(({ start, end }) => start <= at && end >= at + value.length)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

it('the index finds the longest prefix of 6 to 15 characters that ends a text', () => {
  fc.assert(
    fc.property(valuesAndText, ([known, text]) => {
      const writings = writingsOf(known);
      const starts = Array.from({ length: run - 6 }, (_, more) => text.length - run + 1 + more);
      const cut = starts.find(
        (start) =>
          start >= 0 && writings.some((writing) => writing.startsWith(text.slice(start).toLowerCase())),
      );
      expect(indexOf(known).cutAt(text)).toBe(cut);
    }),
    { numRuns: 500 },
  );
});

it('the index prefers the value in the exact case of the text', () => {
  const known = ['Key-Of-Some-Member-0123', 'key-of-some-member-0123', 'KEY-OF-SOME-MEMBER-0123'];
  const index = indexOf(known);
  for (const [at, value] of known.entries())
    expect(index.search(`(${value})`)[0]).toMatchObject({ isWhole: true, value: at });
});

it('the index asks to decode escaped quotes only where a value contains them', () => {
  expect(indexOf(["'sk-0123456789abcdef'"]).hasQuotes).toBe(false);
  expect(indexOf(['sk-with-"quotes"-0123456789']).hasQuotes).toBe(true);
});

it.each([
  ['one sign', 'a'.repeat(4_096), 'a'.repeat(50_000)],
  ['one sign, and is cut again and again', 'a'.repeat(4_096), `${'a'.repeat(4_000)}.`.repeat(10)],
  ['two signs', 'ab'.repeat(2_048), 'ab'.repeat(25_000)],
  ['no more than itself', randomBytes(4_000).toString('hex'), ''],
])('searching parts of a long value of %s costs a few comparisons a character', (_title, value, repeated) => {
  const index = indexOf([value]);
  const text = repeated || value.slice(10).repeat(6);
  index.search(text);
  expect(index.comparisons).toBeLessThan(25 * text.length);
});

describe.each([
  ['nothing', ''],
  ['a beginning', 'sk-or-v1-'],
  ['as much as the head of a JSON web token', 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.'],
])('ten thousand keys that share %s', (_title, shared) => {
  const keys = Array.from({ length: 10_000 }, () => `${shared}${randomBytes(32).toString('hex')}`);
  const index = indexOf(keys);

  it('searching a text that repeats the shared prefix costs a few comparisons for each character', () => {
    const text = `${shared} ${shared}another-end `.repeat(500);
    const before = index.comparisons;
    index.search(text);
    expect(index.comparisons - before).toBeLessThan(10 * text.length);
  });

  it('the index finds each key by itself', () => {
    for (let value = 0; value < keys.length; value += 100) {
      const whole = { start: 7, end: 7 + (keys[value]?.length ?? 0), value, isWhole: true };
      expect(index.search(`Bearer ${keys[value]}`)).toContainEqual(whole);
    }
  });
});
