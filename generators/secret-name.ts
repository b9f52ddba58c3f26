import fc from 'fast-check';
import type { RequirementId } from '../spec/ledger.js';

/** What is special about a legal name (§2.3). */
export type ValidNameClass = 'shortest' | 'longest' | 'letters' | 'digits' | 'underscores';

/** A name as a case: its class, and how it is sent in the path. */
interface GeneratedName<Class extends string = ValidNameClass | InvalidNameClass> {
  readonly class: Class;
  /** The requirement that says how a server must treat it. */
  readonly rule: RequirementId;
  /** The path segment as it is sent, percent-encoded. */
  readonly raw: string;
}

export interface ValidName extends GeneratedName<ValidNameClass> {
  readonly text: string;
}

/** An illegal name; a look-alike names the legal name that it resembles. */
export interface InvalidName extends GeneratedName<InvalidNameClass> {
  readonly looksLike?: string;
}

// Ordered so that cases shrink towards `a`, `aa` and so on.
const characters = 'abcdefghijklmnopqrstuvwxyz0123456789_';
const longest = 255;

// ── Legal names ──

/** Makes a legal name of its text. */
export function makeValidName(name: string): ValidName {
  const word = classifyValid(name);
  return { class: word, rule: `secret-name.accepts.${word}`, raw: name, text: name };
}

function classifyValid(name: string): ValidNameClass {
  if (name.length <= 2) return 'shortest';
  if (name.length >= longest - 1) return 'longest';
  if (name.includes('_')) return 'underscores';
  return /\d/.test(name) ? 'digits' : 'letters';
}

/** Mostly short, else of any length, half of these at the limit. All shrink to 1. */
const validLength = fc
  .record({ isAny: fc.nat(9), short: fc.integer({ min: 1, max: 24 }), any: fc.nat(2 * longest - 1) })
  .map(({ isAny, short, any }) => {
    if (isAny < 7) return short;
    return any < longest ? any + 1 : longest - (any % 2);
  });

/** Draws legal texts: a short pattern, repeated up to the length, so that length and pattern shrink independently. */
function drawLegal(length: fc.Arbitrary<number>): fc.Arbitrary<string> {
  const pattern = fc.array(fc.nat(characters.length - 1), { minLength: 1, maxLength: 24, size: 'max' });
  return fc
    .tuple(length, pattern)
    .map(([size, places]) =>
      makeLegal(Array.from({ length: size }, (_, at) => characters[places[at % places.length] ?? 0] ?? 'a')),
    );
}

function drawText(min: number, max: number): fc.Arbitrary<string> {
  return drawLegal(fc.integer({ min, max }));
}

/** Makes a text legal: a letter first, no underscore last, and none after another. */
function makeLegal(drawn: readonly string[]): string {
  const kept: string[] = [];
  for (const [at, character] of drawn.entries()) {
    const isBorder = at === 0 || at === drawn.length - 1;
    const isWrong = character === '_' && (isBorder || kept[at - 1] === '_');
    kept.push(isWrong || (at === 0 && /\d/.test(character)) ? 'a' : character);
  }
  return kept.join('');
}

// ── Illegal names ──

const range = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from + 1 }, (_, step) => String.fromCharCode(from + step));

/** Characters that no secret name may hold (§2.3), by kind; each alone breaks one rule. */
export const foreignCharacters = {
  /** ASCII punctuation and the blank; not slashes, which a router may take for separators. */
  punctuation: [
    ...range(0x20, 0x2f),
    ...range(0x3a, 0x40),
    ...range(0x5b, 0x60),
    ...range(0x7b, 0x7e),
  ].filter((character) => !'_/\\'.includes(character)),
  /** ASCII control characters, DEL included. */
  control: [...range(0x00, 0x1f), '\u007f'],
  /** Letters, digits, marks and blanks beyond ASCII that a careless rule accepts. */
  beyondAscii: [
    ...['é', 'ß', 'ø', 'а', 'ο', 'ａ', 'ｚ', 'ı', 'ſ', '\u212a', '中', 'ñ'],
    ...['٣', '१', '１', '²', 'Ⅷ'],
    ...['a\u0301', '\u200b', '\u00a0', '\u2028', '\ufeff', '‿', '＿', '😀', '\u{1d41a}'],
  ],
} as const;

/** Bytes that are not valid UTF-8, percent-encoded. */
export const foreignBytes = [
  ...['%FF', '%C3', '%80', '%C3%28', '%ED%A0%80', '%C0%80', '%C1%A1', '%F8%88%80%80%80'],
] as const;

