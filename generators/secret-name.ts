import fc from 'fast-check';
import type { RequirementId } from '../spec/ledger.js';
import { foreignSigns } from './foreign-signs.js';

/** What is special about a legal name (§2.3). */
export type ValidNameClass = 'shortest' | 'longest' | 'letters' | 'digits' | 'underscores';

/** The one rule that an illegal name breaks (§2.3, §7.1), in the order of the arbitraries below. */
export const invalidNameClasses = [
  'too-long',
  'upper-case',
  'leading-digit',
  'leading-underscore',
  'trailing-underscore',
  'double-underscore',
  'punctuation',
  'control-character',
  'white-space-around',
  'beyond-ascii',
  'look-alike',
  'encoded-twice',
  'not-utf-8',
  'routing-ambiguous',
] as const;
export type InvalidNameClass = (typeof invalidNameClasses)[number];

/** A name as a case: what it is, and how it stands in the path. */
interface GeneratedName<Class extends string = ValidNameClass | InvalidNameClass> {
  readonly class: Class;
  /** The row of the ledger that says what becomes of it. */
  readonly rule: RequirementId;
  /** The path segment as it is sent, percent-encoded. */
  readonly raw: string;
}

/** A legal name. */
export interface ValidName extends GeneratedName<ValidNameClass> {
  readonly text: string;
}

/** An illegal name; a look-alike says what it looks like. */
export interface InvalidName extends GeneratedName<InvalidNameClass> {
  readonly looksLike?: string;
}

// Ordered so that a shrinking case becomes `a`, then longer runs of it.
const signs = 'abcdefghijklmnopqrstuvwxyz0123456789_';
const longest = 255;

/** The arbitraries of secret names. */
export const secretName = {
  /** Legal names of 1 to 255 characters, biased to the borders: `a`, `k8s`, `a_b_c`, 255 times `a`. */
  valid: (): fc.Arbitrary<ValidName> => filled(validLength).map(validName),

  /**
   * Names that break exactly one rule: `name_`, `Name`, 256 characters, `%FF`; those that may never reach the route or
   * reach another (`..`, `a%2Fb`); without the classes that a target cannot be sent.
   */
  invalid: (without: readonly InvalidNameClass[] = []): fc.Arbitrary<InvalidName> =>
    fc.oneof(
      ...[...invalidNames, routingAmbiguous].filter(
        (_, at) => !without.includes(invalidNameClasses[at] ?? 'punctuation'),
      ),
    ),

  /** Names that break one rule. */
  breaking: (word: InvalidNameClass): fc.Arbitrary<InvalidName> =>
    [...invalidNames, routingAmbiguous][invalidNameClasses.indexOf(word)] ?? routingAmbiguous,
};

/** A name as a reader is told it: as it is sent, or what it is where that is long. */
export function nameLabel({ class: word, raw }: GeneratedName): string {
  return raw.length <= 40 ? raw : `a name of ${raw.length} characters (${word})`;
}

/**
 * A name that a run may use where it shares a tenant with others: the text with the run's own prefix, after its first
 * sign where that is what makes it illegal. Without a prefix it is the text itself.
 */
export function ours(prefix: string, text: string): string {
  if (prefix === '') return text;
  if (/^[a-z]/.test(text)) {
    const isTooLongWith = text.length <= longest && prefix.length + text.length > longest;
    return prefix + (isTooLongWith ? text.slice(prefix.length) : text);
  }
  const first = /^(?:%[0-9a-f]{2}|.|\n)/iu.exec(text)?.[0] ?? '';
  return first + prefix + text.slice(first.length);
}

/** A legal name with what it is told by. */
export function validName(name: string): ValidName {
  const word = validClass(name);
  return { class: word, rule: `secret-name.accepts.${word}`, raw: name, text: name };
}

function validClass(name: string): ValidNameClass {
  if (name.length <= 2) return 'shortest';
  if (name.length >= longest - 1) return 'longest';
  if (name.includes('_')) return 'underscores';
  return /\d/.test(name) ? 'digits' : 'letters';
}

/** An illegal name from the text that stands for it once decoded. */
export function invalidName(word: InvalidNameClass, name: string): InvalidName {
  return { class: word, rule: ruleOf[word], raw: encodeURIComponent(name) };
}

