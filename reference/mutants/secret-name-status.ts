import { type Mutant, makeMutants } from '../mutant.js';
import { noGate, type Override, restatused } from '../mutation.js';
import { illegalNames, legalNames, refusesForms } from './secret-name-rule.js';

/** Mutants of the area secret-name: another status, percent-encoding, and words that are kept for something else. */
export const secretNameStatusMutants: readonly Mutant[] = [
  ...makeMutants('2.3', ['secret-name.refuses.upper-case', 'secret-name.refuses.leading-digit'], {
    'secret-name.illegal-404': {
      plain: 'A name that breaks the rules is answered 404',
      override: illegalNames(404, /^/),
    },
    'secret-name.illegal-422': {
      plain: 'A name that breaks the rules is answered 422',
      override: illegalNames(422, /^/),
    },
  }),
  ...makeMutants('2.3', ['secret-name.refuses.too-long'], {
    'secret-name.too-long-414': {
      plain: 'A name that is too long is answered 414',
      override: illegalNames(414, /^\w{256}/),
    },
    'secret-name.much-too-long-500': {
      subtle: 'A name of 1000 characters or more is answered 500',
      override: illegalNames(500, /^.{1000}/s),
    },
  }),
  ...makeMutants('2.3', ['secret-name.refuses.upper-case'], {
    'secret-name.upper-case-404': {
      plain: 'A name with upper-case letters is looked up, not found and answered 404',
      override: illegalNames(404, /[A-Z]/),
    },
  }),
  ...makeMutants('2.3', ['secret-name.refuses.control-character'], {
    'secret-name.nul-500': {
      subtle: 'A name with a NUL, which a database does not store, is answered 500',
      override: illegalNames(500, /^[^\p{Cc}]*\0/u),
    },
  }),
  ...makeMutants('2.3', ['secret-name.refuses.beyond-ascii'], {
    'secret-name.beyond-ascii-500': {
      subtle: 'A name with a character beyond ASCII is answered 500',
      override: illegalNames(500, /[^\p{ASCII}]/u),
    },
  }),
  ...makeMutants('2.3', ['secret-name.refuses.punctuation'], {
    'secret-name.quote-403': {
      subtle: 'A name with a quotation mark is taken for an attack and answered 403',
      override: illegalNames(403, /['"]/),
    },
  }),

  ...makeMutants('7.1', ['secret-name.refuses.not-utf-8'], {
    'secret-name.not-utf-8-500': {
      subtle: 'A name whose bytes are no UTF-8 is answered 500',
      override: notUtf8(500),
    },
    'secret-name.not-utf-8-404': {
      subtle: 'A name whose bytes are no UTF-8 is answered 404',
      override: notUtf8(404),
    },
    'secret-name.drops-bytes-that-are-no-utf-8': {
      everydaySubtle: 'Bytes of a name that are no UTF-8 are left out, and the rest is looked up',
      alsoRed: ['secret-name.identity'],
      override: readsTargetAs((target) => target.replace(ENCODED_BYTES, withoutInvalidBytes)),
    },
    'secret-name.reads-overlong-utf-8': {
      subtle: 'The overlong form of a letter, two bytes beginning with C1, is taken for the letter',
      override: readsTargetAs((target) =>
        target.replace(/%c1%([ab][0-9a-f])/gi, (_form, byte: string) =>
          String.fromCharCode(Number.parseInt(byte, 16) - 0x40),
        ),
      ),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.400.percent-encoding'], {
    'secret-name.malformed-encoding-500': {
      plain: 'A malformed percent-encoding is answered 500',
      override: malformedEncoding(500),
    },
    'secret-name.malformed-encoding-404': {
      plain: 'A malformed percent-encoding is answered 404',
      override: malformedEncoding(404),
    },
    'secret-name.drops-stray-percent-signs': {
      subtle: 'A percent sign that begins no encoding is left out, and the rest is looked up',
      override: readsTargetAs((target) => target.replace(STRAY_PERCENTS, '')),
    },
  }),

  ...makeMutants('2.3', ['secret-name.accepts.percent-encoded'], {
    'secret-name.percent-encoded-letters-refused': {
      everydaySubtle: 'A legal name is refused when some of its letters are percent-encoded',
      override: refusesForms(/%[67]/),
    },
    'secret-name.lower-case-hexadecimal-refused': {
      subtle: 'A percent-encoding with a lower-case hexadecimal digit is not understood',
      override: refusesForms(/%(?:[a-f]|[0-9][a-f])/),
    },
    'secret-name.percent-encoded-underscore-refused': {
      subtle: 'A legal name is refused when its underscore is percent-encoded',
      override: refusesForms(/%5f/i),
    },
    'secret-name.length-of-the-encoded-form': {
      subtle:
        'The length of a name is that of its percent-encoded form: legal names of 86 encoded letters are too long',
      override: refusesForms(/^.{256}/),
    },
  }),

  ...makeMutants('2.3', ['secret-name.accepts.words'], {
    'secret-name.words-of-json-refused': {
      everydaySubtle: 'The names null, true, false and undefined are taken for no name and refused',
      override: refusesForms(/^(?:null|true|false|undefined)$/),
    },
    'secret-name.words-of-sql-403': {
      subtle: 'The names select and delete are taken for an attack and answered 403',
      override: legalNames(403, /^(?:select|delete)$/),
    },
    'secret-name.constructor-is-always-there': {
      subtle: 'The name constructor, which every object has, answers 204 though it was never stored',
      override: noGate(
        'vault-delete',
        'secret-exists',
        ({ parameters }) => parameters.name === 'constructor',
      ),
    },
    'secret-name.default-is-reserved': {
      subtle: 'The names default and index are reserved and refused',
      override: refusesForms(/^(?:default|index)$/),
    },
  }),
  ...makeMutants('2.3', ['secret-name.accepts.underscores'], {
    'secret-name.refuses-key-as-a-word': {
      subtle: 'A name with the word key between underscores looks like a credential and is refused',
      override: refusesForms(/_key_/),
    },
  }),
  ...makeMutants('2.3', ['secret-name.accepts.letters'], {
    'secret-name.first-letter-q-404': {
      subtle: 'A stored secret whose name begins with the letter q is not found',
      override: legalNames(404, /^q/),
    },
  }),
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
