import { conforming } from '../conforming.js';
import { everyday, type Mutant, makeMutants, plain, subtle, tabulate } from '../mutant.js';
import type { Mutation } from '../mutation.js';
import { as, namedIntern, nameOf, type When } from './conditions.js';
import { findAlike, readNameAs, refuseLegalNames, setIllegalStatus } from './secret-name-rule.js';
import { claimDone, keepSecret } from './vault-mutations.js';

/** Mutants of the area secret-name: names that only look alike reach a stored secret. */
export const secretNameIdentityMutants: readonly Mutant[] = [
  ...makeMutants(['secret-name.identity', 'secret-name.refuses.upper-case'], {
    'secret-name.folds-case': plain(
      'A name is put into lower case before it is looked up',
      readNameAs((name) => name.toLowerCase()),
    ),
  }),
  ...makeMutants('secret-name.identity', {
    'secret-name.trims-blanks': subtle(
      'White space around a name is taken away',
      readNameAs((name) => name.trim()),
    ),
    'secret-name.strips-json-suffix': everyday.subtle(
      'The suffix .json is taken away from a name',
      readNameAs((name) => name.replace(/\.json$/, '')),
      ['secret-name.refuses.punctuation'],
    ),
    'secret-name.compares-64-characters': everyday.subtle(
      'A name reaches a secret whose name begins with the same 64 characters',
      findAlike((stored, asked) => asked.length > 64 && stored.slice(0, 64) === asked.slice(0, 64)),
    ),
    'secret-name.trailing-number-in-53-bits': subtle(
      'Names are compared by their trailing numbers as 64-bit floats, which take 2^53 + 1 for 2^53',
      findAlike((stored, asked) => {
        const [one, other] = [parseNumbered(stored), parseNumbered(asked)];
        return one !== undefined && one.word === other?.word && one.number === other.number;
      }),
    ),
    ...tabulate('secret-name.', subtle, findAlike, {
      'underscores-do-not-count': [
        'Names are compared without underscores',
        compareBy((name) => name.replace(/_/g, '')),
      ],
      'leading-zeros-do-not-count': [
        'Zeros before the number at the end do not count',
        compareBy((name) => name.replace(/(?<!\d)0+(?=\d+$)/, '')),
      ],
      'compares-254-characters': [
        'The 255th character of a name does not count',
        compareBy((name) => name.slice(0, 254)),
      ],
      'unique-prefix-suffices': [
        'The beginning of a name reaches the secret',
        (stored, asked) => stored.startsWith(asked),
      ],
    }),
  }),
  ...makeMutants(['secret-name.identity', 'secret-name.refuses.control-character'], {
    ...tabulate('secret-name.', subtle, readNameAs, {
      'trims-line-end': ['The line end after a name is taken away', (name) => name.replace(/\r?\n$/, '')],
      'drops-control-characters': ['Control characters are left out', (name) => name.replace(/\p{Cc}/gu, '')],
      'ends-at-nul': ['A name ends at its first NUL, as a string of C', (name) => before(name, '\0')],
    }),
  }),
  ...makeMutants(['secret-name.identity', 'secret-name.refuses.trailing-underscore'], {
    'secret-name.trims-underscores': subtle(
      'Underscores around a name are taken away',
      readNameAs((name) => name.replace(/^_+|_+$/g, '')),
    ),
  }),
  ...makeMutants(['secret-name.identity', 'secret-name.refuses.double-underscore'], {
    'secret-name.collapses-underscores': subtle(
      'Several underscores in a row are taken for one',
      readNameAs((name) => name.replace(/_+/g, '_')),
    ),
  }),
  ...makeMutants(['secret-name.identity', 'secret-name.refuses.punctuation'], {
    ...tabulate('secret-name.', subtle, readNameAs, {
      'hyphens-become-underscores': [
        'A hyphen is taken for an underscore',
        (name) => name.replaceAll('-', '_'),
      ],
      'blanks-become-underscores': [
        'A blank is taken for an underscore',
        (name) => name.replaceAll(' ', '_'),
      ],
      'ends-at-semicolon': [
        'A name ends at a semicolon, as before path parameters',
        (name) => before(name, ';'),
      ],
      'ends-at-question-mark': ['A name ends at an encoded question mark', (name) => before(name, '?')],
    }),
    'secret-name.star-is-a-wildcard': subtle('A star at the end of a name stands for any ending', {
      ...findAlike((stored, asked) => asked.endsWith('*') && stored.startsWith(asked.slice(0, -1))),
      isSecretName: (name) => conforming.isSecretName(name.replace(/\*$/, '')),
    }),
  }),
  ...makeMutants(['secret-name.identity', 'secret-name.refuses.too-long'], {
    'secret-name.truncates-to-255': subtle(
      'A name is cut after 255 characters, and what is left is looked up',
      readNameAs((name) => name.slice(0, 255)),
    ),
  }),
  ...makeMutants('secret-name.refuses.encoded-twice', {
    'secret-name.decodes-twice': everyday.subtle(
      'The percent-encoding of a name is undone twice',
      readNameAs(decodeAgain),
      ['secret-name.identity'],
    ),
    'secret-name.decodes-to-the-end': subtle(
      'The percent-encoding of a name is undone until none is left',
      readNameAs((name) => decodeAgain(decodeAgain(decodeAgain(name)))),
    ),
  }),
  ...makeMutants(['secret-name.identity', 'secret-name.refuses.beyond-ascii'], {
    ...tabulate('secret-name.', subtle, readNameAs, {
      'normalises-compatibility-forms': ['A name is brought into NFKC', (name) => name.normalize('NFKC')],
      'strips-accents': [
        'Letters lose their accents',
        (name) => name.normalize('NFD').replace(/\p{M}/gu, ''),
      ],
      'drops-invisible-characters': [
        'Shapeless characters are left out',
        (name) => name.replace(/\p{Cf}/gu, ''),
      ],
    }),
  }),
  ...makeMutants('secret-name.refuses.beyond-ascii', {
    'secret-name.keeps-low-bytes': everyday.subtle(
      'Of each character of a name only the low byte is kept',
      readNameAs((name) => Buffer.from(name, 'latin1').toString('latin1')),
      ['secret-name.identity'],
    ),
  }),
  ...makeMutants('secret-name.refuses.punctuation', {
    'secret-name.plus-is-a-blank': subtle(
      'A plus sign is taken for a blank, as in a form, and then trimmed',
      readNameAs((name) => name.replaceAll('+', ' ').trim()),
    ),
    'secret-name.strips-quotes': everyday.subtle(
      'Quotation marks around a name, or at one end, are taken away',
      readNameAs((name) => name.replace(/^["']|["']$/g, '')),
      ['secret-name.identity'],
    ),
  }),
  ...makeMutants('vault-delete.204.takes-effect', {
    'secret-name.constructor-and-prototype-stay': subtle(
      'The names constructor and prototype are guarded against pollution: a delete answers 204, and they stay',
      keepSecret((_call, { name }) => name === 'constructor' || name === 'prototype'),
    ),
  }),
  ...makeMutants('secret-name.accepts.words', {
    ...tabulate('secret-name.', subtle, (pattern: RegExp) => refuseLegalNames(404, pattern), {
      'numbers-in-words-404': ['Names that read as numbers are not found', /^(?:nan|inf|infinity)$/],
      'yaml-booleans-404': ['Names that YAML reads as true or false are not found', /^(?:yes|no|on|off)$/],
    }),
    'secret-name.device-names-500': subtle(
      'The names con, prn, aux, nul, com1 and lpt1, which are devices to the file system, answer 500',
      refuseLegalNames(500, /^(?:con|prn|aux|nul|com1|lpt1)$/),
    ),
    'secret-name.trailing-number-in-31-bits': subtle(
      'A name whose trailing number is above 2147483647 answers 500',
      refuseLegalNames(
        500,
        /[a-z_](?:[1-9]\d{10,}|214748364[89]|21474836[5-9]\d|2147483[7-9]\d{2}|[3-9]\d{9})$/,
      ),
    ),
  }),
  ...makeMutants('secret-name.refuses.leading-digit', {
    'secret-name.record-number-204': subtle(
      'A name of digits up to 2147483647 is taken for the number of a record, and answers 204',
      findIllegal(/^\d{2,10}$/, (call) => Number(nameOf(call)) <= 2_147_483_647),
    ),
  }),
  ...makeMutants('secret-name.refuses.leading-underscore', {
    'secret-name.proto-is-always-there': subtle(
      'The name __proto__, which every object has, answers 204',
      findIllegal(/^__proto__$/),
    ),
  }),
  ...makeMutants('secret-name.refuses.upper-case', {
    'secret-name.methods-of-objects-are-always-there': subtle(
      'The names toString, valueOf and hasOwnProperty, which every object has, answer 204',
      findIllegal(/^(?:toString|valueOf|hasOwnProperty)$/),
    ),
    'secret-name.null-in-capitals-404': subtle(
      'The names NULL, None and True are read as no name, for which there is nothing, and answer 404',
      setIllegalStatus(404, /^(?:NULL|Null|None|True|False|TRUE|FALSE)$/),
    ),
  }),
];

function decodeAgain(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function before(name: string, sign: string): string {
  const [start = ''] = name.split(sign);
  return start;
}

interface Numbered {
  readonly word: string;
  readonly number: number;
}

function parseNumbered(name: string): Numbered | undefined {
  const [, word, digits] = /^(.*?)(\d+)$/.exec(name) ?? [];
  return word === undefined || digits === undefined || digits.startsWith('0')
    ? undefined
    : { word, number: Number(digits) };
}

/** Names are the same when they come out the same. */
function compareBy(read: (name: string) => string): (stored: string, asked: string) => boolean {
  return (stored, asked) => read(stored) === read(asked);
}

/** Some illegal names count as stored for an intern of the workspace. */
function findIllegal(name: RegExp, isFound: When = () => true): Mutation {
  const isMeant: When = (call) =>
    as('member')(call) &&
    !['foreign', undefined].includes(namedIntern(call)) &&
    name.test(nameOf(call)) &&
    isFound(call);
  return claimDone(400, isMeant);
}