const ruleOf: Readonly<Record<InvalidNameClass, RequirementId>> = {
  'too-long': 'secret-name.refuses.too-long',
  'upper-case': 'secret-name.refuses.upper-case',
  'leading-digit': 'secret-name.refuses.leading-digit',
  'leading-underscore': 'secret-name.refuses.leading-underscore',
  'trailing-underscore': 'secret-name.refuses.trailing-underscore',
  'double-underscore': 'secret-name.refuses.double-underscore',
  punctuation: 'secret-name.refuses.punctuation',
  'control-character': 'secret-name.refuses.control-character',
  'white-space-around': 'secret-name.refuses.punctuation',
  'beyond-ascii': 'secret-name.refuses.beyond-ascii',
  'look-alike': 'secret-name.identity',
  'encoded-twice': 'secret-name.refuses.encoded-twice',
  'not-utf-8': 'secret-name.refuses.not-utf-8',
  'routing-ambiguous': 'secret-name.routing',
};

/** Mostly short, else of any length, half of those at the border; whichever it was, it shrinks to 1. */
const validLength = fc
  .record({ isAny: fc.nat(9), short: fc.integer({ min: 1, max: 24 }), any: fc.nat(2 * longest - 1) })
  .map(({ isAny, short, any }) => {
    if (isAny < 7) return short;
    return any < longest ? any + 1 : longest - (any % 2);
  });

/** Legal texts: a short pattern, repeated to the length, so that length and pattern shrink apart. */
function filled(length: fc.Arbitrary<number>): fc.Arbitrary<string> {
  const pattern = fc.array(fc.nat(signs.length - 1), { minLength: 1, maxLength: 24, size: 'max' });
  return fc
    .tuple(length, pattern)
    .map(([size, places]) =>
      legal(Array.from({ length: size }, (_, at) => signs[places[at % places.length] ?? 0] ?? 'a')),
    );
}

/** Legal texts of some lengths. */
function text(min: number, max: number): fc.Arbitrary<string> {
  return filled(fc.integer({ min, max }));
}

/** The nearest legal text: a letter first, no underscore last, none after another. */
function legal(drawn: readonly string[]): string {
  const kept: string[] = [];
  for (const [at, sign] of drawn.entries()) {
    const isBorder = at === 0 || at === drawn.length - 1;
    const isWrong = sign === '_' && (isBorder || kept[at - 1] === '_');
    kept.push(isWrong || (at === 0 && /\d/.test(sign)) ? 'a' : sign);
  }
  return kept.join('');
}

/** A legal text, mostly short, that leaves room for what spoils it: a rule may be kept near the beginning only. */
const base = fc.oneof({ weight: 3, arbitrary: text(1, 20) }, { weight: 1, arbitrary: text(21, 240) });
const place = fc.nat(1_000);

/** The text with something put between two of its characters, away from underscores. */
function within(name: string, at: number, put: string): string {
  const plain = name.replaceAll('_', '');
  const split = 1 + (at % Math.max(1, plain.length - 1));
  const head = plain.slice(0, split);
  return `${head}${put}${plain.slice(split) || 'a'}`;
}

/** The text with something at its beginning, inside it, or at its end. */
function anywhere(name: string, at: number, put: string): string {
  if (at % 3 === 0) return `${put}${name}`;
  return at % 3 === 1 ? within(name, at, put) : `${name}${put}`;
}

const spoilt = (word: InvalidNameClass, arbitrary: fc.Arbitrary<string>): fc.Arbitrary<InvalidName> =>
  arbitrary.map((name) => invalidName(word, name));

const sent = (word: InvalidNameClass, arbitrary: fc.Arbitrary<string>): fc.Arbitrary<InvalidName> =>
  arbitrary.map((raw) => ({ class: word, rule: ruleOf[word], raw }));

const percent = (name: string): string =>
  [...Buffer.from(name)].map((byte) => `%25${byte.toString(16)}`).join('');

/** Blanks, each with the row of the character that it is. */
const blanks = [
  { blank: ' ', rule: ruleOf.punctuation },
  { blank: '\t', rule: ruleOf['control-character'] },
  { blank: '\n', rule: ruleOf['control-character'] },
  { blank: '\r\n', rule: ruleOf['control-character'] },
  { blank: '\u00a0', rule: ruleOf['beyond-ascii'] },
];

