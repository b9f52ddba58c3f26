import fc from 'fast-check';
import { makeRandom, shuffle } from './covering-array.js';
import {
  foreignBytes,
  foreignCharacters,
  type InvalidName,
  type InvalidNameClass,
  invalidNameClasses,
  makeInvalidName,
  makeValidName,
  secretName,
  type ValidName,
} from './secret-name.js';

// Secret names by hand: at the borders of each rule of §2.3, and those that have a meaning to some software.

const letters = [...'abcdefghijklmnopqrstuvwxyz'];
const digits = [...'0123456789'];
const lettersAndDigits = [...letters, ...digits];
const inside = [...lettersAndDigits, '_'];

/** Makes a legal name of a given length from different letters. */
export const makeLongName = (length: number): string =>
  'plumbline'.repeat(Math.ceil(length / 9)).slice(0, length);

// ── Legal ──

/** The names of each class that are tried first; a server that accepts the class at all accepts them. */
export const firstLegalNames = {
  shortest: ['a'],
  longest: [makeLongName(255)],
  letters: ['ax', 'xa'],
  digits: ['na0me9'],
  underscores: ['ab_c'],
} as const;

/** One name of each class, so that each has a case whatever the seed. */
export const legalNames: readonly ValidName[] = ['a', 'name', 'name1', 'na_me', 'a'.repeat(255)].map(
  makeValidName,
);

/** Names of every legal length, with every legal character first, inside and last, and at the borders of the rules. */
export const legalWalk: readonly ValidName[] = [
  ...Array.from({ length: 255 }, (_, less) => makeName(less + 1)),
  ...[
    'z',
    'a'.repeat(40),
    'z9',
    'k8s',
    'a1b2c3',
    `a${digits.join('')}`,
    `a${'0'.repeat(254)}`,
    'na1me5',
    'na5me9',
    'na9me1',
  ],
  ...[letters.join(''), letters.toReversed().join(''), 'mnameq', 'qnamez', 'znamem'],
  ...['a_bc', 'a_b_c_d_e_f_g_h', 'api_key_1', 'a0_0', 'a_0', 'a_1', 'a1_2', `${'a_'.repeat(127)}z`],
].map(makeValidName);

/** Makes a name of a given length; over all lengths, its first, second and last characters take every legal value. */
function makeName(length: number): string {
  const first = letters[length % letters.length] ?? 'a';
  if (length === 1) return first;
  const last = lettersAndDigits[length % 36] ?? 'a';
  const middle = Array.from({ length: length - 2 }, (_, at) => inside[(length + at) % inside.length] ?? 'a');
  return `${first}${middle.join('')}${last}`;
}

/** Properties of JavaScript objects, and words that databases, file systems, filters or routes may treat specially. */
export const words: readonly string[] = (
  'null constructor prototype valueof tostring hasownproperty isprototypeof undefined true false nan length name then default delete select index ' +
  'none nil infinity yes off drop where order table con keys count nul com1 lpt1 e10 x1f class import export l2147483648 rotate l9223372036854775808 ' +
  'deadbeefdeadbeefdeadbeefdeadbeef password secret token api_key github_token aws_secret_access_key secrets interns all bulk batch search list new me ' +
  'do else catch and or not in when sleep benchmark if return path home user from union script etc passwd db_passwd exec admin root'
).split(' ');

/** Legal names, partly percent-encoded; decoded once, they are the name. */
export const percentEncoded: readonly string[] = [
  ...['%61bc', '%62'.repeat(255), 'ab%63', '%61%62%63', 'a%6Ac', 'a%6ac', 'a%5Fc', 'a%31', 'a%5fc'],
];

// ── Illegal ──

/** Makes an invalid name from a stored one. */
export type DerivedName = (stored: string) => InvalidName;

const deriveRaw =
  (word: InvalidNameClass, make: (stored: string) => string): DerivedName =>
  (stored) =>
    makeInvalidName(word, make(stored));
