import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { secretName, type ValidNameClass } from '../../generators/secret-name.js';

const seeds = Array.from({ length: 6 }, (_, seed) => seed);
const samples = seeds.map((seed) => fc.sample(secretName.valid(), { seed, numRuns: 500 }));

describe.each(seeds)('legal names of seed %i', (seed) => {
  const names = samples[seed] ?? [];
  const texts = names.map(({ text }) => text);

  it('legal names have every length near the limits', () => {
    const lengths = new Set(texts.map(({ length }) => length));
    expect([1, 2, 254, 255].filter((length) => !lengths.has(length))).toEqual([]);
  });

  it('legal names have digits and underscores in many places', () => {
    for (const sign of [/\d/g, /_/g]) {
      const places = new Set(
        texts
          .filter(({ length }) => length <= 26)
          .flatMap((text) => [...text.matchAll(sign)].map(({ index }) => index)),
      );
      expect(places.size).toBeGreaterThan(12);
    }
    const ends = texts.filter((text) => /\d$/.test(text));
    expect(ends.length).toBeGreaterThan(20);
  });
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

const shrinkingSeeds = Array.from({ length: 12 }, (_, seed) => seed);

/** The legal name that a failing predicate shrinks to, for a seed. */
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
it.each(failing)(
  'a name %s shrinks to the shortest such name, of the plainest characters, from every seed',
  (_what, fails, plain, length) => {
    const ends = shrinkingSeeds.flatMap((seed) => smallest(fails, seed) ?? []);
    expect(ends).not.toEqual([]);
    for (const text of ends) expect([text, text.length]).toEqual([expect.stringMatching(plain), length]);
  },
);
