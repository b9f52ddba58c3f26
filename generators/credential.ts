import { type Role, roles } from '../spec/vocabulary.js';

// Who sends a request: the roles, and every header that is made of a good key (§5.1, §5.2).

/**
 * What a header is: a role's key, sent as §5.1 says; no header; one that names no known key (`unknown`, or made of a known
 * one, `altered`); one that is no credential, or several (`malformed`); a good key in another scheme, or in another
 * spelling of the right one.
 */
export type CredentialClass =
  | 'role'
  | 'missing'
  | 'unknown'
  | 'altered'
  | 'malformed'
  | 'other-scheme'
  | 'open';

interface MadeHeader {
  readonly class: Exclude<CredentialClass, 'role'>;
  /** The text after `Authorization: `, or undefined for no header. */
  readonly header?: (key: string) => string | undefined;
  /** In its place, ways to make a key of a good one; the first that makes an unknown key is sent as §5.1 says. */
  readonly keys?: (key: string) => readonly string[];
}

const base64 = (text: string, form: 'base64' | 'base64url' = 'base64'): string =>
  Buffer.from(text).toString(form);

const made = {
  none: { class: 'missing', header: () => undefined },
  empty: { class: 'malformed', header: () => '' },
  'scheme-only': { class: 'malformed', header: () => 'Bearer' },
  unknown: { class: 'unknown', keys: () => [] },
  'unknown-same-shape': {
    class: 'unknown',
    keys: (key) => Array.from({ length: 25 }, (_, at) => scramble(key, at + 1)),
  },
  // Longer than the column of a table.
  'unknown-long': { class: 'unknown', header: () => `Bearer ${'unknown-'.repeat(250)}` },
  // A JSON Web Token whose header declares that it is not signed.
  'unsigned-token': {
    class: 'unknown',
    header: () => `Bearer ${base64('{"alg":"none"}', 'base64url')}.${base64('{"sub":"1"}', 'base64url')}.`,
  },
  // What a client sends whose variable was never set.
  undefined: { class: 'unknown', header: () => 'Bearer undefined' },
  null: { class: 'unknown', header: () => 'Bearer null' },
  extended: { class: 'altered', keys: (key) => [`${key}x`] },
  truncated: { class: 'altered', keys: (key) => [key.slice(0, -1)] },
  // What stands before the first dash or underscore (`sk-`), or the first letters where there is none.
  'without-prefix': { class: 'altered', keys: (key) => [key.replace(/^[^-_]{0,8}[-_]|^.{3}/, '')] },
  // The key without all of its prefixes, where it has several (`sk-v1-`).
  'without-prefixes': { class: 'altered', keys: (key) => [key.replace(/^(?:[^-_]{0,8}[-_])+|^.{3}/, '')] },
  'last-changed': {
    class: 'altered',
    keys: (key) => [...'xyz'].map((last) => `${key.slice(0, -1)}${last}`),
  },
  'other-case': { class: 'altered', keys: (key) => [switchCase(key)] },
  'prefix-in-other-case': { class: 'altered', keys: (key) => [key.replace(/^[^-_]*/, switchCase)] },
  'in-a-list': { class: 'altered', keys: (key) => [`${key},x`] },
  // A server that splits the header at its blanks finds the key.
  'before-a-word': { class: 'altered', keys: (key) => [`${key} x`] },
  'before-a-tab': { class: 'altered', keys: (key) => [`${key}\tx`] },
  'before-a-semicolon': { class: 'altered', keys: (key) => [`${key};`] },
  // A lenient decoder of base64 skips the character at the end of each of the next two.
  padded: { class: 'altered', keys: (key) => [`${key}=`] },
  'before-a-byte-beyond-ascii': { class: 'altered', keys: (key) => [`${key}\u00e9`] },
  'with-other-dashes': { class: 'altered', keys: (key) => [switchDashes(key)] },
  'with-a-blank': { class: 'altered', keys: (key) => [insertBlank(key)] },
  // To SQL's LIKE it matches the key.
  'with-a-wildcard': { class: 'altered', keys: (key) => [`${key.slice(0, -1)}%`] },
  // To a search for keys in Redis it matches the key.
  'with-a-star': { class: 'altered', keys: (key) => [`${key.slice(0, -1)}*`] },
  // It ends a string of SQL.
  'with-a-quote': { class: 'altered', keys: (key) => [`${key.slice(0, -1)}'`] },
  'after-a-name': { class: 'altered', keys: (key) => [`name:${key}`] },
  // A server that trims the letters of `Bearer `, not the word, finds the key.
  'after-letters-of-the-scheme': { class: 'altered', keys: (key) => [`era${key}`] },
  'percent-encoded': { class: 'altered', keys: (key) => [encodeLast(key)] },
  // A byte that is not UTF-8, which HTTP lets a header hold.
  'beyond-ascii': { class: 'altered', keys: (key) => [`${key.slice(0, -1)}\u00e9`] },
  'after-another-scheme': {
    class: 'malformed',
    header: (key) => `Basic ${base64('user:password')}, Bearer ${key}`,
  },
  'two-swapped': { class: 'altered', keys: (key) => [swapTwo(key)] },
  'in-quotes': { class: 'altered', keys: (key) => [`"${key}"`] },
  'in-base64': { class: 'altered', keys: (key) => [base64(key)] },
  'first-half': { class: 'altered', keys: (key) => [key.slice(0, Math.ceil(key.length / 2))] },
  'basic-and-nothing': { class: 'malformed', header: () => 'Basic' },
  'basic-of-nobody': { class: 'malformed', header: () => `Basic ${base64(':')}` },
  basic: { class: 'other-scheme', header: (key) => `Basic ${key}` },
  'basic-encoded': { class: 'other-scheme', header: (key) => `Basic ${base64(`${key}:`)}` },
  token: { class: 'other-scheme', header: (key) => `Token ${key}` },
  bearerx: { class: 'other-scheme', header: (key) => `BearerX ${key}` },
  'no-scheme': { class: 'other-scheme', header: (key) => key },
  digest: { class: 'other-scheme', header: (key) => `Digest ${key}` },
  'no-blank-after-bearer': { class: 'other-scheme', header: (key) => `Bearer${key}` },
  'colon-after-bearer': { class: 'other-scheme', header: (key) => `Bearer: ${key}` },
  'lower-case-scheme': { class: 'open', header: (key) => `bearer ${key}` },
  'upper-case-scheme': { class: 'open', header: (key) => `BEARER ${key}` },
  'doubled-blank': { class: 'open', header: (key) => `Bearer  ${key}` },
  'doubled-header': { class: 'open', header: (key) => `Bearer ${key}, Bearer ${key}` },
} as const satisfies Record<string, MadeHeader>;

