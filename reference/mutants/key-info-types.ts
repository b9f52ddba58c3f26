import { type Mutant, makeMutants } from '../mutant.js';
import { counted, keyField } from '../mutation.js';

/** Mutants of the area key-info: a field has another type than §2.2 says. */
export const keyInfoTypeMutants: readonly Mutant[] = [
  ...makeMutants('2.2', ['key-info.field.label'], {
    'key-info.label-null': { everydayPlain: 'label is null', override: keyField('label', () => null) },
    'key-info.label-as-lines': {
      plain: 'label is an array of words',
      override: keyField('label', (label) => String(label).split(' ')),
    },
  }),
  ...makeMutants('2.2', ['key-info.field.limit'], {
    'key-info.limit-as-string': {
      everydayPlain: 'limit is a string where it should be a number',
      override: keyField('limit', (limit) => (limit === null ? null : String(limit))),
    },
    'key-info.limit-unlimited-word': {
      subtle: 'limit is the word "unlimited" where it should be null',
      override: keyField('limit', (limit) => limit ?? 'unlimited'),
    },
  }),
  ...makeMutants('2.2', ['key-info.field.limit_reset'], {
    'key-info.limit-reset-false': {
      everydayPlain: 'limit_reset is false where it should be null',
      override: keyField('limit_reset', (reset) => reset ?? false),
    },
    'key-info.limit-reset-in-days': {
      subtle: 'limit_reset is a number of days where it should be a string',
      override: keyField('limit_reset', (reset) => (reset === null ? null : 30)),
    },
  }),
  ...makeMutants('2.2', ['key-info.field.limit_remaining'], {
    'key-info.limit-remaining-with-currency': {
      everydayPlain: 'limit_remaining is an object where it should be a number',
      alsoRed: ['key-info.200.values', 'key-info.exhausted'],
      override: keyField('limit_remaining', (remaining) =>
        remaining === null ? null : { amount: remaining, currency: 'USD' },
      ),
    },
    'key-info.limit-remaining-word': {
      subtle: 'limit_remaining is the word "unlimited" where it should be null',
      override: keyField('limit_remaining', (remaining) => remaining ?? 'unlimited'),
    },
  }),
  ...makeMutants('2.2', ['key-info.field.include_byok_in_limit'], {
    'key-info.byok-in-limit-as-string': {
      everydayPlain: 'include_byok_in_limit is the string "true" or "false"',
      override: keyField('include_byok_in_limit', String),
    },
    'key-info.byok-in-limit-null': {
      subtle: 'include_byok_in_limit is null where the key has no limit',
      override: keyField('include_byok_in_limit', (included, { limit }) =>
        limit === null ? null : included,
      ),
    },
  }),
  ...makeMutants('2.2', ['key-info.field.usage'], {
    'key-info.usage-as-string': {
      plain: 'usage is a string with two decimals',
      override: keyField('usage', (usage) => Number(usage).toFixed(2)),
    },
    'key-info.usage-null-when-unused': {
      everydaySubtle: 'A usage of 0 is told as null',
      alsoRed: ['key-info.200.values'],
      override: keyField('usage', (usage) => (usage === 0 ? null : usage)),
    },
  }),
  ...makeMutants('2.2', ['key-info.field.usage_daily'], {
    'key-info.usage-daily-as-string': {
      everydayPlain: 'usage_daily is a string',
      override: keyField('usage_daily', String),
    },
  }),
  ...makeMutants('2.2', ['key-info.field.usage_weekly'], {
    'key-info.usage-weekly-by-day': {
      plain: 'usage_weekly is an array of daily figures',
      override: keyField('usage_weekly', (usage) => [usage]),
    },
    'key-info.usage-weekly-null': {
      everydayPlain: 'usage_weekly is null',
      override: keyField('usage_weekly', () => null),
    },
  }),
  ...makeMutants('2.2', ['key-info.field.usage_monthly'], {
    'key-info.usage-monthly-false': {
      everydaySubtle: 'A usage_monthly of 0 is told as false',
      alsoRed: ['key-info.200.values'],
      override: keyField('usage_monthly', (usage) => usage || false),
    },
  }),
  ...makeMutants('2.2', ['key-info.field.byok_usage'], {
    'key-info.byok-usage-as-string': {
      everydayPlain: 'byok_usage is a string',
      alsoRed: ['key-info.200.values', 'key-info.byok-counting'],
      override: keyField('byok_usage', String),
    },
    'key-info.byok-usage-null-when-unused': {
      subtle: 'A byok_usage of 0 is told as null',
      override: keyField('byok_usage', (usage) => usage || null),
    },
  }),
  ...makeMutants('2.2', ['key-info.field.byok_usage_daily'], {
    'key-info.byok-usage-daily-null': {
      everydayPlain: 'byok_usage_daily is null',
      override: keyField('byok_usage_daily', () => null),
    },
  }),
  ...makeMutants('2.2', ['key-info.field.byok_usage_weekly'], {
    'key-info.byok-usage-weekly-by-provider': {
      everydayPlain: 'byok_usage_weekly is an object with a figure for each provider',
      override: keyField('byok_usage_weekly', (usage) => ({ acme: usage })),
    },
  }),
  ...makeMutants('2.2', ['key-info.field.byok_usage_monthly'], {
    'key-info.byok-usage-monthly-with-unit': {
      everydayPlain: 'byok_usage_monthly is a string with the unit',
      override: keyField('byok_usage_monthly', (usage) => `${String(usage)} USD`),
    },
  }),
  ...makeMutants('2.2', ['key-info.field.is_free_tier'], {
    'key-info.free-tier-as-number': {
      everydayPlain: 'is_free_tier is 1 or 0',
      override: keyField('is_free_tier', Number),
    },
    'key-info.free-tier-as-string': {
      plain: 'is_free_tier is the string "true" or "false"',
      override: keyField('is_free_tier', String),
    },
    'key-info.free-tier-null-now-and-then': {
      intermittent: 'is_free_tier is null on every fourth key read',
      override: keyField('is_free_tier', (free, _information, call) =>
        counted(call, 'tiers told') % 4 === 0 ? null : free,
      ),
    },
  }),
  ...makeMutants('2.2', ['key-info.field.rate_limit-type'], {
    'key-info.rate-limit-as-string': {
      everydayPlain: 'rate_limit is a string',
      override: keyField('rate_limit', () => '20 per minute'),
    },
    'key-info.rate-limit-null': {
      everydaySubtle: 'rate_limit is null where the key has no limit',
      override: keyField('rate_limit', (rate, { limit }) => (limit === null ? null : rate)),
    },
    'key-info.rate-limit-as-list': {
      plain: 'rate_limit is an array of limits',
      override: keyField('rate_limit', () => [{ requests: 20, interval: '1m' }]),
    },
  }),
];
