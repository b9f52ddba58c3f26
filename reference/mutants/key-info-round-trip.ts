import { conforming } from '../conforming.js';
import { type Mutant, makeMutants } from '../mutant.js';
import { keyField } from '../mutation.js';

/** Mutants of the key read that lose a value on its way through a column, a parser or a formatter (§2.2, §4.3). */
export const keyInfoRoundTripMutants: readonly Mutant[] = [
  ...makeMutants('4.3', ['key-info.200.values'], {
    'key-info.negative-remaining-as-zero': {
      subtle: 'A limit_remaining below zero is told as 0',
      override: keyField('limit_remaining', (remaining) =>
        typeof remaining === 'number' ? Math.max(0, remaining) : remaining,
      ),
    },
    'key-info.limit-of-zero-is-none': {
      subtle: 'A limit of 0 is told as none: limit and limit_remaining are null',
      override: {
        keyInformation: (call, key) => {
          const information = conforming.keyInformation(call, key);
          return information.limit === 0
            ? { ...information, limit: null, limit_remaining: null }
            : information;
        },
      },
    },
    'key-info.byok-usage-in-31-bits': {
      subtle: 'A byok_usage of 2^31 or more is told as 2147483647',
      override: keyField('byok_usage', (usage) => Math.min(Number(usage), 2_147_483_647)),
    },
    'key-info.usage-monthly-in-six-decimals': {
      subtle: 'usage_monthly is rounded to six decimals: 1e-7 becomes 0',
      override: keyField('usage_monthly', (usage) =>
        typeof usage === 'number' ? Math.round(usage * 1e6) / 1e6 : usage,
      ),
    },
    'key-info.label-trimmed': {
      subtle: 'Blanks around label are taken away',
      override: keyField('label', (label) => (typeof label === 'string' ? label.trim() : label)),
    },
    'key-info.label-ends-beyond-the-basic-plane': {
      subtle: 'label ends before its first character of two UTF-16 units, as in a column of three-byte UTF-8',
      override: keyField('label', (label) =>
        typeof label === 'string' ? label.replace(/[\u{10000}-\u{10ffff}].*$/su, '') : label,
      ),
    },
    'key-info.limit-reset-unknown-as-null': {
      subtle: 'A limit_reset other than daily, weekly and monthly is told as null',
      override: keyField('limit_reset', (reset) =>
        typeof reset === 'string' && !/^(?:daily|weekly|monthly)$/.test(reset) ? null : reset,
      ),
    },
    'key-info.limit-reset-in-lower-case': {
      subtle: 'limit_reset is told in lower case',
      override: keyField('limit_reset', (reset) => (typeof reset === 'string' ? reset.toLowerCase() : reset)),
    },
  }),
  ...makeMutants('2.2', ['key-info.field.label'], {
    'key-info.empty-label-null': {
      subtle: 'An empty label is told as null, as in a database that knows no empty text',
      override: keyField('label', (label) => (label === '' ? null : label)),
    },
    'key-info.numeric-label-as-number': {
      subtle: 'A label of digits is told as a number: 0042 becomes 42',
      override: keyField('label', (label) => (/^\d+$/.test(String(label)) ? Number(label) : label)),
    },
    'key-info.label-read-as-yaml': {
      subtle: 'The labels null, true and false are told as null, true and false',
      override: keyField('label', (label) =>
        /^(?:null|true|false)$/.test(String(label)) ? (JSON.parse(String(label)) as unknown) : label,
      ),
    },
  }),
  ...makeMutants('2.2', ['key-info.field.usage_weekly'], {
    'key-info.tiny-usage-as-text': {
      subtle: 'A usage_weekly below a millionth is told as text in scientific notation',
      override: keyField('usage_weekly', (usage) =>
        typeof usage === 'number' && usage !== 0 && Math.abs(usage) < 1e-6 ? usage.toExponential() : usage,
      ),
    },
  }),
  ...makeMutants('2.2', ['key-info.field.byok_usage_monthly'], {
    'key-info.large-usage-as-text': {
      subtle: 'A byok_usage_monthly of 2^53 or more is told as text',
      override: keyField('byok_usage_monthly', (usage) =>
        typeof usage === 'number' && usage >= 2 ** 53 ? String(usage) : usage,
      ),
    },
  }),
];