const invalidNames: readonly fc.Arbitrary<InvalidName>[] = [
  spoilt('too-long', fc.oneof(text(256, 256), text(256, 320), text(256, 1_000))),
  spoilt(
    'upper-case',
    fc
      .tuple(base, place, fc.constantFrom(...signs.slice(0, 26)))
      .map(([name, at, sign]) => anywhere(name, at, sign.toUpperCase())),
  ),
  spoilt(
    'leading-digit',
    fc.tuple(fc.nat(9), base).map(([digit, name]) => `${digit}${name}`),
  ),
  spoilt(
    'leading-underscore',
    base.map((name) => `_${name}`),
  ),
  spoilt(
    'trailing-underscore',
    base.map((name) => `${name}_`),
  ),
  spoilt(
    'double-underscore',
    fc.tuple(base, place, fc.constantFrom('__', '___')).map(([name, at, put]) => within(name, at, put)),
  ),
  spoilt(
    'punctuation',
    fc
      .tuple(base, place, fc.constantFrom(...foreignSigns.punctuation))
      .map(([name, at, sign]) => anywhere(name, at, sign)),
  ),
  spoilt(
    'control-character',
    fc
      .tuple(base, place, fc.constantFrom(...foreignSigns.control))
      .map(([name, at, sign]) => anywhere(name, at, sign)),
  ),
  fc.tuple(base, fc.boolean(), fc.constantFrom(...blanks)).map(([name, first, { blank, rule }]) => ({
    ...invalidName('white-space-around', first ? blank + name : name + blank),
    rule,
  })),
  spoilt(
    'beyond-ascii',
    fc
      .tuple(base, place, fc.constantFrom(...foreignSigns.beyondAscii))
      .map(([name, at, sign]) => anywhere(name, at, sign)),
  ),
  fc.tuple(base, place, fc.constantFrom(...lookAlikes())).map(([name, at, { rule, alike }]) => ({
    ...invalidName('look-alike', alike(name, at)),
    rule,
    looksLike: name,
  })),
  sent(
    'encoded-twice',
    fc
      .tuple(base, fc.nat(25))
      .map(([name, letter]) => `${name.replaceAll('_', '')}${percent(signs[letter] ?? 'a')}`),
  ),
  sent(
    'not-utf-8',
    fc
      .tuple(
        base,
        place,
        fc.constantFrom('%FF', '%C3', '%80', '%C3%28', '%ED%A0%80', '%C0%80', '%C1%A1', '%F8%88%80%80%80'),
      )
      .map(([name, at, bytes]) => anywhere(name, at, bytes)),
  ),
];

/** Names that a router may take apart: nothing, dots, and slashes around a legal text. */
const routingAmbiguous: fc.Arbitrary<InvalidName> = sent(
  'routing-ambiguous',
  fc.oneof(
    fc.constantFrom('', '.', '..', '%2e', '%2E%2E'),
    fc
      .tuple(base, fc.constantFrom('/', '//', '%2F', '%5C', '/..', '%2F..', '/.'), fc.boolean())
      .map(([name, slash, first]) => (first ? slash + name : name + slash)),
    fc.tuple(base, fc.constantFrom('/', '%2F', '%5C', '/../'), base).map((parts) => parts.join('')),
  ),
);

interface LookAlike {
  readonly rule: RequirementId;
  readonly alike: (name: string, at: number) => string;
}

/** Ways to look like a name and be none. */
function lookAlikes(): readonly LookAlike[] {
  const by = (word: InvalidNameClass, alike: LookAlike['alike']): LookAlike => ({
    rule: ruleOf[word],
    alike,
  });
  return [
    by('upper-case', (name) => name.charAt(0).toUpperCase() + name.slice(1)),
    by('upper-case', (name) => name.toUpperCase()),
    by('control-character', (name) => `${name}\n`),
    by('punctuation', (name) => `${name} `),
    by('punctuation', (name) => ` ${name}`),
    by('control-character', (name) => `${name}\0`),
    by('leading-underscore', (name) => `_${name}`),
    by('trailing-underscore', (name) => `${name}_`),
    by('beyond-ascii', (name) => `${name}\u200b`),
    by('beyond-ascii', (name) => `${name.slice(0, -1)}\u0430`),
    by('punctuation', (name) => `${name}.`),
  ];
}
