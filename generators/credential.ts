import fc from 'fast-check';
import type { Role } from '../spec/vocabulary.js';

/** Ways to spoil an Authorization header so that it names no known key, or several credentials (§5.1, §5.2). */
export const spoiltCredentials = [
  'none',
  'empty',
  'scheme-only',
  'unknown',
  'unknown-same-shape',
  'undefined',
  'null',
  'extended',
  'truncated',
  'without-prefix',
  'last-changed',
  'other-case',
  'in-a-list',
  'with-a-blank',
  'percent-encoded',
  'after-another-scheme',
  'two-swapped',
  'in-quotes',
  'in-base64',
  'first-half',
  'basic-and-nothing',
  'basic-of-nobody',
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

/** Roles of which checks of their own tell all that they differ from `member` in. */
const namedApart = ['free_large_exactly', 'free_small_second', 'expired_session'] as const;
/** A role as a word of who sends a request. */
export type RoleWord = Exclude<Role, (typeof namedApart)[number]>;

/** Whether a role is a word of who sends a request. */
export function isRoleWord(role: Role): role is RoleWord {
  return !(namedApart as readonly Role[]).includes(role);
}

/** What a request says of who sends it. */
export type CredentialWord = RoleWord | MadeCredential;

/** A header that is made of a good key. */
export type MadeCredential = SpoiltCredential | OtherScheme | OpenCredential;

/** Tells whether a text is a key that the run knows. */
export type KeyTest = (text: string) => boolean;

/**
 * A header that is made of a good key: the text after `Authorization: `, or undefined for no header. A spoilt one names
 * no known key: where what is made of the key is one after all, another unknown key takes its place.
 */
export function headerOf(word: MadeCredential, key: string, isKey: KeyTest): string | undefined {
  if (word === 'unknown') return `Bearer ${unknownKey(isKey)}`;
  return isAlteration(word)
    ? `Bearer ${alteredKey(word, key, isKey) ?? unknownKey(isKey)}`
    : headers[word](key);
}

/** A key that nobody knows and that looks like no other. */
export function unknownKey(isKey: KeyTest): string {
  let unknown = 'plumbline-unknown-key';
  while (isKey(unknown)) unknown += '-x';
  return unknown;
}

const headers = {
  none: () => undefined,
  empty: () => '',
  'scheme-only': () => 'Bearer',
  // What a client sends whose variable was never set.
  undefined: () => 'Bearer undefined',
  null: () => 'Bearer null',
  'basic-and-nothing': () => 'Basic',
  'basic-of-nobody': () => `Basic ${Buffer.from(':').toString('base64')}`,
  basic: (key) => `Basic ${key}`,
  'basic-encoded': (key) => `Basic ${Buffer.from(`${key}:`).toString('base64')}`,
  token: (key) => `Token ${key}`,
  bearerx: (key) => `BearerX ${key}`,
  'no-scheme': (key) => key,
  'after-another-scheme': (key) => `Basic ${Buffer.from('user:password').toString('base64')}, Bearer ${key}`,
  'lower-case-scheme': (key) => `bearer ${key}`,
  'upper-case-scheme': (key) => `BEARER ${key}`,
  'doubled-blank': (key) => `Bearer  ${key}`,
  'doubled-header': (key) => `Bearer ${key}, Bearer ${key}`,
} satisfies Partial<Record<MadeCredential, (key: string) => string | undefined>>;

// A text may be made in several ways, of which the first is taken that makes an unknown key.
const alterations = {
  'unknown-same-shape': (key) => Array.from({ length: 25 }, (_, at) => scrambled(key, at + 1)),
  extended: (key) => [`${key}x`],
  truncated: (key) => [key.slice(0, -1)],
  // What stands before the first dash or underscore (`sk-`), or the first letters where there is none.
  'without-prefix': (key) => [key.replace(/^[^-_]{0,8}[-_]|^.{3}/, '')],
  'last-changed': (key) => [...'xyz'].map((last) => `${key.slice(0, -1)}${last}`),
  'other-case': (key) => [inOtherCase(key)],
  'two-swapped': (key) => [withTwoSwapped(key)],
  'in-quotes': (key) => [`"${key}"`],
  'in-base64': (key) => [Buffer.from(key).toString('base64')],
  'in-a-list': (key) => [`${key},x`],
  'with-a-blank': (key) => [withBlank(key)],
  'percent-encoded': (key) => [percentEncoded(key)],
  'first-half': (key) => [key.slice(0, Math.ceil(key.length / 2))],
} satisfies Record<string, (key: string) => readonly string[]>;

/** Ways to alter a key so that it is no known one. */
type Alteration = keyof typeof alterations;

function isAlteration(word: string): word is Alteration {
  return Object.hasOwn(alterations, word);
}

/** A key that is made of another and that nobody knows; undefined where none can be made so. */
export function alteredKey(how: Alteration, key: string, isKey: KeyTest): string | undefined {
  return alterations[how](key).find((made) => made !== key && !isKey(made));
}

/** A text of the same length and the same kinds of characters, its first part (a prefix, most likely) kept. */
function scrambled(key: string, shift: number): string {
  const kinds = ['abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', '0123456789'];
  return [...key]
    .map((sign, at) => {
      const kind = at < 4 ? undefined : kinds.find((signs) => signs.includes(sign));
      return kind === undefined
        ? sign
        : (kind[(kind.indexOf(sign) + shift + (at % 7)) % kind.length] ?? sign);
    })
    .join('');
}

/** The key with every letter in its other case; the same key where it has no letters. */
function inOtherCase(key: string): string {
  return [...key]
    .map((sign) => (sign === sign.toLowerCase() ? sign.toUpperCase() : sign.toLowerCase()))
    .join('');
}

/** The key with two neighbours swapped in its second half; the same key where all of them are alike. */
function withTwoSwapped(key: string): string {
  const middle = Math.floor(key.length / 2);
  const at = [...key].findIndex(
    (sign, index) => index >= middle && key[index + 1] !== undefined && key[index + 1] !== sign,
  );
  return at < 0 ? key : `${key.slice(0, at)}${key[at + 1]}${key[at]}${key.slice(at + 2)}`;
}

/** The key with a blank in its middle; the same key where it has one character. */
function withBlank(key: string): string {
  const middle = Math.floor(key.length / 2);
  if (middle === 0) return key;
  return `${key.slice(0, middle)} ${key.slice(middle)}`;
}

/** The key with its last character as it would stand in a URL that encodes everything. */
function percentEncoded(key: string): string {
  const last = Buffer.from(key.slice(-1)).toString('hex').toUpperCase();
  return `${key.slice(0, -1)}%${last}`;
}

/** Who sends a request: one of the given words, the first being the plainest. */
export function credential(words: readonly CredentialWord[]): fc.Arbitrary<CredentialWord> {
  return fc.constantFrom(...words);
}