const derive = (word: InvalidNameClass, make: (stored: string) => string): DerivedName =>
  deriveRaw(word, (stored) => encodeURIComponent(make(stored)));

/** Invalid names that a careless server takes for the stored one; those that catch the most servers come first. */
export const lookAlikes: readonly DerivedName[] = [
  derive('too-long', (stored) => stored.padEnd(256, 'a')),
  derive('too-long', (stored) => stored.padEnd(257, 'a')),
  derive('upper-case', (stored) => stored.charAt(0).toUpperCase() + stored.slice(1)),
  derive('upper-case', (stored) => `${stored}Z`),
  derive('leading-digit', (stored) => `9${stored}`),
  derive('leading-digit', () => '7'),
  derive('leading-underscore', (stored) => `_${stored}`),
  derive('leading-underscore', () => '_'),
  derive('trailing-underscore', (stored) => `${stored}1_`),
  derive('double-underscore', (stored) => `${stored}_a__b`),
  derive('double-underscore', (stored) => `${stored}___a`),
  derive('punctuation', (stored) => `${stored}.json`),
  derive('punctuation', (stored) => `"${stored}"`),
  derive('punctuation', (stored) => `${stored}-x`),
  derive('punctuation', (stored) => `${stored};v=1`),
  derive('control-character', (stored) => `${stored}\n`),
  derive('control-character', (stored) => `${stored}\0`),
  // Characters whose low bytes are the letters.
  derive('beyond-ascii', (stored) =>
    [...stored].map((letter) => String.fromCharCode(0x0100 + letter.charCodeAt(0))).join(''),
  ),
  derive('beyond-ascii', (stored) => `${stored}\u0663`),
  deriveRaw('encoded-twice', (stored) => `%25${stored.charCodeAt(0).toString(16)}${stored.slice(1)}`),
  deriveRaw('not-utf-8', (stored) => `${stored}%FF`),
  // Software that drops the highest bit of each byte reads the stored name.
  deriveRaw(
    'not-utf-8',
    (stored) => `%${(stored.charCodeAt(0) + 0x80).toString(16).toUpperCase()}${stored.slice(1)}`,
  ),

  derive('upper-case', (stored) => stored.toUpperCase()),
  derive('double-underscore', (stored) => `${stored}1__2`),
  // In Turkish, its lower case is i.
  derive('beyond-ascii', (stored) => `${stored}\u0130`),
  // The sign for kelvin, whose lower case is k.
  derive('beyond-ascii', (stored) => `${stored}\u212a`),
  // The last letter, since a name may end with digits.
  derive('upper-case', (stored) => stored.replace(/[a-z](?=[^a-z]*$)/, (letter) => letter.toUpperCase())),
  derive('trailing-underscore', (stored) => `${stored}_`),
  ...[' ', '\t'].map((blank) =>
    derive(blank === ' ' ? 'punctuation' : 'control-character', (stored) => blank + stored),
  ),
  ...[' ', '.', ',x', '*', '?', '#x', '%'].map((end) => derive('punctuation', (stored) => stored + end)),
  derive('punctuation', (stored) => `${stored.slice(0, -1)}*`),
  // To some software, each matches every name.
  ...['*', '%'].map((text) => derive('punctuation', () => text)),
  derive('control-character', (stored) => `${stored}\r\n`),
  ...['\u200b', '\u0301'].map((end) => derive('beyond-ascii', (stored) => stored + end)),
  derive('beyond-ascii', (stored) => {
    const cyrillic = stored.replace(/[ao]/g, (character) => (character === 'a' ? '\u0430' : '\u043e'));
    return cyrillic === stored ? `${stored}\u043e` : cyrillic;
  }),
  derive('beyond-ascii', (stored) => String.fromCharCode(stored.charCodeAt(0) + 0xfee0) + stored.slice(1)),
];