/** A header that is made of a good key. */
export type MadeCredential = keyof typeof made;

const headers: Readonly<Record<MadeCredential, MadeHeader>> = made;
const madeCredentials = Object.keys(made) as readonly MadeCredential[];

function selectClasses(...classes: readonly CredentialClass[]): readonly MadeCredential[] {
  return madeCredentials.filter((word) => classes.includes(made[word].class));
}

/** Headers that name no known key, or several credentials. */
export const spoiltCredentials = selectClasses('missing', 'unknown', 'altered', 'malformed');

/**
 * Headers that give a good key in another way than §5.1 says: 401 is due, but the document does not rule out that a
 * server takes the key from them too.
 */
export const otherSchemes = selectClasses('other-scheme');

/** Spellings of a good header to which both answers are allowed. */
export const openCredentials = selectClasses('open');

/** Roles that differ from `member` only in what checks of their own test. */
const namedApart = ['free_large_exactly', 'free_small_second', 'expired_session'] as const;
type RoleWord = Exclude<Role, (typeof namedApart)[number]>;

/** The roles that are words of who sends a request. */
export const roleWords = roles.filter(
  (role): role is RoleWord => !(namedApart as readonly Role[]).includes(role),
);

/** What a request says of who sends it. */
export type CredentialWord = RoleWord | MadeCredential;

/** Whether a word names a role, whose key is sent as §5.1 says. */
export function isRole(word: CredentialWord | Role): word is Role {
  return !Object.hasOwn(made, word);
}

/** What the header of a word is. */
export function classifyCredential(word: CredentialWord): CredentialClass {
  return isRole(word) ? 'role' : made[word].class;
}

/** Whether a text is a key that the run knows. */
export type KeyTest = (text: string) => boolean;

/**
 * A header that is made of a good key: the text after `Authorization: `, or undefined for no header. One whose key is to
 * be unknown names no known key: where what is made of the key is one after all, another unknown key takes its place.
 */
export function makeHeader(word: MadeCredential, key: string, isKey: KeyTest): string | undefined {
  const { header } = headers[word];
  return header === undefined ? `Bearer ${alterKey(word, key, isKey) ?? makeUnknownKey(isKey)}` : header(key);
}

/** A key that nobody knows and that looks like no other. */
function makeUnknownKey(isKey: KeyTest): string {
  let unknown = 'plumbline-unknown-key';
  while (isKey(unknown)) unknown += '-x';
  return unknown;
}

/** A key that is made of another and that nobody knows; undefined where none can be made so. */
export function alterKey(how: MadeCredential, key: string, isKey: KeyTest): string | undefined {
  return headers[how].keys?.(key).find((one) => one !== key && !isKey(one));
}

/** A text of the same length and the same kinds of characters, its first part (a prefix, most likely) kept. */
function scramble(key: string, shift: number): string {
  const kinds = ['abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', '0123456789'];
  return [...key]
    .map((character, at) => {
      const kind = at < 4 ? undefined : kinds.find((characters) => characters.includes(character));
      return kind === undefined
        ? character
        : (kind[(kind.indexOf(character) + shift + (at % 7)) % kind.length] ?? character);
    })
    .join('');
}

/** A text with every letter in its other case; the same text where it has no letters. */
function switchCase(text: string): string {
  return [...text]
    .map((character) =>
      character === character.toLowerCase() ? character.toUpperCase() : character.toLowerCase(),
    )
    .join('');
}

/** A text with dashes for underscores and underscores for dashes; the same text where it has neither. */
function switchDashes(text: string): string {
  return text.replace(/[-_]/g, (sign) => (sign === '-' ? '_' : '-'));
}

/** The key with two neighbours swapped in its second half; the same key where all of them are alike. */
function swapTwo(key: string): string {
  const middle = Math.floor(key.length / 2);
  const at = [...key].findIndex(
    (character, index) => index >= middle && key[index + 1] !== undefined && key[index + 1] !== character,
  );
  return at < 0 ? key : `${key.slice(0, at)}${key[at + 1]}${key[at]}${key.slice(at + 2)}`;
}

/** The key with a blank in its middle; the same key where it has one character. */
function insertBlank(key: string): string {
  const middle = Math.floor(key.length / 2);
  return middle === 0 ? key : `${key.slice(0, middle)} ${key.slice(middle)}`;
}

/** The key with its last character as it would stand in a URL that encodes everything. */
function encodeLast(key: string): string {
  const last = Buffer.from(key.slice(-1)).toString('hex').toUpperCase();
  return `${key.slice(0, -1)}%${last}`;
}