/** A legal text to insert something into, preferPlain short: some servers check only the beginning of a long name. */
const base = fc.oneof({ weight: 3, arbitrary: drawText(1, 20) }, { weight: 1, arbitrary: drawText(21, 240) });
const place = fc.nat(1_000);

/** Inserts a text between two characters of a name, not beside an underscore. */
function putInside(name: string, at: number, put: string): string {
  const plain = name.replaceAll('_', '');
  const split = 1 + (at % Math.max(1, plain.length - 1));
  return `${plain.slice(0, split)}${put}${plain.slice(split) || 'a'}`;
}

/** Inserts a text at the beginning of a name, inside it, or at its end. */
function putAnywhere(name: string, at: number, put: string): string {
  if (at % 3 === 0) return `${put}${name}`;
  return at % 3 === 1 ? putInside(name, at, put) : `${name}${put}`;
}

/** Draws legal texts with one of some texts inserted. */
function insertOneOf(texts: readonly string[], put = putAnywhere): fc.Arbitrary<string> {
  return fc.tuple(base, place, fc.constantFrom(...texts)).map(([name, at, text]) => put(name, at, text));
}

/** A drawn illegal name: as it is sent, and what its class does not determine. */
type Drawn = Pick<InvalidName, 'raw'> & Partial<Pick<InvalidName, 'rule' | 'looksLike'>>;

const [punctuation, control, beyondAscii] = [
  'secret-name.refuses.punctuation',
  'secret-name.refuses.control-character',
  'secret-name.refuses.beyond-ascii',
] as const;

/** White space, each with the requirement about its character. */
const blanks = [
  ...([' ', '\t', '\n', '\r\n'] as const).map(
    (blank) => [blank, blank === ' ' ? punctuation : control] as const,
  ),
  ['\u00a0', beyondAscii] as const,
];

/** Illegal names that resemble a legal one. */
const alike: readonly (readonly [RequirementId, (name: string) => string])[] = [
  ['secret-name.refuses.upper-case', (name) => name.charAt(0).toUpperCase() + name.slice(1)],
  ['secret-name.refuses.upper-case', (name) => name.toUpperCase()],
  [control, (name) => `${name}\n`],
  [punctuation, (name) => `${name} `],
  [punctuation, (name) => ` ${name}`],
  [control, (name) => `${name}\0`],
  ['secret-name.refuses.leading-underscore', (name) => `_${name}`],
  ['secret-name.refuses.trailing-underscore', (name) => `${name}_`],
  [beyondAscii, (name) => `${name}\u200b`],
  [beyondAscii, (name) => `${name.slice(0, -1)}\u0430`],
  [punctuation, (name) => `${name}.`],
];

/** Defines a rule and the names that break it: decoded texts, or segments as they are sent. */
const defineRule = <Word extends string>(word: Word, names: fc.Arbitrary<string>, isSent = false) => ({
  rule: `secret-name.refuses.${word}` as const,
  drawn: names.map((name): Drawn => ({ raw: isSent ? name : encodeURIComponent(name) })),
});

const startingWithDigit = fc.tuple(fc.nat(9), base).map(([digit, name]) => `${digit}${name}`);
const encodedTwice = fc
  .tuple(base, fc.nat(25))
  .map(([name, letter]) => `${name.replaceAll('_', '')}%25${characters.charCodeAt(letter).toString(16)}`);
const withBlank = fc.tuple(base, fc.boolean(), fc.constantFrom(...blanks)).map(
  ([name, isFirst, [blank, rule]]): Drawn => ({
    raw: encodeURIComponent(isFirst ? blank + name : name + blank),
    rule,
  }),
);
const lookingAlike = fc
  .tuple(base, place, fc.constantFrom(...alike))
  .map(([name, , [rule, make]]): Drawn => ({ raw: encodeURIComponent(make(name)), rule, looksLike: name }));
const besideSlash = fc
  .tuple(base, fc.constantFrom('/', '//', '%2F', '%5C', '/..', '%2F..', '/.'), fc.boolean())
  .map(([name, slash, isFirst]) => (isFirst ? slash + name : name + slash));
const aroundSlash = fc
  .tuple(base, fc.constantFrom('/', '%2F', '%5C', '/../'), base)
  .map((parts) => parts.join(''));
const routed = fc.oneof(fc.constantFrom('', '.', '..', '%2e', '%2E%2E'), besideSlash, aroundSlash);

