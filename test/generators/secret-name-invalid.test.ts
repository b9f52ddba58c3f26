import fc from 'fast-check';
import { expect, it } from 'vitest';
import { illegalWalk, lookAlikes } from '../../generators/name-catalogue.js';
import {
  addRunPrefix,
  type InvalidName,
  type InvalidNameClass,
  secretName,
} from '../../generators/secret-name.js';
import { brokenRules, isLegal, ruleWords } from './name-rules.js';

const sampleNames = (invalid: fc.Arbitrary<InvalidName>) =>
  Array.from({ length: 8 }, (_, seed) => fc.sample(invalid, { seed, numRuns: 300 }));
const names = sampleNames(secretName.invalid(['routing-ambiguous']));
const all = names.flat();
const ofClass = (word: InvalidNameClass) => all.filter((name) => name.class === word);

it('three hundred cases contain routing-ambiguous names too if any route may be reached', () => {
  const drawn = sampleNames(secretName.invalid());
  for (const sample of drawn)
    expect(sample.filter((name) => name.class === 'routing-ambiguous').length).toBeGreaterThan(5);
  const ambiguous = drawn.flat().filter((name) => name.class === 'routing-ambiguous');
  expect(ambiguous.filter(({ raw }) => isLegal(raw))).toEqual([]);
  for (const word of ['%2F', '%5C', '..', '/'])
    expect(ambiguous.some(({ raw }) => raw.includes(word))).toBe(true);
  expect(ambiguous.some(({ raw }) => raw === '')).toBe(true);
  expect(new Set(ambiguous.map(({ rule }) => rule))).toEqual(new Set(['secret-name.routing']));
});

function isLegalSegment(raw: string): boolean {
  try {
    return isLegal(decodeURIComponent(raw));
  } catch {
    return false;
  }
}

it('no prefix of a run makes an invalid name legal, however long the name is', () => {
  const prefixes = ['plumb', 'plumbxyzxyzxyzabcdabc'];
  const drawn = fc.sample(secretName.invalid(['routing-ambiguous']), { seed: 7, numRuns: 30_000 });
  const tried = [...illegalWalk, ...drawn];
  for (const prefix of prefixes)
    expect(tried.filter(({ raw }) => isLegalSegment(addRunPrefix(prefix, raw)))).toEqual([]);
});

it('an invalid name is sent as one segment of a path', () => {
  expect(all.filter(({ raw }) => !/^[\x21-\x7e]+$/.test(raw) || /[/?#\\]/.test(raw))).toEqual([]);
});

function hasOwnRow({ raw, rule }: InvalidName): boolean {
  const [broken, ...more] = brokenRules(decodeURIComponent(raw));
  return broken !== undefined && more.length === 0 && rule === `secret-name.refuses.${broken}`;
}

it.each(ruleWords)('a name of the class %s breaks its rule and no other, and has its requirement', (word) => {
  const drawn = ofClass(word);
  expect(drawn.length).toBeGreaterThan(20);
  expect(drawn.filter((name) => !hasOwnRow(name) || name.rule !== `secret-name.refuses.${word}`)).toEqual([]);
});

it('white space of every kind appears at both ends', () => {
  const around = ofClass('white-space-around').map(({ raw }) => decodeURIComponent(raw).replace(/\w+/, 'n'));
  const blanks = [' ', '\t', '\n', '\r\n', '\u00a0'];
  expect(new Set(around)).toEqual(new Set(blanks.flatMap((blank) => [`${blank}n`, `n${blank}`])));
});

it('a look-alike differs from the legal name that it looks like', () => {
  for (const { raw, looksLike = '' } of ofClass('look-alike')) {
    expect(isLegal(looksLike)).toBe(true);
    expect(decodeURIComponent(raw)).not.toBe(looksLike);
  }
});

// A no-break space is not ASCII and a line feed is a control character: each has its own requirement.
it('look-alikes and names with white space around break one rule each and have its requirement', () => {
  const mixed = [...ofClass('look-alike'), ...ofClass('white-space-around')];
  expect(mixed.filter((name) => !hasOwnRow(name))).toEqual([]);
  expect(new Set(ofClass('look-alike').map(({ rule }) => rule)).size).toBeGreaterThanOrEqual(6);
});

it.each([256, 257, 260])('a name of %i characters has as many with the prefix of a run', (length) => {
  expect(addRunPrefix('plumb_', 'a'.repeat(length))).toHaveLength(length);
});

it('an invalid name made from any stored name is not legal, and breaks the rule that the case is for', () => {
  const shown = fc.stringMatching(/^[a-z](_?[a-z0-9]){0,120}$/).filter(isLegal);
  fc.assert(
    fc.property(shown, fc.constantFrom(...lookAlikes), (stored, spoil) => {
      const { raw, class: word } = spoil(stored);
      if (word === 'not-utf-8') expect(() => decodeURIComponent(raw)).toThrow(URIError);
      else
        expect(brokenRules(decodeURIComponent(raw))).toContain(
          word === 'encoded-twice' ? 'punctuation' : word,
        );
    }),
    { numRuns: 3_000 },
  );
});
