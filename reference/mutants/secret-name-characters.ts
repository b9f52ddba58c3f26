import { everyday, type Mutant, makeMutants, plain, subtle } from '../mutant.js';
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
    'secret-name.accepts-hyphen': plain('A name may hold hyphens', acceptSigns(/-/g)),
    'secret-name.accepts-blank': plain(
      'A name may hold blanks between its other characters',
      acceptSigns(/(?<=\w) (?=\w)/g),
    ),
    'secret-name.accepts-colon': subtle(
      'The range of digits ends one character late: a name may hold colons',
      acceptSigns(/:/g),
    ),
    'secret-name.accepts-brace': subtle(
      'The range of letters ends one character late: a name may hold opening braces',
      acceptSigns(/\{/g),
    ),
    'secret-name.accepts-range-from-upper-a-to-z': subtle(
      'Brackets, carets and backticks, which ASCII has between Z and a, count as letters',
      acceptSigns(/[[\]^`]/g),
    ),
    'secret-name.accepts-tilde': subtle(
      'A name may hold tildes, as every other unreserved character of a URI',
      acceptSigns(/~/g),
    ),
    'secret-name.accepts-at-sign': subtle('A name may hold at signs', acceptSigns(/@/g)),
    'secret-name.accepts-sub-delimiters': subtle(
      "The characters !$&'()*+,;= may stand inside a name",
      acceptSigns(/(?<=\w)[!$&'()*+,;=](?=\w)/g),
    ),
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
    'secret-name.accepts-delete-character': subtle(
      'The control character DEL may stand in a name',
      acceptSigns(/\u007f/g),
    ),
    'secret-name.accepts-nul': subtle('The control character NUL may stand in a name', acceptSigns('\0')),
    'secret-name.accepts-control-characters': subtle(
      'Control characters that are no white space may stand in a name',
      acceptSigns(/(?!\s)\p{Cc}/gu),
    ),
    'secret-name.nul-500': subtle(
      'A name with a NUL, which a database does not store, gets 500',
      setIllegalStatus(500, /^[^\p{Cc}]*\0/u),
    ),
  }),
  ...makeMutants('secret-name.refuses.beyond-ascii', {
    'secret-name.accepts-every-alphabet': subtle(
      'Lower-case letters of every alphabet may stand in a name',
      acceptSigns(/\p{Ll}/gu),
    ),
    'secret-name.accepts-every-digit': everyday.subtle(
      'Decimal digits of every script may stand in a name',
      acceptSigns(/(?<=.)\p{Nd}/gu),
    ),
    'secret-name.accepts-full-width': subtle(
      'Full-width letters, digits and underscores may stand in a name',
      acceptSigns(/[\uff10-\uff19\uff3f\uff41-\uff5a]/g),
    ),
    'secret-name.accepts-kelvin-sign': subtle(
      'The Kelvin sign and the long s, which match k and s without regard to case, are accepted',
      acceptSigns(/[\u212a\u017f]/g),
    ),
    'secret-name.accepts-combining-marks': subtle(
      'Letters of a name may carry combining marks',
      acceptSigns(/(?<=.)\p{M}/gu),
    ),
    'secret-name.accepts-beyond-the-basic-plane': subtle(
      'Characters of two UTF-16 units may stand in a name',
      acceptSigns(/[\u{10000}-\u{10ffff}]/gu),
    ),
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
    'secret-name.not-utf-8-500': subtle('A name whose bytes are not UTF-8 gets 500', setNotUtf8Status(500)),
    'secret-name.drops-bytes-that-are-no-utf-8': everyday.subtle(
      'Bytes of a name that are not UTF-8 are left out, and the rest is looked up',
      readTargetAs((target) => target.replace(ENCODED_BYTES, withoutInvalidBytes)),
      ['secret-name.identity'],
    ),
    'secret-name.reads-overlong-utf-8': subtle(
      'The overlong form of a letter, two bytes beginning with C1, is taken for the letter',
      readTargetAs((target) =>
        target.replace(/%c1%([ab][0-9a-f])/gi, (_form, byte: string) =>
          String.fromCharCode(Number.parseInt(byte, 16) - 0x40),
        ),
      ),
    ),
  }),
  ...makeMutants('vault-delete.400.percent-encoding', {
    'secret-name.malformed-encoding-500': plain(
      'A malformed percent-encoding gets 500',
      setMalformedStatus(500),
    ),
  }),
  ...makeMutants('secret-name.accepts.percent-encoded', {
    'secret-name.percent-encoded-letters-refused': everyday.subtle(
      'A legal name is refused when some of its letters are percent-encoded',
      refuseForms(/%[67]/),
    ),
    'secret-name.lower-case-hexadecimal-refused': subtle(
      'A percent-encoding with a lower-case hexadecimal digit is not understood',
      refuseForms(/%(?:[a-f]|[0-9][a-f])/),
    ),
    'secret-name.length-of-the-encoded-form': subtle(
      'The length of a name is that of its percent-encoded form: legal names of 86 encoded letters are too long',
      refuseForms(/^.{256}/),
    ),
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

function setMalformedStatus(status: number): Mutation {
  return setStatus({ operation: 'malformed-target', when: ({ path }) => STRAY_PERCENT.test(path) }, status);
}

function setNotUtf8Status(status: number): Mutation {
  return setStatus({ operation: 'malformed-target', when: ({ path }) => !STRAY_PERCENT.test(path) }, status);
}

function readTargetAs(change: (target: string) => string): Mutation {
  return { rewriteTarget: change };
}

function withoutInvalidBytes(encoded: string): string {
  const text = Buffer.from(encoded.replaceAll('%', ''), 'hex').toString('utf8');
  return encodeURIComponent(text.replaceAll('\ufffd', ''));
}