/** The rule that an illegal name breaks (§2.3, §7.1), by class. */
// biome-ignore format: a rule a line
const broken = {
  'too-long': defineRule('too-long', fc.oneof(drawText(256, 256), drawText(256, 320), drawText(256, 1_000))),
  'upper-case': defineRule('upper-case', insertOneOf([...characters.slice(0, 26).toUpperCase()])),
  'leading-digit': defineRule('leading-digit', startingWithDigit),
  'leading-underscore': defineRule('leading-underscore', base.map((name) => `_${name}`)),
  'trailing-underscore': defineRule('trailing-underscore', base.map((name) => `${name}_`)),
  'double-underscore': defineRule('double-underscore', insertOneOf(['__', '___'], putInside)),
  punctuation: defineRule('punctuation', insertOneOf(foreignCharacters.punctuation)),
  'control-character': defineRule('control-character', insertOneOf(foreignCharacters.control)),
  'white-space-around': { rule: 'secret-name.refuses.punctuation', drawn: withBlank },
  'beyond-ascii': defineRule('beyond-ascii', insertOneOf(foreignCharacters.beyondAscii)),
  'look-alike': { rule: 'secret-name.identity', drawn: lookingAlike },
  'encoded-twice': defineRule('encoded-twice', encodedTwice, true),
  'not-utf-8': defineRule('not-utf-8', insertOneOf(foreignBytes), true),
  /** Names that a router may interpret: the empty name, dots, and slashes around a legal text. */
  'routing-ambiguous': { rule: 'secret-name.routing', drawn: routed.map((raw): Drawn => ({ raw })) },
} as const satisfies Record<string, { readonly rule: RequirementId; readonly drawn: fc.Arbitrary<Drawn> }>;

export type InvalidNameClass = keyof typeof broken;
export const invalidNameClasses = Object.keys(broken) as readonly InvalidNameClass[];

/** The requirements that say which names are refused. */
export const nameRules: readonly RequirementId[] = [
  ...new Set(Object.values(broken).map(({ rule }) => rule)),
].filter((rule) => rule.startsWith('secret-name.refuses.'));

/** Makes an illegal name from the segment as it is sent. */
export function makeInvalidName(word: InvalidNameClass, raw: string): InvalidName {
  return { class: word, rule: broken[word].rule, raw };
}

/** The arbitraries of secret names. */
export const secretName = {
  /** Draws legal names of 1 to 255 characters, biased to the limits: `a`, `k8s`, `a_b_c`, 255 times `a`. */
  valid: (): fc.Arbitrary<ValidName> => drawLegal(validLength).map(makeValidName),

  /**
   * Draws names that break exactly one rule (`name_`, `Name`, 256 characters, `%FF`), and those that may reach no route,
   * or another one (`..`, `a%2Fb`); without the classes that must not be sent to the target.
   */
  invalid: (without: readonly InvalidNameClass[] = []): fc.Arbitrary<InvalidName> =>
    fc.oneof(...invalidNameClasses.filter((word) => !without.includes(word)).map(secretName.breaking)),

  breaking: (word: InvalidNameClass): fc.Arbitrary<InvalidName> => {
    const { rule, drawn } = broken[word];
    return drawn.map((name) => ({ class: word, rule, ...name }));
  },
};

/** Labels a name for a reader: as it is sent or, if that is long, by its length and class. */
export function labelName({ class: word, raw }: GeneratedName): string {
  return raw.length <= 40 ? raw : `a name of ${raw.length} characters (${word})`;
}

/**
 * Adds the run's own prefix to a name, for a tenant that the run shares with others: before the name, or after its first
 * character if that character makes it illegal. If the name would become too long, it loses as many characters, unless
 * that would change which rules it breaks.
 */
export function addRunPrefix(prefix: string, text: string): string {
  if (prefix === '') return text;
  if (!/^[a-z]/.test(text)) {
    const first = /^(?:%[0-9a-f]{2}|.|\n)/iu.exec(text)?.[0] ?? '';
    return first + prefix + text.slice(first.length);
  }
  const surplus = prefix.length + text.length - longest;
  if (surplus <= 0) return prefix + text;
  const { length } = prefix;
  const isPlainFirst = /^[a-z0-9]+(?:_[a-z0-9]+)*_?$/.test(text.slice(0, length + 1));
  if (isPlainFirst) return prefix + text.slice(length);
  return prefix + (text.length > longest ? text : text.slice(0, -length));
}
