import fc from 'fast-check';
import type { Role } from '../spec/vocabulary.js';

/** Ways to spoil an Authorization header so that it names no known key (§5.1, §5.2). */
export const spoiltCredentials = [
  'none',
  'empty',
  'scheme-only',
  'unknown',
  'unknown-same-shape',
  'extended',
  'truncated',
  'without-prefix',
  'last-changed',
  'other-case',
] as const;
type SpoiltCredential = (typeof spoiltCredentials)[number];

/**
 * Headers that give a good key in another way than §5.1 says: 401 is due, but the document does not rule out that a
 * server takes the key from them too.
 */
export const otherSchemes = ['basic', 'basic-encoded', 'token', 'bearerx', 'no-scheme'] as const;
type OtherScheme = (typeof otherSchemes)[number];

/** Spellings of a good header to which both answers are allowed. */
export const openCredentials = [
  'lower-case-scheme',
  'upper-case-scheme',
  'doubled-blank',
  'doubled-header',
] as const;
type OpenCredential = (typeof openCredentials)[number];

/** What a request says of who sends it. */
export type CredentialWord = Role | MadeCredential;

/** A header that is made of a good key. */
export type MadeCredential = SpoiltCredential | OtherScheme | OpenCredential;

/** A header that is made of a good key: the text after `Authorization: `, or undefined for no header. */
export function headerOf(word: MadeCredential, key: string): string | undefined {
  const header = makers[word](key);
  // A key without letters has no other case; a short one may have nothing to scramble.
  const isGood = header === `Bearer ${key}` && (spoiltCredentials as readonly string[]).includes(word);
  return isGood ? makers.unknown(key) : header;
}

const makers: Readonly<Record<MadeCredential, (key: string) => string | undefined>> = {
  none: () => undefined,
  empty: () => '',
  'scheme-only': () => 'Bearer',
  basic: (key) => `Basic ${key}`,
  'basic-encoded': (key) => `Basic ${Buffer.from(`${key}:`).toString('base64')}`,
  token: (key) => `Token ${key}`,
  bearerx: (key) => `BearerX ${key}`,
  'no-scheme': (key) => key,
  unknown: () => 'Bearer plumbline-unknown-key',
  'unknown-same-shape': (key) => `Bearer ${scrambled(key)}`,
  extended: (key) => `Bearer ${key}x`,
  truncated: (key) => `Bearer ${key.slice(0, -1)}`,
  // What stands before the first dash or underscore (`sk-`), or the first letters where there is none.
  'without-prefix': (key) => `Bearer ${key.replace(/^[^-_]{0,8}[-_]|^.{3}/, '')}`,
  'last-changed': (key) => `Bearer ${key.slice(0, -1)}${key.endsWith('x') ? 'y' : 'x'}`,
  'other-case': (key) => `Bearer ${inOtherCase(key)}`,
  'lower-case-scheme': (key) => `bearer ${key}`,
  'upper-case-scheme': (key) => `BEARER ${key}`,
  'doubled-blank': (key) => `Bearer  ${key}`,
  'doubled-header': (key) => `Bearer ${key}, Bearer ${key}`,
};

/** A text of the same length and the same kinds of characters, its first part (a prefix, most likely) kept. */
export function scrambled(key: string): string {
  const kinds = ['abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', '0123456789'];
  return [...key]
    .map((sign, at) => {
      const kind = at < 4 ? undefined : kinds.find((signs) => signs.includes(sign));
      return kind === undefined ? sign : (kind[(kind.indexOf(sign) + 1 + (at % 7)) % kind.length] ?? sign);
    })
    .join('');
}

/** The key with every letter in its other case; the same key where it has no letters. */
export function inOtherCase(key: string): string {
  return [...key]
    .map((sign) => (sign === sign.toLowerCase() ? sign.toUpperCase() : sign.toLowerCase()))
    .join('');
}

/** Who sends a request: one of the given words, the first being the plainest. */
export function credential(words: readonly CredentialWord[]): fc.Arbitrary<CredentialWord> {
  return fc.constantFrom(...words);
}
