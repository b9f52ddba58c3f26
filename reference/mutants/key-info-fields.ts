import { everyday, type Mutant, makeFieldMutants, makeMutants, plain, subtle } from '../mutant.js';
import { countUp, editKey } from '../mutation.js';
import { isJsonObject, type JsonObject } from '../vocabulary.js';

const ALWAYS_THERE = [
  'limit_remaining',
  'usage',
  'usage_weekly',
  'usage_monthly',
  'byok_usage',
  'byok_usage_monthly',
  'is_free_tier',
];

/** Mutants of the area key-info: a field is missing, has another type than §2.2 says, or a value that is not its own. */
export const keyInfoFieldsMutants: readonly Mutant[] = [
  ...makeFieldMutants('key-info', editKey, everyday.plain, [
    ['label', 'label-null', 'is null', () => null],
    [
      'limit',
      'limit-as-string',
      'is a string where it should be a number',
      (limit) => limit && String(limit),
    ],
    ['limit_reset', 'limit-reset-false', 'is false in place of null', (reset) => reset ?? false],
    ['include_byok_in_limit', 'byok-in-limit-as-string', 'is the string "true" or "false"', String],
    ['usage_daily', 'usage-daily-as-string', 'is a string', String],
    ['usage_weekly', 'usage-weekly-null', 'is null', () => null],
    ['byok_usage_daily', 'byok-usage-daily-null', 'is null', () => null],
    ['byok_usage_weekly', 'byok-usage-weekly-by-provider', 'is an object by provider', (acme) => ({ acme })],
    ['byok_usage_monthly', 'byok-usage-monthly-with-unit', 'has its unit', (usage) => `${String(usage)} USD`],
    ['is_free_tier', 'free-tier-as-number', 'is 1 or 0', Number],
    ['label', 'label-missing', 'is missing', () => undefined, 'field-presence'],
    ['rate_limit', 'rate-limit-as-string', 'is a string', () => '20 per minute', 'field.rate_limit-type'],
  ]),
  ...makeFieldMutants('key-info', editKey, everyday.subtle, [
    ['usage', 'usage-null-when-unused', 'is null in place of 0', (usage) => usage || null],
    ['usage_monthly', 'usage-monthly-false', 'is false in place of 0', (usage) => usage || false],
    ['limit', 'limit-missing-unless-limited', 'is left out for null', omitNull, 'field-presence'],
    ['usage_daily', 'usage-daily-missing-unless-used', 'is left out for 0', omitZero, 'field-presence'],
    ['rate_limit', 'rate-limit-null', 'is null without a limit', nullUnlessLimited, 'field.rate_limit-type'],
  ]),
  ...makeFieldMutants('key-info', editKey, subtle, [
    ['limit_reset', 'limit-reset-missing-unless-reset', 'is left out for null', omitNull, 'field-presence'],
    [
      'include_byok_in_limit',
      'include-byok-in-limit-missing-unless-true',
      'is left out for false',
      omitZero,
      'field-presence',
    ],
    [
      'byok_usage_weekly',
      'byok-usage-weekly-missing-unless-limited',
      'is left out where the key has no limit',
      (usage, { limit }) => (limit === null ? undefined : usage),
      'field-presence',
    ],
    ['usage', 'usage-in-32-bits', 'has passed through a 32-bit float', toSingle, '200.values'],
  ]),
  ...makeMutants('key-info.field.limit_remaining', {
    'key-info.limit-remaining-with-currency': everyday.plain(
      'limit_remaining is an object where it should be a number',
      editKey('limit_remaining', (amount) => (amount === null ? null : { amount, currency: 'USD' })),
      ['key-info.200.values', 'key-info.exhausted'],
    ),
  }),
  ...makeMutants('key-info.field.byok_usage', {
    'key-info.byok-usage-as-string': everyday.plain('byok_usage is a string', editKey('byok_usage', String), [
      'key-info.200.values',
      'key-info.byok-counting',
    ]),
  }),
  ...makeFieldMutants(
    'key-info',
    editKey,
    plain,
    ALWAYS_THERE.map((field) => {
      return [
        field,
        `${field.replaceAll('_', '-')}-missing`,
        'is missing',
        () => undefined,
        'field-presence',
      ];
    }),
  ),
  ...makeMutants('key-info.field-presence', {
    'key-info.byok-usage-daily-missing-now-and-then': everyday.intermittent(
      'byok_usage_daily is left out on every fifth key read',
      editKey('byok_usage_daily', (usage, _information, call) =>
        countUp(call, 'daily figures told') % 5 === 0 ? undefined : usage,
      ),
    ),
  }),
  ...makeMutants('key-info.200.values', {
    'key-info.never-fresh': everyday.plain('The first read with a key is repeated for ever', {
      keyInformation: ({ server: { memory } }, { text, information }) => {
        const first = memory.get(text);
        if (isJsonObject(first)) return first;
        memory.set(text, { ...information });
        return information;
      },
    }),
  }),
  ...makeMutants('key-info.200.own-figures', {
    'key-info.figures-of-member': plain(
      'Every key of a workspace reports the usage of its first key',
      editKey('usage', (usage, _information, { key }) =>
        key === undefined ? usage : (key.world.keys.get('member')?.information.usage ?? usage),
      ),
    ),
  }),
];

function nullUnlessLimited(value: unknown, { limit }: JsonObject): unknown {
  return limit === null ? null : value;
}

function omitNull(value: unknown): unknown {
  return value ?? undefined;
}

function omitZero(value: unknown): unknown {
  return value || undefined;
}

function toSingle(number: unknown): number {
  return Math.fround(Number(number));
}
