import { type Role, roles } from '../spec/vocabulary.js';

// Who sends a request: a role, or a header made from a valid key (§5.1, §5.2).

/**
 * What the Authorization header contains: a role's key, as in §5.1 (`role`); nothing (`missing`); a key that is not known
 * (`unknown`; `altered` if it is made from a known one); no credential, or several (`malformed`); a valid key with
 * another scheme (`other-scheme`), or with another spelling of the right scheme (`open`).
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
  /** Makes the value of the header; undefined for no header. */
  readonly header?: (key: string) => string | undefined;
  /** Instead of a header, makes keys from a valid one; the first that is not known is sent as in §5.1. */
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
  // Longer than a database column.
  'unknown-long': { class: 'unknown', header: () => `Bearer ${'unknown-'.repeat(250)}` },
  // An unsigned JSON Web Token.
  'unsigned-token': {
    class: 'unknown',
    header: () => `Bearer ${base64('{"alg":"none"}', 'base64url')}.${base64('{"sub":"1"}', 'base64url')}.`,
  },
  // From a client whose variable was never set.
  undefined: { class: 'unknown', header: () => 'Bearer undefined' },
  null: { class: 'unknown', header: () => 'Bearer null' },
  // A property of every JavaScript object, also of one in which a server looks keys up.
  'object-property': { class: 'unknown', header: () => 'Bearer constructor' },
  extended: { class: 'altered', keys: (key) => [`${key}x`] },
  truncated: { class: 'altered', keys: (key) => [key.slice(0, -1)] },
  // Without the part before the first dash or underscore (`sk-`), or without the first letters if there is none.
  'without-prefix': { class: 'altered', keys: (key) => [key.replace(/^[^-_]{0,8}[-_]|^.{3}/, '')] },
  // Without all prefixes, if it has several (`sk-v1-`).
  'without-prefixes': { class: 'altered', keys: (key) => [key.replace(/^(?:[^-_]{0,8}[-_])+|^.{3}/, '')] },
  'last-changed': { class: 'altered', keys: (key) => [...'xyz'].map((last) => `${key.slice(0, -1)}${last}`) },
  'other-case': { class: 'altered', keys: (key) => [switchCase(key)] },
  'prefix-in-other-case': { class: 'altered', keys: (key) => [key.replace(/^[^-_]*/, switchCase)] },
  'in-a-list': { class: 'altered', keys: (key) => [`${key},x`] },
  // A server that splits the header at blanks finds the key.
  'after-a-word': { class: 'altered', keys: (key) => [`x ${key}`] },
  'before-a-word': { class: 'altered', keys: (key) => [`${key} x`] },
  'before-a-tab': { class: 'altered', keys: (key) => [`${key}\tx`] },
  'before-a-semicolon': { class: 'altered', keys: (key) => [`${key};`] },
  // A lenient base64 decoder skips the last character of the next two.
  padded: { class: 'altered', keys: (key) => [`${key}=`] },
  'before-a-byte-beyond-ascii': { class: 'altered', keys: (key) => [`${key}\u00e9`] },
  'with-other-dashes': {
    class: 'altered',
    keys: (key) => [key.replace(/[-_]/g, (sign) => (sign === '-' ? '_' : '-'))],
  },
  'without-dashes': { class: 'altered', keys: (key) => [key.replaceAll('-', '')] },
  'with-a-blank': { class: 'altered', keys: (key) => [insertBlank(key)] },
  // SQL's LIKE matches it to the key.
  'with-a-wildcard': { class: 'altered', keys: (key) => [`${key.slice(0, -1)}%`] },
  // A search for keys in Redis matches it to the key.
  'with-a-star': { class: 'altered', keys: (key) => [`${key.slice(0, -1)}*`] },
  // Ends a string in SQL.
  'with-a-quote': { class: 'altered', keys: (key) => [`${key.slice(0, -1)}'`] },
  'after-a-name': { class: 'altered', keys: (key) => [`name:${key}`] },
  // A server that trims the letters of `Bearer `, not the word, finds the key.
  'after-letters-of-the-scheme': { class: 'altered', keys: (key) => [`era${key}`] },
  'percent-encoded': {
    class: 'altered',
    keys: (key) => [`${key.slice(0, -1)}%${Buffer.from(key.slice(-1)).toString('hex').toUpperCase()}`],
  },
  // A byte that is not UTF-8, which HTTP permits in a header.
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

/** A header made from a valid key. */
export type MadeCredential = keyof typeof made;

function selectClasses(...classes: readonly CredentialClass[]): readonly MadeCredential[] {
  return (Object.keys(made) as MadeCredential[]).filter((word) => classes.includes(made[word].class));
}

/** Headers without a known key, or with several credentials. */
export const invalidCredentials = selectClasses('missing', 'unknown', 'altered', 'malformed');

/** Headers with a valid key in another scheme than that of §5.1: 401 is due, but a server might accept the key. */
export const otherSchemes = selectClasses('other-scheme');

/** Spellings of a valid header that a server may accept or refuse. */
export const openCredentials = selectClasses('open');

/** The roles that situations use; only checks of their own use the others. */
export const roleWords = roles.filter(
  (role) => role !== 'free_large_exactly' && role !== 'free_small_second',
);

/** Who sends a request: a role, or a header made from a valid key. */
export type CredentialWord = (typeof roleWords)[number] | MadeCredential;

/** Whether a word is a role, whose key is sent as in §5.1. */
export function isRole(word: CredentialWord | Role): word is Role {
  return !Object.hasOwn(made, word);
}

export function classifyCredential(word: CredentialWord): CredentialClass {
  return isRole(word) ? 'role' : made[word].class;
}

/**
 * Makes an Authorization header from a valid key; undefined for none. A key that happens to be known is replaced.
 * @param isKey whether the run knows a key
 */
export function makeHeader(
  word: MadeCredential,
  key: string,
  isKey: (text: string) => boolean,
): string | undefined {
  const { header, keys }: MadeHeader = made[word];
  if (header !== undefined) return header(key);
  let unknown = 'plumbline-unknown-key';
  while (isKey(unknown)) unknown += '-x';
  const altered = keys?.(key).find((one) => one !== key && !isKey(one));
  return `Bearer ${altered ?? unknown}`;
}

/** Replaces each character by one of the same kind, except at the beginning, which is most likely a prefix. */
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

function switchCase(text: string): string {
  return [...text]
    .map((character) =>
      character === character.toLowerCase() ? character.toUpperCase() : character.toLowerCase(),
    )
    .join('');
}

/** Swaps two neighbouring characters that differ, in the second half of a key. */
function swapTwo(key: string): string {
  const middle = Math.floor(key.length / 2);
  const at = [...key].findIndex(
    (character, index) => index >= middle && key[index + 1] !== undefined && key[index + 1] !== character,
  );
  return at < 0 ? key : `${key.slice(0, at)}${key[at + 1]}${key[at]}${key.slice(at + 2)}`;
}

/** Inserts a blank in the middle of a key of two or more characters. */
function insertBlank(key: string): string {
  const middle = Math.floor(key.length / 2);
  return middle === 0 ? key : `${key.slice(0, middle)} ${key.slice(middle)}`;
}
