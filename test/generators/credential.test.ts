import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  alterKey,
  type CredentialWord,
  makeHeader as headerFor,
  invalidCredentials,
  openCredentials,
  otherSchemes,
} from '../../generators/credential.js';
import type { Role } from '../../spec/vocabulary.js';

const makeHeader = (word: Exclude<CredentialWord, Role>, key: string): string | undefined =>
  headerFor(word, key, (text) => text === key);
const inOtherCase = (key: string) => alterKey('other-case', key, () => false);
const scramble = (key: string) => alterKey('unknown-same-shape', key, () => false) ?? '';

const keys = [
  'sk-or-v1-0f3a9c2e7b',
  'sk-AbCdEf0123456789',
  'pk_live_9Z',
  'abcdefgh',
  'ABCDEFGH',
  'deadbeef-0000-4000-8000-feedfacecafe',
  'sk-endsinx',
];
const keysWithoutLetters = ['1234567890', '0000-1111-2222'];
const shortKeys = ['keyx', 'k9', 'x'];
const keysOfSigns = ['sk-=====', 'ab.:-_.~'];

const goodHeader = (key: string) => `Bearer ${key}`;

describe.each([...keys, ...keysWithoutLetters, ...shortKeys, ...keysOfSigns])(
  'headers of the key %s',
  (key) => {
    // What has no letters, or nothing to change after its fourth character, must not stay the good key.
    it.each([...invalidCredentials, ...otherSchemes])(
      'the header %s differs from the correct one',
      (word) => {
        expect(makeHeader(word, key)?.trim()).not.toBe(goodHeader(key));
      },
    );

    it.each(otherSchemes)('the header %s contains the key with a scheme other than Bearer', (word) => {
      const header = makeHeader(word, key) ?? '';
      const encoded = Buffer.from(`${key}:`).toString('base64');
      expect(header.endsWith(key) || header.endsWith(encoded)).toBe(true);
      expect(header).not.toMatch(/^bearer /i);
    });

    it('an open spelling contains the key with the scheme Bearer, once or twice', () => {
      for (const word of openCredentials) {
        expect(makeHeader(word, key)).not.toBe(goodHeader(key));
        expect(makeHeader(word, key)?.replaceAll(key, 'k')).toMatch(/^bearer +k(, Bearer k)?$/i);
      }
    });
  },
);

it('a missing header has no value, and an empty header has an empty one', () => {
  expect(makeHeader('none', 'sk-1')).toBeUndefined();
  expect(makeHeader('empty', 'sk-1')).toBe('');
});

it('a key in the other case differs in every letter and nothing else', () => {
  expect(inOtherCase('sk-AbC1_')).toBe('SK-aBc1_');
});

it('a scrambled key keeps its length, its prefix and the kind of each character', () => {
  const kinds = (text: string) => text.replace(/[a-z]/g, 'a').replace(/[A-Z]/g, 'A').replace(/\d/g, '0');
  for (const key of keys) {
    expect(kinds(scramble(key))).toBe(kinds(key));
    expect(scramble(key).slice(0, 4)).toBe(key.slice(0, 4));
  }
});

it('no two invalid headers of one key are the same', () => {
  const words = [...invalidCredentials, ...otherSchemes];
  const made = words.map((word) => makeHeader(word, 'sk-or-v1-0f3a9c2e7b'));
  expect(new Set(made).size).toBe(words.length);
});

const alphabets = ['a', '0', '-', 'ab', '01', 'aA', '-_', 'abcdefghijklmnopqrstuvwxyz', 'x', 'xyz'];
const key = fc
  .constantFrom(...alphabets)
  .chain((signs) => fc.string({ unit: fc.constantFrom(...signs), minLength: 12, maxLength: 20 }));

it('no invalid header contains a key of the run, however similar its keys are', () => {
  fc.assert(
    fc.property(fc.array(key, { minLength: 1, maxLength: 40 }), ([first = '', ...others]) => {
      const neighbours = [`${first}x`, first.slice(0, -1), first.toUpperCase(), `${first.slice(0, -1)}x`];
      const known = new Set([first, ...others, ...neighbours, 'plumbline-unknown-key']);
      // These contain the key, and are invalid because of what is next to it.
      const beside: readonly string[] = ['after-another-scheme', 'before-a-word'];
      for (const word of invalidCredentials.filter((one) => !beside.includes(one))) {
        const [scheme, ...words] = headerFor(word, first, (text) => known.has(text))?.split(' ') ?? [];
        expect([undefined, '', 'Bearer', ...(word.startsWith('basic-') ? ['Basic'] : [])]).toContain(scheme);
        expect(words.filter((text) => known.has(text))).toEqual([]);
      }
    }),
  );
});
