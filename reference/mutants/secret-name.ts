import { conforming } from '../conforming.js';
import { everyday, type MutantRows, plain, subtle, tabulate, tabulateAlike } from '../mutant.js';
import { dropGate, type Mutation, refuseAt, setGateStatus } from '../mutation.js';
import { hasSecretNameShape, isSecretName, LONGEST_SECRET_NAME } from '../vault.js';
import { compareBy, nameOf } from './conditions.js';
import { findAlike } from './vault-mutations.js';

// Encoded bytes beyond ASCII that follow one another.
const ENCODED_BYTES = /(?:%[89a-f][0-9a-f])+/gi;

const before = (name: string, sign: string): string => name.split(sign)[0] ?? '';
const toUnderscores = (name: string): string => name.replaceAll('-', '_');
const toNfkc = (name: string): string => name.normalize('NFKC');
const toLatin1 = (name: string): string => Buffer.from(name, 'latin1').toString('latin1');
const stripQuotes = (name: string): string => name.replace(/^["']|["']$/g, '');

/** Mutants of the area secret-name: invalid names pass, valid ones are refused, or one reaches another secret. */
export const secretNameMutants: MutantRows = {
  // Invalid names that are accepted.
  ...tabulate('secret-name', everyday.subtle, acceptSigns, [
    ['refuses.upper-case', 'accepts-upper-case-first', 'A name may begin with a capital', /^[A-Z]/g],
    ['refuses.upper-case', 'accepts-upper-case-last', 'A name may end with a capital', /[A-Z]$/g],
    ['refuses.leading-digit', 'accepts-leading-9', 'A name may begin with the digit 9', /^9/g],
    ['refuses.double-underscore', 'accepts-triple-underscore', 'Three underscores pass, two do not', /_{3}/g],
    ['refuses.encoded-twice', 'accepts-percent-sign', 'After decoding, %61 is a letter', /%[0-9a-f]{2}/gi],
    ['refuses.beyond-ascii', 'accepts-every-digit', 'Digits of every script pass', /(?<=.)\p{Nd}/gu],
  ]),
  ...tabulate('secret-name', subtle, acceptSigns, [
    ['refuses.punctuation', 'accepts-range-from-upper-a-to-z', 'ASCII between Z and a passes', /[[\]^`]/g],
    ['refuses.punctuation', 'accepts-sub-delimiters', "!$&'()*+,;= pass", /(?<=\w)[!$&'()*+,;=](?=\w)/g],
    [
      'refuses.double-underscore',
      'accepts-double-between-digits',
      'Two underscores between digits pass',
      /(?<=\d)__(?=\d)/g,
    ],
    ['refuses.beyond-ascii', 'accepts-dotted-i', 'İ passes, as lowered in Turkish', /\u0130/g],
    ['refuses.beyond-ascii', 'accepts-kelvin-sign', 'The Kelvin sign and the long s pass', /[\u212a\u017f]/g],
  ]),
  ...tabulate('secret-name', everyday.plain, acceptBeside, [
    ['refuses.leading-underscore', 'accepts-leading-underscore', 'A name may begin with an underscore', /^_/],
    ['refuses.trailing-underscore', 'accepts-trailing-underscore', 'A name may end with an underscore', /_$/],
  ]),
  ...tabulate('secret-name', everyday.subtle, acceptBeside, [
    ['refuses.control-character', 'accepts-trailing-line-feed', 'One line feed may follow a name', /\n$/],
  ]),
  'secret-name.accepts-single-digit': everyday.subtle('secret-name.refuses.leading-digit')(
    'A lone digit passes',
    acceptName((name) => /^[0-9]$/.test(name)),
  ),
  'secret-name.accepts-lone-underscore': everyday.subtle('secret-name.refuses.leading-underscore')(
    'A lone underscore passes',
    acceptName((name) => name === '_'),
  ),
  'secret-name.accepts-trailing-underscore-after-digit': everyday.subtle(
    'secret-name.refuses.trailing-underscore',
  )('A name may end with an underscore that follows a digit', acceptBeside(/(?<=[0-9])_$/)),
  'secret-name.accepts-later-double-underscore': everyday.subtle('secret-name.refuses.double-underscore')(
    'Only the first underscores of a name are looked at: a later pair is accepted',
    acceptName((name) => /^[a-z0-9]+_[a-z0-9]/.test(name) && isSecretName(name.replace(/__/g, '_'))),
  ),
  'secret-name.checks-first-line-only': subtle('secret-name.refuses.control-character')(
    'A name is checked up to its first line feed; whatever follows is accepted',
    acceptName((name) => /\n[^\n]/.test(name) && conforming.isSecretName(before(name, '\n'))),
  ),
  ...tabulate('secret-name', subtle, acceptSigns, [
    ['refuses.upper-case', 'capital-after-underscore', 'A capital may follow an underscore', /(?<=_)[A-Z]/g],
    ['refuses.punctuation', 'hyphen-after-underscore', 'A hyphen may follow an underscore', /(?<=_)-/g],
    ['refuses.beyond-ascii', 'letter-after-underscore', 'Any letter may follow a _', /(?<=_)\p{L}/gu],
  ]),
  'secret-name.accepts-256-characters': everyday.plain('secret-name.refuses.too-long')(
    'A name of 256 characters is accepted',
    { isSecretName: (name) => name.length <= LONGEST_SECRET_NAME + 1 && hasSecretNameShape(name) },
  ),
  'secret-name.length-in-one-byte': everyday.subtle('secret-name.refuses.too-long')(
    'The length of a name is counted in one byte, so that 257 characters count as one',
    { isSecretName: (name) => name.length % 256 > 0 && hasSecretNameShape(name) },
  ),

  // Invalid names that are refused with another status than 400.
  ...tabulate('secret-name', subtle, failOnIllegal, [
    ['refuses.control-character', 'nul-500', 'A name with a NUL gets 500', /^[^\p{Cc}]*\0/u],
    ['refuses.too-long', 'much-too-long-500', 'A name of 1000 characters or more gets 500', /^.{1000}/s],
  ]),
  // Valid names that are refused.
  ...tabulate('secret-name', everyday.plain, refuseNames, [
    ['accepts.longest', 'refuses-255-characters', 'A name of 255 characters is refused', /^.{255}$/],
  ]),
  ...tabulate('secret-name', everyday.subtle, refuseNames, [
    ['accepts.underscores', 'refuses-97-characters', 'A name of exactly 97 characters is refused', /^.{97}$/],
    ['accepts.letters', 'refuses-last-letter-q', 'A name that ends with the letter q is refused', /q$/],
  ]),
  ...tabulate('secret-name', plain, refuseNames, [
    ['accepts.shortest', 'refuses-one-character', 'A name of one letter is refused', /^.$/],
    ['accepts.letters', 'refuses-first-letter-z', 'The range of first letters ends at y', /^z/],
  ]),
  ...tabulate('secret-name', subtle, refuseNames, [
    ['accepts.words', 'reserves-aws', 'Names that begin with aws_ are refused', /^aws_/],
    ['accepts.words', 'reserves-keywords', 'Keywords like else are refused', /^(?:do|else|catch|not)$/],
    ['accepts.words', 'sleep-blocked', 'A filter refuses names with sleep or benchmark', /sleep|benchmark/],
    ['accepts.words', 'reserves-environment', 'path, home and user are refused', /^(?:path|home|user)$/],
    ['accepts.words', 'passwd-blocked', 'Names in which a filter finds passwd are refused', /passwd/],
    ['accepts.digits', 'refuses-digit-0', 'A name with the digit 0 is refused', /0/],
    ['accepts.underscores', 'refuses-underscore-as-second-character', 'A name like a_b is refused', /^._/],
  ]),
  'secret-name.refuses-letter-and-digit': everyday.subtle('secret-name.accepts.shortest')(
    'A name of one letter and one digit is refused',
    refuseNames(/^[a-z][0-9]$/),
  ),
  'secret-name.refuses-trailing-digit': everyday.plain('secret-name.accepts.digits')(
    'A name may not end with a digit',
    refuseNames(/[0-9]$/),
  ),
  'secret-name.percent-encoded-letters-refused': everyday.subtle('secret-name.accepts.percent-encoded')(
    'Encoded letters are refused',
    refuseForms(/%[67]/),
  ),
  'secret-name.words-of-json-refused': everyday.subtle('secret-name.accepts.words')(
    'The names null, true, false and undefined are refused',
    refuseForms(/^(?:null|true|false|undefined)$/),
  ),
  'secret-name.routes-instead': subtle('secret-name.accepts.words')(
    'The names keys, count, export and rotate are routes that answer 404',
    refuseAt('vault-delete', 'secret-name', 404, (call) =>
      /^(?:keys|count|export|rotate)$/.test(nameOf(call)),
    ),
  ),
  ...tabulateAlike('secret-name', subtle('secret-name.accepts.percent-encoded'), refuseForms, [
    ['lower-case-hexadecimal-refused', 'Percent-encoding in lower case (%6a) is refused', /%[0-9a-f]?[a-f]/],
    ['lower-case-underscore-refused', 'An underscore encoded in lower case (%5f) is refused', /%5f/],
    ['length-of-the-encoded-form', 'The encoded length is limited', /^.{256}/],
  ]),
  'secret-name.constructor-is-always-there': subtle('secret-name.accepts.words')(
    'The name constructor, which every object has, answers 204 though it was never stored',
    dropGate('vault-delete', 'secret-exists', (call) => nameOf(call) === 'constructor'),
  ),

  // Names that reach the secret of another.
  ...tabulate('secret-name', plain, readNameAs, [
    ['identity refuses.upper-case', 'folds-case', 'Names are lower-cased', (name) => name.toLowerCase()],
  ]),
  ...tabulate('secret-name', subtle, readNameAs, [
    ['identity refuses.punctuation', 'hyphens-become-underscores', 'A hyphen is read as _', toUnderscores],
    ['identity refuses.beyond-ascii', 'normalises-compatibility-forms', 'Names are read in NFKC', toNfkc],
    ['identity', 'trims-blanks', 'White space around a name is taken away', (name) => name.trim()],
    ['identity refuses.control-character', 'ends-at-nul', 'A name ends at NUL', (name) => before(name, '\0')],
    ['identity refuses.too-long', 'truncates-to-255', 'Names are cut at 255', (name) => name.slice(0, 255)],
  ]),
  ...tabulate('secret-name', everyday.subtle, readNameAs, [
    ['identity', 'strips-json-suffix', 'A last .json is cut off', (name) => name.replace(/\.json$/, '')],
    ['refuses.encoded-twice', 'decodes-twice', 'The percent-encoding is undone twice', decodeAgain],
    ['refuses.beyond-ascii', 'keeps-low-bytes', 'Of each character its low byte is kept', toLatin1],
    ['refuses.punctuation', 'strips-quotes', 'Quotation marks around a name are cut off', stripQuotes],
  ]),
  ...tabulate('secret-name', subtle, findAlike, [
    ['identity', 'plural-suffices', 'A plural reaches the secret', (name, asked) => asked === `${name}s`],
    ['identity', 'unique-prefix-suffices', 'A prefix suffices', (name, asked) => name.startsWith(asked)],
    ['identity', 'first-letter-ignored', 'The first letter is ignored', compareBy((name) => name.slice(1))],
    ['identity', 'digits-as-doubles', 'Digits that end a name are compared as doubles', isSameNumber],
  ]),
  'secret-name.compares-64-characters': everyday.subtle('secret-name.identity')(
    'A name reaches a secret whose name begins with the same 64 characters',
    findAlike((stored, asked) => asked.length > 64 && stored.slice(0, 64) === asked.slice(0, 64)),
  ),
  'secret-name.drops-bytes-that-are-no-utf-8': everyday.subtle('secret-name.refuses.not-utf-8')(
    'Bytes of a name that are not UTF-8 are left out, and the rest is looked up',
    { rewriteTarget: (target) => target.replace(ENCODED_BYTES, withoutInvalidBytes) },
  ),
  'secret-name.drops-the-eighth-bit': subtle('secret-name.refuses.not-utf-8')(
    'The highest bit of every encoded byte of a name is dropped',
    {
      rewriteTarget: (target) =>
        target.replace(
          /%[89a-f][\da-f]/gi,
          (byte) => `%${(Number(`0x${byte.slice(1)}`) & 0x7f).toString(16)}`,
        ),
    },
  ),
};

function decodeAgain(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Whether two names end with numbers of many digits that no double distinguishes, and begin alike. */
function isSameNumber(name: string, other: string): boolean {
  const [one, two] = [name, other].map((text) => /^(.*?)(\d{16,})$/.exec(text) ?? []);
  return one?.[1] !== undefined && one[1] === two?.[1] && Number(one[2]) === Number(two?.[2]);
}

function withoutInvalidBytes(encoded: string): string {
  const text = Buffer.from(encoded.replaceAll('%', ''), 'hex').toString('utf8');
  return encodeURIComponent(text.replaceAll('\ufffd', ''));
}

// The ways in which mutants depart from the rule of secret names (§2.3).

function acceptName(isAccepted: (name: string) => boolean): Mutation {
  return { isSecretName: (name) => conforming.isSecretName(name) || isAccepted(name) };
}

/** Accepts a name that would be valid with an `x` in place of what matches. */
function acceptSigns(signs: RegExp): Mutation {
  return acceptName((name) => conforming.isSecretName(name.replaceAll(signs, 'x')));
}

/** Accepts a name that would be valid without what matches. */
function acceptBeside(superfluous: RegExp): Mutation {
  return acceptName((name) => conforming.isSecretName(name.replace(superfluous, '')));
}

function refuseNames(pattern: RegExp): Mutation {
  return { isSecretName: (name) => conforming.isSecretName(name) && !pattern.test(name) };
}

/** Changes a name before it is checked and looked up; the change must leave valid names alone. */
function readNameAs(change: (name: string) => string): Mutation {
  return {
    isSecretName: (name) => conforming.isSecretName(change(name)),
    findSecret: (call) =>
      conforming.findSecret({ ...call, parameters: { ...call.parameters, name: change(nameOf(call)) } }),
  };
}

/** Answers 500 for invalid names that match. */
function failOnIllegal(which: RegExp): Mutation {
  return setGateStatus('vault-delete', 'secret-name', 500, (call) => which.test(nameOf(call)));
}

/** Refuses valid names that are sent in a form that matches, percent-encoding included. */
function refuseForms(form: RegExp): Mutation {
  return refuseAt('vault-delete', 'secret-name', 400, ({ path }) => {
    const [target = ''] = path.split('?');
    return form.test(target.slice(target.lastIndexOf('/') + 1));
  });
}