export const misencodedNames: readonly DerivedName[] = [
  (stored: string) => `%u0070${stored.slice(1)}`,
  (stored: string) => `${stored}%2`,
  ...['%', '%zz', '%4', '%G1'].map((text) => () => text),
  (stored: string) => `${stored}%`,
  (stored: string) => `%${stored}`,
  (stored: string) => `${stored}%%20`,
].map((make) => deriveRaw('not-utf-8', make));

/** Makes names with a character first, second, and last in a long name: some rules check only the beginning. */
const putEverywhere = (character: string): readonly string[] => [
  `${character}name`,
  `n${character}ame`,
  `${'name'.repeat(40)}${character}`,
];

/** Makes a name of 255 characters with a text at a place. */
const breakAt = (at: number, put: string): string => 'a'.repeat(at) + put + 'a'.repeat(255 - at - put.length);
const deep = [31, 64, 127, 200, 253] as const;

/** Names that break one rule, by class: at its borders, at every place, and in words. */
const broken: readonly (readonly [InvalidNameClass, readonly string[]])[] = [
  ['too-long', [256, 257, 258, 259, 260, 300].map((length) => 'a'.repeat(length))],
  ['too-long', ['plumb1'.repeat(167), `${'a_'.repeat(127)}az`, `${'a_'.repeat(128)}z`]],
  ['upper-case', ['A', ...letters.flatMap((letter) => putEverywhere(letter.toUpperCase()))]],
  ['upper-case', ['NAME', 'camelCase', 'NULL', 'True', 'NaN', 'Constructor', 'valueOf', 'SELECT']],
  ['leading-digit', digits.flatMap((digit) => [`${digit}name`, digit])],
  ['leading-digit', ['1_a', '42', '1e10', '0x1f', '2147483648', '9223372036854775808']],
  // The last is a property of every JavaScript object.
  ['leading-underscore', ['_', '_name', '_a', '_1', '__proto__']],
  ['trailing-underscore', ['name_', 'a_', 'a1_', 'a_b_', `${'a'.repeat(254)}_`]],
  ['double-underscore', ['na__me', 'a__b', 'na___me', 'a_b__c', 'a__1', 'a__b__c']],
  ['punctuation', ['-', ...foreignCharacters.punctuation.flatMap(putEverywhere)]],
  ['control-character', foreignCharacters.control.flatMap(putEverywhere)],
  ['control-character', ['name\r\n', 'name\n\n', '\nname\n', 'na\r\nme']],
  ['beyond-ascii', ['é', 'а', 'ａ', '٣', '１', 'a\u0301', '😀'].flatMap(putEverywhere)],
  // Signs that a careless server drops, folds into letters, or takes for blanks.
  ['beyond-ascii', [...'ßıſK²\u200b\u00a0\u2028\ufeff‿＿', '\u0000é'].map((character) => `na${character}me`)],
  // A pattern often has a part of its own for what follows an underscore.
  ['upper-case', ['a_B', 'na_mE', ...deep.map((at) => breakAt(at, 'A'))]],
  ['punctuation', [...'-.*$: '].map((character) => `na_${character}me`)],
  ['control-character', ['na_\nme', 'na_me\n']],
  ['beyond-ascii', [...'éа٣ſ'].map((character) => `na_${character}me`)],
  ['double-underscore', deep.map((at) => breakAt(at - 1, '__'))],
  ['punctuation', deep.map((at) => breakAt(at, '-'))],
  ['control-character', deep.map((at) => breakAt(at, '\n'))],
  ['beyond-ascii', deep.map((at) => breakAt(at, '\u0430'))],
];

/** The same for texts that are sent as they are. */
const brokenAsSent: readonly (readonly [InvalidNameClass, readonly string[]])[] = [
  ['encoded-twice', ['%2561bc', 'a%2562c', 'ab%2563', 'abc%2500', '%25%36%31bc', 'abc%2520', '%252561bc']],
  ['not-utf-8', ['%FF', 'name%FF', 'name%C3', ...foreignBytes.slice(1).map((bytes) => `na${bytes}me`)]],
];

