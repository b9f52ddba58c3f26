import type { Mutant, Override } from '../mutant.js';
import { keyField } from '../override.js';

/** Mutants of the area key-info: a figure contradicts another, or what else is known of the key. */
export const keyInfoContradictionMutants: readonly Mutant[] = [
  {
    id: 'key-info.limit-null-with-remaining',
    section: '2.2',
    turnsRed: ['key-info.limit-pair'],
    description: 'limit is null while limit_remaining is a number',
    hardness: 'plain',
    override: keyField('limit', () => null),
  },
  {
    id: 'key-info.remaining-null-with-limit',
    section: '2.2',
    turnsRed: ['key-info.limit-pair'],
    description: 'limit_remaining is null while limit is a number',
    hardness: 'plain',
    override: keyField('limit_remaining', () => null),
  },
  {
    id: 'key-info.unlimited-has-nothing-left',
    section: '2.2',
    turnsRed: ['key-info.limit-pair'],
    description: 'limit_remaining is 0 where limit is null',
    hardness: 'subtle',
    override: keyField('limit_remaining', (remaining) => remaining ?? 0),
  },
  {
    id: 'key-info.used-up-remaining-null',
    section: '2.2',
    turnsRed: ['key-info.limit-pair'],
    description: 'A limit_remaining of 0 is told as null, the limit as it is',
    hardness: 'subtle',
    override: keyField('limit_remaining', (remaining) => remaining || null),
  },
  {
    id: 'key-info.daily-above-weekly',
    section: '2.2',
    turnsRed: ['key-info.usage.nested'],
    description: 'usage_daily and usage_weekly are exchanged',
    hardness: 'plain',
    override: exchanged('usage_daily', 'usage_weekly'),
  },
  {
    id: 'key-info.daily-above-monthly',
    section: '2.2',
    turnsRed: ['key-info.usage.nested'],
    description: 'usage_daily is one more than usage_monthly',
    hardness: 'plain',
    override: oneMore('usage_daily', 'usage_monthly'),
  },
  {
    id: 'key-info.weekly-above-all-time',
    section: '2.2',
    turnsRed: ['key-info.usage.nested'],
    description: 'usage_weekly is one more than usage',
    hardness: 'plain',
    override: oneMore('usage_weekly', 'usage'),
  },
  {
    id: 'key-info.monthly-above-all-time',
    section: '2.2',
    turnsRed: ['key-info.usage.nested'],
    description: 'usage_monthly and usage are exchanged',
    hardness: 'plain',
    override: exchanged('usage_monthly', 'usage'),
  },
  {
    id: 'key-info.byok-daily-above-weekly',
    section: '2.2',
    turnsRed: ['key-info.usage.nested'],
    description: 'byok_usage_daily is one more than byok_usage_weekly',
    hardness: 'plain',
    override: oneMore('byok_usage_daily', 'byok_usage_weekly'),
  },
  {
    id: 'key-info.byok-weekly-above-all-time',
    section: '2.2',
    turnsRed: ['key-info.usage.nested'],
    description: 'byok_usage_weekly and byok_usage are exchanged',
    hardness: 'plain',
    override: exchanged('byok_usage_weekly', 'byok_usage'),
  },
  {
    id: 'key-info.byok-monthly-above-all-time',
    section: '2.2',
    turnsRed: ['key-info.usage.nested'],
    description: 'byok_usage_monthly is one more than byok_usage',
    hardness: 'plain',
    override: oneMore('byok_usage_monthly', 'byok_usage'),
  },
  {
    id: 'key-info.all-time-lags',
    section: '2.2',
    turnsRed: ['key-info.usage.nested'],
    description: 'usage leaves out what was used this month',
    hardness: 'subtle',
    override: keyField('usage', (usage, { usage_monthly }) =>
      Math.max(0, Number(usage) - Number(usage_monthly)),
    ),
  },
  {
    id: 'key-info.free-tier-inverted',
    section: '2.2',
    turnsRed: ['key-info.free-tier'],
    description: 'is_free_tier is true for an account that has paid, and false for one that has not',
    hardness: 'plain',
    override: keyField('is_free_tier', (free) => !free),
  },
  {
    id: 'key-info.free-tier-until-50',
    section: '2.2',
    turnsRed: ['key-info.free-tier'],
    description: 'is_free_tier stays true until 50 credits have been bought',
    hardness: 'subtle',
    override: keyField('is_free_tier', (free, _information, { key }) =>
      key !== undefined && key.traits.purchased < 50 ? true : free,
    ),
  },
  {
    id: 'key-info.free-tier-by-limit',
    section: '2.2',
    turnsRed: ['key-info.free-tier'],
    description: 'is_free_tier is true for every key without a limit',
    hardness: 'subtle',
    override: keyField('is_free_tier', (free, { limit }) => (limit === null ? true : free)),
  },
  {
    id: 'key-info.used-up-keeps-a-credit',
    section: '8.1',
    turnsRed: ['key-info.exhausted'],
    description: 'limit_remaining never falls below 1',
    hardness: 'subtle',
    override: keyField('limit_remaining', (remaining, _information, { key }) =>
      key?.traits.limitUsedUp === true ? 1 : remaining,
    ),
  },
  {
    id: 'key-info.used-up-tells-limit',
    section: '8.1',
    turnsRed: ['key-info.exhausted'],
    description: 'The limit_remaining of a key that is used up is its whole limit',
    hardness: 'subtle',
    override: keyField('limit_remaining', (remaining, { limit }, { key }) =>
      key?.traits.limitUsedUp === true ? limit : remaining,
    ),
  },
  {
    id: 'key-info.used-up-unlimited',
    section: '8.1',
    turnsRed: ['key-info.exhausted'],
    description: 'A key that is used up reports that it is unlimited',
    hardness: 'subtle',
    override: {
      keyInformation: (_call, { information, traits }) =>
        traits.limitUsedUp ? { ...information, limit: null, limit_remaining: null } : information,
    },
  },
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
