import { everyday, intermittent, type Mutant, makeMutants, subtle } from '../mutant.js';
import { countUp, editKey } from '../mutation.js';

/** Mutants of the area key-info: a field has another type than §2.2 says. */
export const keyInfoFieldsMutants: readonly Mutant[] = [
  ...makeMutants('key-info.field.label', {
    'key-info.label-null': everyday.plain(
      'label is null',
      editKey('label', () => null),
    ),
  }),
  ...makeMutants('key-info.field.limit', {
    'key-info.limit-as-string': everyday.plain(
      'limit is a string where it should be a number',
      editKey('limit', (limit) => (limit === null ? null : String(limit))),
    ),
    'key-info.limit-unlimited-word': subtle(
      'limit is the word "unlimited" where it should be null',
      editKey('limit', (limit) => limit ?? 'unlimited'),
    ),
  }),
  ...makeMutants('key-info.field.limit_reset', {
    'key-info.limit-reset-false': everyday.plain(
      'limit_reset is false where it should be null',
      editKey('limit_reset', (reset) => reset ?? false),
    ),
  }),
  ...makeMutants('key-info.field.limit_remaining', {
    'key-info.limit-remaining-with-currency': everyday.plain(
      'limit_remaining is an object where it should be a number',
      editKey('limit_remaining', (remaining) =>
        remaining === null ? null : { amount: remaining, currency: 'USD' },
      ),
      ['key-info.200.values', 'key-info.exhausted'],
    ),
    'key-info.limit-remaining-word': subtle(
      'limit_remaining is the word "unlimited" where it should be null',
      editKey('limit_remaining', (remaining) => remaining ?? 'unlimited'),
    ),
  }),
  ...makeMutants('key-info.field.include_byok_in_limit', {
    'key-info.byok-in-limit-as-string': everyday.plain(
      'include_byok_in_limit is the string "true" or "false"',
      editKey('include_byok_in_limit', String),
    ),
    'key-info.byok-in-limit-null': subtle(
      'include_byok_in_limit is null where the key has no limit',
      editKey('include_byok_in_limit', (included, { limit }) => (limit === null ? null : included)),
    ),
  }),
  ...makeMutants('key-info.field.usage', {
    'key-info.usage-null-when-unused': everyday.subtle(
      'A usage of 0 becomes null',
      editKey('usage', (usage) => (usage === 0 ? null : usage)),
      ['key-info.200.values'],
    ),
  }),
  ...makeMutants('key-info.field.usage_daily', {
    'key-info.usage-daily-as-string': everyday.plain(
      'usage_daily is a string',
      editKey('usage_daily', String),
    ),
  }),
  ...makeMutants('key-info.field.usage_weekly', {
    'key-info.usage-weekly-null': everyday.plain(
      'usage_weekly is null',
      editKey('usage_weekly', () => null),
    ),
  }),
  ...makeMutants('key-info.field.usage_monthly', {
    'key-info.usage-monthly-false': everyday.subtle(
      'A usage_monthly of 0 becomes false',
      editKey('usage_monthly', (usage) => usage || false),
      ['key-info.200.values'],
    ),
  }),
  ...makeMutants('key-info.field.byok_usage', {
    'key-info.byok-usage-as-string': everyday.plain('byok_usage is a string', editKey('byok_usage', String), [
      'key-info.200.values',
      'key-info.byok-counting',
    ]),
    'key-info.byok-usage-null-when-unused': subtle(
      'A byok_usage of 0 becomes null',
      editKey('byok_usage', (usage) => usage || null),
    ),
  }),
  ...makeMutants('key-info.field.byok_usage_daily', {
    'key-info.byok-usage-daily-null': everyday.plain(
      'byok_usage_daily is null',
      editKey('byok_usage_daily', () => null),
    ),
  }),
  ...makeMutants('key-info.field.byok_usage_weekly', {
    'key-info.byok-usage-weekly-by-provider': everyday.plain(
      'byok_usage_weekly is an object with a figure for each provider',
      editKey('byok_usage_weekly', (usage) => ({ acme: usage })),
    ),
  }),
  ...makeMutants('key-info.field.byok_usage_monthly', {
    'key-info.byok-usage-monthly-with-unit': everyday.plain(
      'byok_usage_monthly is a string with the unit',
      editKey('byok_usage_monthly', (usage) => `${String(usage)} USD`),
    ),
  }),
  ...makeMutants('key-info.field.is_free_tier', {
    'key-info.free-tier-as-number': everyday.plain('is_free_tier is 1 or 0', editKey('is_free_tier', Number)),
    'key-info.free-tier-null-now-and-then': intermittent(
      'is_free_tier is null on every fourth key read',
      editKey('is_free_tier', (free, _information, call) =>
        countUp(call, 'tiers told') % 4 === 0 ? null : free,
      ),
    ),
  }),
  ...makeMutants('key-info.field.rate_limit-type', {
    'key-info.rate-limit-as-string': everyday.plain(
      'rate_limit is a string',
      editKey('rate_limit', () => '20 per minute'),
    ),
    'key-info.rate-limit-null': everyday.subtle(
      'rate_limit is null where the key has no limit',
      editKey('rate_limit', (rate, { limit }) => (limit === null ? null : rate)),
    ),
  }),
  ...makeMutants('key-info.field-presence', {
    'key-info.label-missing': everyday.plain(
      'label is missing',
      editKey('label', () => undefined),
    ),
    'key-info.limit-missing-unless-limited': everyday.subtle(
      'limit is left out where it should be null',
      editKey('limit', (limit) => limit ?? undefined),
    ),
    'key-info.limit-reset-missing-unless-reset': subtle(
      'limit_reset is left out where it should be null',
      editKey('limit_reset', (reset) => reset ?? undefined),
    ),
    'key-info.include-byok-in-limit-missing-unless-true': subtle(
      'include_byok_in_limit is left out where it should be false',
      editKey('include_byok_in_limit', (included) => included || undefined),
    ),
    'key-info.usage-daily-missing-unless-used': everyday.subtle(
      'usage_daily is left out where it should be 0',
      editKey('usage_daily', (usage) => usage || undefined),
    ),
    'key-info.byok-usage-daily-missing-now-and-then': everyday.intermittent(
      'byok_usage_daily is left out on every fifth key read',
      editKey('byok_usage_daily', (usage, _information, call) =>
        countUp(call, 'daily figures told') % 5 === 0 ? undefined : usage,
      ),
    ),
  }),
];
