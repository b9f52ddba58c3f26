import { type Mutant, makeMutants } from '../mutant.js';
import { counted, keyField } from '../mutation.js';

/** Mutants of the area key-info: a field is missing, though all but rate_limit are due (§2.2). */
export const keyInfoMissingMutants: readonly Mutant[] = [
  ...makeMutants('2.2', ['key-info.field-presence'], {
    'key-info.label-missing': {
      everydayPlain: 'label is missing',
      override: keyField('label', () => undefined),
    },
    'key-info.limit-missing-unless-limited': {
      everydaySubtle: 'limit is left out where it should be null',
      override: keyField('limit', (limit) => limit ?? undefined),
    },
    'key-info.limit-reset-missing-unless-reset': {
      subtle: 'limit_reset is left out where it should be null',
      override: keyField('limit_reset', (reset) => reset ?? undefined),
    },
    'key-info.limit-remaining-missing': {
      plain: 'limit_remaining is missing',
      override: keyField('limit_remaining', () => undefined),
    },
    'key-info.include-byok-in-limit-missing-unless-true': {
      subtle: 'include_byok_in_limit is left out where it should be false',
      override: keyField('include_byok_in_limit', (included) => included || undefined),
    },
    'key-info.usage-missing': { plain: 'usage is missing', override: keyField('usage', () => undefined) },
    'key-info.usage-daily-missing-unless-used': {
      everydaySubtle: 'usage_daily is left out where it should be 0',
      override: keyField('usage_daily', (usage) => usage || undefined),
    },
    'key-info.usage-weekly-missing': {
      plain: 'usage_weekly is missing',
      override: keyField('usage_weekly', () => undefined),
    },
    'key-info.usage-monthly-missing': {
      plain: 'usage_monthly is missing',
      override: keyField('usage_monthly', () => undefined),
    },
    'key-info.byok-usage-missing': {
      plain: 'byok_usage is missing',
      override: keyField('byok_usage', () => undefined),
    },
    'key-info.byok-usage-daily-missing-now-and-then': {
      everydayIntermittent: 'byok_usage_daily is left out on every fifth key read',
      override: keyField('byok_usage_daily', (usage, _information, call) =>
        counted(call, 'daily figures told') % 5 === 0 ? undefined : usage,
      ),
    },
    'key-info.byok-usage-weekly-missing-unless-limited': {
      subtle: 'byok_usage_weekly is left out where the key has no limit',
      override: keyField('byok_usage_weekly', (usage, { limit }) => (limit === null ? undefined : usage)),
    },
    'key-info.byok-usage-monthly-missing': {
      plain: 'byok_usage_monthly is missing',
      override: keyField('byok_usage_monthly', () => undefined),
    },
    'key-info.is-free-tier-missing': {
      plain: 'is_free_tier is missing',
      override: keyField('is_free_tier', () => undefined),
    },
  }),
];
