import type { Mutant, Override } from '../mutant.js';
import { noGate, restatused } from '../override.js';
import { illegalNames, legalNames, refusesForms } from './secret-name-rule.js';

/** Mutants of the area secret-name: another status, percent-encoding, and words that are kept for something else. */
export const secretNameStatusMutants: readonly Mutant[] = [
  {
    id: 'secret-name.illegal-404',
    section: '2.3',
    turnsRed: ['secret-name.refuses.upper-case', 'secret-name.refuses.leading-digit'],
    description: 'A name that breaks the rules is answered 404',
    hardness: 'plain',
    override: illegalNames(404, /^/),
  },
  {
    id: 'secret-name.illegal-422',
    section: '2.3',
    turnsRed: ['secret-name.refuses.upper-case', 'secret-name.refuses.leading-digit'],
    description: 'A name that breaks the rules is answered 422',
    hardness: 'plain',
    override: illegalNames(422, /^/),
  },
  {
    id: 'secret-name.too-long-414',
    section: '2.3',
    turnsRed: ['secret-name.refuses.too-long'],
    description: 'A name that is too long is answered 414',
    hardness: 'plain',
    override: illegalNames(414, /^\w{256}/),
  },
  {
    id: 'secret-name.much-too-long-500',
    section: '2.3',
    turnsRed: ['secret-name.refuses.too-long'],
    description: 'A name of 1000 characters or more is answered 500',
    hardness: 'subtle',
    override: illegalNames(500, /^.{1000}/s),
  },
  {
    id: 'secret-name.upper-case-404',
    section: '2.3',
    turnsRed: ['secret-name.refuses.upper-case'],
    description: 'A name with upper-case letters is looked up, not found and answered 404',
    hardness: 'plain',
    override: illegalNames(404, /[A-Z]/),
  },
  {
    id: 'secret-name.nul-500',
    section: '2.3',
    turnsRed: ['secret-name.refuses.control-character'],
    description: 'A name with a NUL, which a database does not store, is answered 500',
    hardness: 'subtle',
    override: illegalNames(500, /^[^\p{Cc}]*\0/u),
  },
  {
    id: 'secret-name.beyond-ascii-500',
    section: '2.3',
    turnsRed: ['secret-name.refuses.beyond-ascii'],
    description: 'A name with a character beyond ASCII is answered 500',
    hardness: 'subtle',
    override: illegalNames(500, /[^\p{ASCII}]/u),
  },
  {
    id: 'secret-name.quote-403',
    section: '2.3',
    turnsRed: ['secret-name.refuses.punctuation'],
    description: 'A name with a quotation mark is taken for an attack and answered 403',
    hardness: 'subtle',
    override: illegalNames(403, /['"]/),
  },

  {
    id: 'secret-name.not-utf-8-500',
    section: '7.1',
    turnsRed: ['secret-name.refuses.not-utf-8'],
    description: 'A name whose bytes are no UTF-8 is answered 500',
    hardness: 'subtle',
    override: notUtf8(500),
  },
  {
    id: 'secret-name.not-utf-8-404',
    section: '7.1',
    turnsRed: ['secret-name.refuses.not-utf-8'],
    description: 'A name whose bytes are no UTF-8 is answered 404',
    hardness: 'subtle',
    override: notUtf8(404),
  },
  {
    id: 'secret-name.drops-bytes-that-are-no-utf-8',
    section: '7.1',
    turnsRed: ['secret-name.refuses.not-utf-8'],
    description: 'Bytes of a name that are no UTF-8 are left out, and the rest is looked up',
    hardness: 'subtle',
    override: readsTargetAs((target) => target.replace(ENCODED_BYTES, withoutInvalidBytes)),
  },
  {
    id: 'secret-name.reads-overlong-utf-8',
    section: '7.1',
    turnsRed: ['secret-name.refuses.not-utf-8'],
    description: 'The overlong form of a letter, two bytes beginning with C1, is taken for the letter',
    hardness: 'subtle',
    override: readsTargetAs((target) =>
      target.replace(/%c1%([ab][0-9a-f])/gi, (_form, byte: string) =>
        String.fromCharCode(Number.parseInt(byte, 16) - 0x40),
      ),
    ),
  },
  {
    id: 'secret-name.malformed-encoding-500',
    section: '7.1',
    turnsRed: ['vault-delete.400.percent-encoding'],
    description: 'A malformed percent-encoding is answered 500',
    hardness: 'plain',
    override: malformedEncoding(500),
  },
  {
    id: 'secret-name.malformed-encoding-404',
    section: '7.1',
    turnsRed: ['vault-delete.400.percent-encoding'],
    description: 'A malformed percent-encoding is answered 404',
    hardness: 'plain',
    override: malformedEncoding(404),
  },
  {
    id: 'secret-name.drops-stray-percent-signs',
    section: '7.1',
    turnsRed: ['vault-delete.400.percent-encoding'],
    description: 'A percent sign that begins no encoding is left out, and the rest is looked up',
    hardness: 'subtle',
    override: readsTargetAs((target) => target.replace(STRAY_PERCENTS, '')),
  },

  {
    id: 'secret-name.percent-encoded-letters-refused',
    section: '2.3',
    turnsRed: ['secret-name.accepts.percent-encoded'],
    description: 'A legal name is refused when some of its letters are percent-encoded',
    hardness: 'subtle',
    override: refusesForms(/%[67]/),
  },
  {
    id: 'secret-name.lower-case-hexadecimal-refused',
    section: '2.3',
    turnsRed: ['secret-name.accepts.percent-encoded'],
    description: 'A percent-encoding with a lower-case hexadecimal digit is not understood',
    hardness: 'subtle',
    override: refusesForms(/%(?:[a-f]|[0-9][a-f])/),
  },
  {
    id: 'secret-name.percent-encoded-underscore-refused',
    section: '2.3',
    turnsRed: ['secret-name.accepts.percent-encoded'],
    description: 'A legal name is refused when its underscore is percent-encoded',
    hardness: 'subtle',
    override: refusesForms(/%5f/i),
  },
  {
    id: 'secret-name.length-of-the-encoded-form',
    section: '2.3',
    turnsRed: ['secret-name.accepts.percent-encoded'],
    description:
      'The length of a name is that of its percent-encoded form: legal names of 86 encoded letters are too long',
    hardness: 'subtle',
    override: refusesForms(/^.{256}/),
  },

  {
    id: 'secret-name.words-of-json-refused',
    section: '2.3',
    turnsRed: ['secret-name.accepts.words'],
    description: 'The names null, true, false and undefined are taken for no name and refused',
    hardness: 'subtle',
    override: refusesForms(/^(?:null|true|false|undefined)$/),
  },
  {
    id: 'secret-name.words-of-sql-403',
    section: '2.3',
    turnsRed: ['secret-name.accepts.words'],
    description: 'The names select and delete are taken for an attack and answered 403',
    hardness: 'subtle',
    override: legalNames(403, /^(?:select|delete)$/),
  },
  {
    id: 'secret-name.constructor-is-always-there',
    section: '2.3',
    turnsRed: ['secret-name.accepts.words'],
    description: 'The name constructor, which every object has, answers 204 though it was never stored',
    hardness: 'subtle',
    override: noGate('vault-delete', 'secret-exists', ({ parameters }) => parameters.name === 'constructor'),
  },
  {
    id: 'secret-name.default-is-reserved',
    section: '2.3',
    turnsRed: ['secret-name.accepts.words'],
    description: 'The names default and index are reserved and refused',
    hardness: 'subtle',
    override: refusesForms(/^(?:default|index)$/),
  },
  {
    id: 'secret-name.refuses-key-as-a-word',
    section: '2.3',
    turnsRed: ['secret-name.accepts.underscores'],
    description: 'A name with the word key between underscores looks like a credential and is refused',
    hardness: 'subtle',
    override: refusesForms(/_key_/),
  },
  {
    id: 'secret-name.first-letter-q-404',
    section: '2.3',
    turnsRed: ['secret-name.accepts.letters'],
    description: 'A stored secret whose name begins with the letter q is not found',
    hardness: 'subtle',
    override: legalNames(404, /^q/),
  },
];

// A percent sign that begins no encoding of a byte.
const STRAY_PERCENT = /%(?![0-9a-f]{2})/i;
const STRAY_PERCENTS = new RegExp(STRAY_PERCENT, 'gi');
// Encoded bytes beyond ASCII that follow one another.
const ENCODED_BYTES = /(?:%[89a-f][0-9a-f])+/gi;

function malformedEncoding(status: number): Override {
  return restatused({ operation: 'malformed-target', when: ({ path }) => STRAY_PERCENT.test(path) }, status);
}

function notUtf8(status: number): Override {
  return restatused({ operation: 'malformed-target', when: ({ path }) => !STRAY_PERCENT.test(path) }, status);
}

function readsTargetAs(change: (target: string) => string): Override {
  return { rewriteTarget: change };
}

function withoutInvalidBytes(encoded: string): string {
  const text = Buffer.from(encoded.replaceAll('%', ''), 'hex').toString('utf8');
  return encodeURIComponent(text.replaceAll('\ufffd', ''));
}
