import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  type CredentialWord,
  makeHeader as headerFor,
  invalidCredentials,
  openCredentials,
  otherSchemes,
} from '../../generators/credential.js';
import type { Role } from '../../spec/vocabulary.js';

const makeHeader = (word: Exclude<CredentialWord, Role>, key: string): string | undefined =>
  headerFor(word, key, (text) => text === key);
const alterKey = (word: Exclude<CredentialWord, Role>, key: string) =>
  headerFor(word, key, () => false)?.replace('Bearer ', '') ?? '';
const scramble = (key: string) => alterKey('unknown-same-shape', key);

const keys = [
  ...['sk-or-v1-0f3a9c2e7b', 'sk-AbCdEf0123456789', 'pk_live_9Z', 'abcdefgh', 'ABCDEFGH'],
  ...['deadbeef-0000-4000-8000-feedfacecafe', 'sk-endsinx'],
];
// What has no letters, or nothing to change after its fourth character, must not stay the good key.
const oddKeys = ['1234567890', '0000-1111-2222', 'keyx', 'k9', 'x', 'sk-=====', 'ab.:-_.~'];

it.each([...keys, ...oddKeys])('every other header of key %s differs, and holds it in its place', (key) => {
  const good = `Bearer ${key}`;
  const all = [...invalidCredentials, ...otherSchemes, ...openCredentials];
  expect(all.filter((word) => makeHeader(word, key) === good)).toEqual([]);
  expect(invalidCredentials.filter((word) => makeHeader(word, key)?.trim() === good)).toEqual([]);
  const encoded = Buffer.from(`${key}:`).toString('base64');
  for (const word of otherSchemes)
    expect([key, encoded].map((text) => makeHeader(word, key)?.endsWith(text))).toContain(true);
  for (const word of otherSchemes) expect(makeHeader(word, key)).not.toMatch(/^bearer /i);
  for (const word of openCredentials)
    expect(makeHeader(word, key)?.replaceAll(key, 'k')).toMatch(/^bearer +k(, Bearer k)?$/i);
});

it('a missing header has no value, and an empty header has an empty one', () => {
  expect(makeHeader('none', 'sk-1')).toBeUndefined();
  expect(makeHeader('empty', 'sk-1')).toBe('');
});

it('a key in the other case differs in every letter and nothing else', () => {
  expect(alterKey('other-case', 'sk-AbC1_')).toBe('SK-aBc1_');
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
      const beside: readonly string[] = ['after-another-scheme', 'after-a-word', 'before-a-word'];
      for (const word of invalidCredentials.filter((one) => !beside.includes(one))) {
        const [scheme, ...words] = headerFor(word, first, (text) => known.has(text))?.split(' ') ?? [];
        expect([undefined, '', 'Bearer', ...(word.startsWith('basic-') ? ['Basic'] : [])]).toContain(scheme);
        expect(words.filter((text) => known.has(text))).toEqual([]);
      }
    }),
  );
});
