import { everyday, type Mutant, makeMutants, plain, subtle, tabulate } from '../mutant.js';
import { dropGate, type Mutation, setStatus } from '../mutation.js';
import {
  acceptBeside,
  acceptName,
  acceptSigns,
  refuseForms,
  refuseLegalNames,
  setIllegalStatus,
} from './secret-name-rule.js';

// A percent sign that is not followed by two hexadecimal digits.
const STRAY_PERCENT = /%(?![0-9a-f]{2})/i;

// Encoded bytes beyond ASCII that follow one another.
const ENCODED_BYTES = /(?:%[89a-f][0-9a-f])+/gi;

/** Mutants of the area secret-name: characters that no name may hold. */
export const secretNameCharactersMutants: readonly Mutant[] = [
  ...makeMutants('secret-name.refuses.punctuation', {
    ...tabulate('secret-name.accepts-', plain, acceptSigns, {
      hyphen: ['A name may hold hyphens', /-/g],
      blank: ['A name may hold blanks between its other characters', /(?<=\w) (?=\w)/g],
    }),
    ...tabulate('secret-name.accepts-', subtle, acceptSigns, {
      colon: ['The range of digits ends one character late: a name may hold colons', /:/g],
      brace: ['The range of letters ends one character late: a name may hold braces', /\{/g],
      'range-from-upper-a-to-z': ['What ASCII has between Z and a counts as a letter', /[[\]^`]/g],
      tilde: ['A name may hold tildes, as every other unreserved character of a URI', /~/g],
      'at-sign': ['A name may hold at signs', /@/g],
      'sub-delimiters': ["The characters !$&'()*+,;= may stand inside a name", /(?<=\w)[!$&'()*+,;=](?=\w)/g],
    }),
    'secret-name.accepts-sign-at-the-end': subtle(
      'The rule has no end: whatever follows a name after a question mark or a number sign is accepted',
      acceptBeside(/[?#].*$/),
    ),
    'secret-name.quote-403': subtle(
      'A name with a quotation mark is taken for an attack and answered 403',
      setIllegalStatus(403, /['"]/),
    ),
  }),
  ...makeMutants('secret-name.refuses.encoded-twice', {
    'secret-name.accepts-percent-sign': everyday.subtle(
      'A percent sign and two hexadecimal digits, still there after decoding, are taken for a letter',
      acceptSigns(/%[0-9a-f]{2}/gi),
    ),
  }),
  ...makeMutants('secret-name.refuses.control-character', {
    'secret-name.accepts-trailing-line-feed': everyday.subtle(
      'A name may be followed by one line feed, as where $ also matches before it',
      acceptBeside(/\n$/),
    ),
    'secret-name.looks-at-any-line': subtle(
      'Of several lines it is enough that one is a name',
      acceptName((name) => name.split('\n').some((line) => /^[a-z][a-z0-9]*$/.test(line))),
    ),
    ...tabulate('secret-name.accepts-', subtle, acceptSigns, {
      'delete-character': ['The control character DEL may stand in a name', /\u007f/g],
      nul: ['The control character NUL may stand in a name', /\0/g],
      'control-characters': ['Control characters but white space may stand in a name', /(?!\s)\p{Cc}/gu],
    }),
    'secret-name.nul-500': subtle(
      'A name with a NUL, which a database does not store, gets 500',
      setIllegalStatus(500, /^[^\p{Cc}]*\0/u),
    ),
  }),
  ...makeMutants('secret-name.refuses.beyond-ascii', {
    'secret-name.accepts-every-digit': everyday.subtle(
      'Decimal digits of every script may stand in a name',
      acceptSigns(/(?<=.)\p{Nd}/gu),
    ),
    ...tabulate('secret-name.accepts-', subtle, acceptSigns, {
      'every-alphabet': ['Lower-case letters of every alphabet may stand in a name', /\p{Ll}/gu],
      'full-width': ['Full-width characters may stand in a name', /[\uff10-\uff19\uff3f\uff41-\uff5a]/g],
      'kelvin-sign': ['The Kelvin sign and the long s count as k and s', /[\u212a\u017f]/g],
      'combining-marks': ['Letters of a name may carry combining marks', /(?<=.)\p{M}/gu],
      'beyond-the-basic-plane': [
        'Characters of two UTF-16 units may stand in it',
        /[\u{10000}-\u{10ffff}]/gu,
      ],
    }),
  }),
  ...makeMutants(['secret-name.refuses.upper-case', 'secret-name.refuses.leading-digit'], {
    'secret-name.illegal-404': plain('A name that breaks the rules gets 404', setIllegalStatus(404, /^/)),
  }),
  ...makeMutants('secret-name.refuses.too-long', {
    'secret-name.too-long-414': plain('A name that is too long gets 414', setIllegalStatus(414, /^\w{256}/)),
    'secret-name.much-too-long-500': subtle(
      'A name of 1000 characters or more gets 500',
      setIllegalStatus(500, /^.{1000}/s),
    ),
  }),
  ...makeMutants('secret-name.refuses.not-utf-8', {
    'secret-name.not-utf-8-500': subtle(
      'A name whose bytes are not UTF-8 gets 500',
      setUndecodableStatus(500, false),
    ),
    'secret-name.drops-bytes-that-are-no-utf-8': everyday.subtle(
      'Bytes of a name that are not UTF-8 are left out, and the rest is looked up',
      { rewriteTarget: (target) => target.replace(ENCODED_BYTES, withoutInvalidBytes) },
      ['secret-name.identity'],
    ),
    'secret-name.reads-overlong-utf-8': subtle(
      'The overlong form of a letter, two bytes beginning with C1, is taken for the letter',
      { rewriteTarget: (target) => target.replace(/%c1%([ab][0-9a-f])/gi, readOverlong) },
    ),
  }),
  ...makeMutants('vault-delete.400.percent-encoding', {
    'secret-name.malformed-encoding-500': plain(
      'A malformed percent-encoding gets 500',
      setUndecodableStatus(500, true),
    ),
  }),
  ...makeMutants('secret-name.accepts.percent-encoded', {
    'secret-name.percent-encoded-letters-refused': everyday.subtle(
      'A legal name is refused when some of its letters are percent-encoded',
      refuseForms(/%[67]/),
    ),
    ...tabulate('secret-name.', subtle, refuseForms, {
      'lower-case-hexadecimal-refused': [
        'Lower-case hexadecimal digits are refused',
        /%(?:[a-f]|[0-9][a-f])/,
      ],
      'length-of-the-encoded-form': ['The length of a name is that of its percent-encoded form', /^.{256}/],
    }),
  }),
  ...makeMutants('secret-name.accepts.words', {
    'secret-name.words-of-json-refused': everyday.subtle(
      'The names null, true, false and undefined are taken for no name and refused',
      refuseForms(/^(?:null|true|false|undefined)$/),
    ),
    'secret-name.words-of-sql-403': subtle(
      'The names select and delete are taken for an attack and answered 403',
      refuseLegalNames(403, /^(?:select|delete)$/),
    ),
    'secret-name.constructor-is-always-there': subtle(
      'The name constructor, which every object has, answers 204 though it was never stored',
      dropGate('vault-delete', 'secret-exists', ({ parameters }) => parameters.name === 'constructor'),
    ),
    'secret-name.default-is-reserved': subtle(
      'The names default and index are reserved and refused',
      refuseForms(/^(?:default|index)$/),
    ),
  }),
  ...makeMutants('secret-name.accepts.underscores', {
    'secret-name.refuses-key-as-a-word': subtle(
      'A name with the word key between underscores looks like a credential and is refused',
      refuseForms(/_key_/),
    ),
  }),
  ...makeMutants('secret-name.accepts.letters', {
    'secret-name.first-letter-q-404': subtle(
      'A stored secret whose name begins with the letter q is not found',
      refuseLegalNames(404, /^q/),
    ),
  }),
];

/** Targets that cannot be decoded get a status, for a stray percent sign or for bytes that are not UTF-8. */
function setUndecodableStatus(status: number, isStray: boolean): Mutation {
  return setStatus(
    { operation: 'malformed-target', when: ({ path }) => STRAY_PERCENT.test(path) === isStray },
    status,
  );
}

function readOverlong(_form: string, byte: string): string {
  return String.fromCharCode(Number.parseInt(byte, 16) - 0x40);
}

function withoutInvalidBytes(encoded: string): string {
  const text = Buffer.from(encoded.replaceAll('%', ''), 'hex').toString('utf8');
  return encodeURIComponent(text.replaceAll('\ufffd', ''));
}