/** Names that break one rule, whatever is stored. */
export const illegalWalk: readonly InvalidName[] = [
  ...broken.flatMap(([word, names]) => names.map((name) => makeInvalidName(word, encodeURIComponent(name)))),
  ...brokenAsSent.flatMap(([word, texts]) => texts.map((text) => makeInvalidName(word, text))),
];

/** Path segments that a router may take for the collection of all names, or for the beginning of a name. */
export const ambiguousWalk: readonly InvalidName[] = ['', '.', '%2e', '%2F', 'by%2Fname'].map((raw) =>
  makeInvalidName('routing-ambiguous', raw),
);

/** Path segments that a router may take for the secret `foo`, or for another path. */
export const ambiguousPaths: readonly string[] = [
  ...['', '.', '..', '%2E', '%2e%2e', 'foo%2Fbar', 'foo/', 'foo//', '/foo', '%2Ffoo'],
  ...['foo%2F..', 'x%2F..%2Ffoo', '..%2Ffoo', 'foo%5Cbar'],
];

/**
 * Path segments of a stored name and a fresh one, joined by an encoded slash or backslash, and of a stored name split by
 * one. However a router reads them, they do not name the stored secret.
 */
export const joinedNames: readonly ((name: string, other: string) => string)[] = [
  (name, other) => `${other}%2F${name}`,
  (name, other) => `${name}%2F${other}`,
  (name, other) => `${other}%5C${name}`,
  (name, other) => `${name}%5C${other}`,
  (name) => `${name.slice(0, -2)}%5C${name.slice(-2)}`,
];

// ── Drawn for covering arrays ──

/** Draws legal names of each class, a new one at each turn: an earlier one may still be stored in the same world. */
export function drawLegalNames(seed: number) {
  const random = makeRandom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const text = (characters: readonly string[], length: number) =>
    Array.from({ length }, () => characters[below(characters.length)] ?? 'a').join('');
  const ofTwo = letters.flatMap((first) => lettersAndDigits.map((second) => first + second));
  const short = [...shuffle(letters, random), ...shuffle(ofTwo, random)];
  const drawn = (draw: () => string) => {
    const made: string[] = [];
    return (turn: number) => {
      while (made.length <= turn) made.push(draw());
      return makeValidName(made[turn] ?? 'name');
    };
  };
  const ofLetters = () => drawn(() => text(letters, 6 + below(19)));
  const toEncode = ofLetters();
  return {
    letters: ofLetters(),
    encoded: (turn: number) => {
      const name = toEncode(turn);
      return { ...name, raw: `${name.raw.slice(0, -1)}%${name.raw.slice(-1).charCodeAt(0).toString(16)}` };
    },
    shortest: (turn: number) => makeValidName(short[turn % short.length] ?? 'a'),
    digits: drawn(() => {
      const rest = below(2) === 0 ? below(18) : 69 + below(178);
      return `${text(letters, 5)}${below(10)}${text(lettersAndDigits, rest)}`;
    }),
    underscores: drawn(() =>
      Array.from({ length: 2 + below(8) }, () => text(letters, 3) + text(lettersAndDigits, below(20))).join(
        '_',
      ),
    ),
    longest: drawn(() => `a${text(lettersAndDigits, 253 + below(2))}`),
  };
}

const drawnOfEachClass = 8;
// A look-alike of a shorter name might also resemble one that another case left behind.
const shortestLookedLike = 6;

/** Draws illegal names, one of each class in turn. */
export function drawIllegalNames(classes: readonly InvalidNameClass[], seed: number): readonly InvalidName[] {
  const drawn = classes.map((word) =>
    fc.sample(
      secretName.breaking(word).filter(({ looksLike = 'a name' }) => looksLike.length >= shortestLookedLike),
      { seed: seed + invalidNameClasses.indexOf(word), numRuns: drawnOfEachClass },
    ),
  );
  return Array.from({ length: drawnOfEachClass }, (_, turn) =>
    drawn.flatMap((list) => list[turn] ?? []),
  ).flat();
}
