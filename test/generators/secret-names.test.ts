import fc from 'fast-check';
import { expect, it } from 'vitest';
import { illegalWalk, lookAlikes } from '../../generators/name-catalogue.js';
import {
  addRunPrefix,
  type InvalidName,
  type InvalidNameClass,
  invalidNameClasses,
  secretName,
  type ValidNameClass,
} from '../../generators/secret-name.js';
import { brokenRules, isLegal, ruleWords } from './name-rules.js';

const samples = Array.from({ length: 6 }, (_, seed) => fc.sample(secretName.valid(), { seed, numRuns: 500 }));

it('legal names have every length near the limits, and digits and underscores in many places, with every seed', () => {
  for (const texts of samples.map((names) => names.map(({ text }) => text))) {
    expect(texts.map(({ length }) => length)).toEqual(expect.arrayContaining([1, 2, 254, 255]));
    const short = texts.filter(({ length }) => length <= 26);
    for (const sign of [/\d/g, /_/g]) {
      const places = short.flatMap((text) => [...text.matchAll(sign)].map(({ index }) => index));
      expect(new Set(places).size).toBeGreaterThan(12);
    }
    expect(texts.filter((text) => /\d$/.test(text)).length).toBeGreaterThan(20);
  }
});

const classOf = (text: string): ValidNameClass => {
  if (text.length < 3) return 'shortest';
  if (text.length > 253) return 'longest';
  if (/_/.test(text)) return 'underscores';
  return /[0-9]/.test(text) ? 'digits' : 'letters';
};

it('every legal name is sent unchanged, and has its class and the requirement that accepts it', () => {
  for (const name of samples.flat()) {
    expect(name).toMatchObject({
      raw: name.text,
      class: classOf(name.text),
      rule: `secret-name.accepts.${name.class}`,
    });
  }
});

function smallest(fails: (text: string) => boolean, seed: number): string | undefined {
  const property = fc.property(secretName.valid(), ({ text }) => !fails(text));
  return fc.check(property, { seed, numRuns: 300 }).counterexample?.[0]?.text;
}

const failing = [
  ['whatever it is', () => true, /^a+$/, 1],
  ['longer than 1', (text: string) => text.length > 1, /^a+$/, 2],
  ['longer than 64', (text: string) => text.length > 64, /^a+$/, 65],
  ['with a digit', (text: string) => /\d/.test(text), /^a+0a*$/, 2],
  ['with an underscore', (text: string) => text.includes('_'), /^a+_a+$/, 3],
  ['with a z', (text: string) => text.includes('z'), /^a*za*$/, 1],
] as const;

// A border length (254, 255) shrinks to a border only, and a drawn length below 25 never below 3.
it.each(failing)('a name %s shrinks to the shortest, plainest such name', (_what, fails, plain, length) => {
  const ends = Array.from({ length: 12 }, (_, seed) => smallest(fails, seed) ?? []).flat();
  expect(ends).not.toEqual([]);
  for (const text of ends) expect([text, text.length]).toEqual([expect.stringMatching(plain), length]);
});

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

it.each([1, 2, 3])(
  'as many illegal names as a standard run draws are of every class, with seed %i',
  (seed) => {
    const drawn = fc.sample(secretName.invalid(), { seed, numRuns: 180 }).map((name) => name.class);
    expect(new Set(drawn)).toEqual(new Set(invalidNameClasses));
  },
);
