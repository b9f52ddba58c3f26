import { type Mutant, makeMutants } from '../mutant.js';
import { keyField, type Override } from '../mutation.js';

/** Mutants of the area key-info: a figure contradicts another, or what else is known of the key. */
export const keyInfoContradictionMutants: readonly Mutant[] = [
  ...makeMutants('2.2', ['key-info.limit-pair'], {
    'key-info.limit-null-with-remaining': {
      everydayPlain: 'limit is null while limit_remaining is a number',
      alsoRed: ['key-info.200.values'],
      override: keyField('limit', () => null),
    },
    'key-info.remaining-null-with-limit': {
      plain: 'limit_remaining is null while limit is a number',
      override: keyField('limit_remaining', () => null),
    },
    'key-info.unlimited-has-nothing-left': {
      subtle: 'limit_remaining is 0 where limit is null',
      override: keyField('limit_remaining', (remaining) => remaining ?? 0),
    },
    'key-info.used-up-remaining-null': {
      subtle: 'A limit_remaining of 0 is told as null, the limit as it is',
      override: keyField('limit_remaining', (remaining) => remaining || null),
    },
  }),
  ...makeMutants('2.2', ['key-info.usage.nested'], {
    'key-info.daily-above-weekly': {
      everydayPlain: 'usage_daily and usage_weekly are exchanged',
      alsoRed: ['key-info.200.values', 'key-info.windows', 'key-info.byok-counting'],
      override: exchanged('usage_daily', 'usage_weekly'),
    },
    'key-info.daily-above-monthly': {
      plain: 'usage_daily is one more than usage_monthly',
      override: oneMore('usage_daily', 'usage_monthly'),
    },
    'key-info.weekly-above-all-time': {
      plain: 'usage_weekly is one more than usage',
      override: oneMore('usage_weekly', 'usage'),
    },
    'key-info.monthly-above-all-time': {
      plain: 'usage_monthly and usage are exchanged',
      override: exchanged('usage_monthly', 'usage'),
    },
    'key-info.byok-daily-above-weekly': {
      plain: 'byok_usage_daily is one more than byok_usage_weekly',
      override: oneMore('byok_usage_daily', 'byok_usage_weekly'),
    },
    'key-info.byok-weekly-above-all-time': {
      plain: 'byok_usage_weekly and byok_usage are exchanged',
      override: exchanged('byok_usage_weekly', 'byok_usage'),
    },
    'key-info.byok-monthly-above-all-time': {
      plain: 'byok_usage_monthly is one more than byok_usage',
      override: oneMore('byok_usage_monthly', 'byok_usage'),
    },
    'key-info.all-time-lags': {
      subtle: 'usage leaves out what was used this month',
      override: keyField('usage', (usage, { usage_monthly }) =>
        Math.max(0, Number(usage) - Number(usage_monthly)),
      ),
    },
  }),
  ...makeMutants('2.2', ['key-info.free-tier'], {
    'key-info.free-tier-inverted': {
      everydayPlain: 'is_free_tier is true for an account that has paid, and false for one that has not',
      alsoRed: ['key-info.200.values'],
      override: keyField('is_free_tier', (free) => !free),
    },
    'key-info.free-tier-until-50': {
      subtle: 'is_free_tier stays true until 50 credits have been bought',
      override: keyField('is_free_tier', (free, _information, { key }) =>
        key !== undefined && key.traits.purchased < 50 ? true : free,
      ),
    },
    'key-info.free-tier-by-limit': {
      subtle: 'is_free_tier is true for every key without a limit',
      override: keyField('is_free_tier', (free, { limit }) => (limit === null ? true : free)),
    },
  }),
  ...makeMutants('8.1', ['key-info.exhausted'], {
    'key-info.used-up-keeps-a-credit': {
      everydaySubtle: 'limit_remaining never falls below 1',
      override: keyField('limit_remaining', (remaining, _information, { key }) =>
        key?.traits.limitUsedUp === true ? 1 : remaining,
      ),
    },
    'key-info.used-up-tells-limit': {
      subtle: 'The limit_remaining of a key that is used up is its whole limit',
      override: keyField('limit_remaining', (remaining, { limit }, { key }) =>
        key?.traits.limitUsedUp === true ? limit : remaining,
      ),
    },
    'key-info.used-up-unlimited': {
      subtle: 'A key that is used up reports that it is unlimited',
      override: {
        keyInformation: (_call, { information, traits }) =>
          traits.limitUsedUp ? { ...information, limit: null, limit_remaining: null } : information,
      },
    },
  }),
];

function exchanged(one: string, other: string): Override {
  return {
    keyInformation: (_call, { information }) => ({
      ...information,
      [one]: information[other],
      [other]: information[one],
    }),
  };
}

function oneMore(smaller: string, larger: string): Override {
  return keyField(smaller, (_figure, information) => Number(information[larger]) + 1);
}
