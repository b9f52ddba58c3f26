import fc from 'fast-check';
import { expect, it } from 'vitest';
import { secretName, type ValidNameClass } from '../../generators/secret-name.js';

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
it.each(failing)(
  'a name %s shrinks to the shortest such name, of the plainest characters, from every seed',
  (_what, fails, plain, length) => {
    const ends = Array.from({ length: 12 }, (_, seed) => smallest(fails, seed) ?? []).flat();
    expect(ends).not.toEqual([]);
    for (const text of ends) expect([text, text.length]).toEqual([expect.stringMatching(plain), length]);
  },
);
