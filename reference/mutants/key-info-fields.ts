import { conforming } from '../conforming.js';
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
  ]),
  ...makeFieldMutants('key-info', editKey, everyday.subtle, [
    ['usage', 'usage-null-when-unused', 'is null in place of 0', (usage) => usage || null],
    ['usage_monthly', 'usage-monthly-false', 'is false in place of 0', (usage) => usage || false],
  ]),
  ...makeFieldMutants('key-info', editKey, subtle, [
    ['label', 'label-read-as-yaml', 'is null, true or false in place of that word', readAsYaml],
    ['usage_weekly', 'tiny-usage-as-text', 'is text below a millionth, as 1e-7', tinyToText],
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
    everyday.plain,
    [['rate_limit', 'rate-limit-as-string', 'is a string', () => '20 per minute']],
    'field.rate_limit-type',
  ),
  ...makeFieldMutants(
    'key-info',
    editKey,
    everyday.subtle,
    [['rate_limit', 'rate-limit-null', 'is null where the key has no limit', nullUnlessLimited]],
    'field.rate_limit-type',
  ),
  ...makeFieldMutants(
    'key-info',
    editKey,
    plain,
    ALWAYS_THERE.map((field) => [
      field,
      `${field.replaceAll('_', '-')}-missing`,
      'is missing',
      () => undefined,
    ]),
    'field-presence',
  ),
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
    'key-info.byok-usage-weekly-missing-unless-limited': subtle(
      'byok_usage_weekly is left out where the key has no limit',
      editKey('byok_usage_weekly', (usage, { limit }) => (limit === null ? undefined : usage)),
    ),
    'key-info.byok-usage-daily-missing-now-and-then': everyday.intermittent(
      'byok_usage_daily is left out on every fifth key read',
      editKey('byok_usage_daily', (usage, _information, call) =>
        countUp(call, 'daily figures told') % 5 === 0 ? undefined : usage,
      ),
    ),
  }),
  ...makeFieldMutants(
    'key-info',
    editKey,
    subtle,
    [
      [
        'usage',
        'usage-in-32-bits',
        'has passed through a 32-bit float',
        (usage) => Math.fround(Number(usage)),
      ],
      ['limit_remaining', 'remaining-crumbs-as-zero', 'is 0 where it is below a cent', dropCrumbs],
      ['byok_usage', 'byok-usage-in-31-bits', 'is 2147483647 where it is more', capAt31Bits],
      [
        'label',
        'label-ends-beyond-the-basic-plane',
        'ends before its first character of two units',
        cutLabel,
      ],
    ],
    '200.values',
  ),
  ...makeMutants('key-info.200.values', {
    'key-info.never-fresh': everyday.plain('The first read with a key is repeated for ever', {
      keyInformation: ({ server: { memory } }, { text, information }) => {
        const first = memory.get(text);
        if (isJsonObject(first)) return first;
        memory.set(text, { ...information });
        return information;
      },
    }),
    'key-info.read-is-counted-later': subtle(
      'Every key read is counted as a hundredth of a credit, which the next one reports',
      {
        keyInformation: (_call, { information }) => {
          const before = { ...information };
          information.usage = Number(information.usage) + 0.01;
          return before;
        },
      },
    ),
    'key-info.limit-of-zero-is-none': subtle(
      'A limit of 0 counts as none: limit and limit_remaining are null',
      {
        keyInformation: (call, key) => {
          const information = conforming.keyInformation(call, key);
          return information.limit === 0
            ? { ...information, limit: null, limit_remaining: null }
            : information;
        },
      },
    ),
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

function readAsYaml(text: unknown): unknown {
  return /^(?:null|true|false)$/.test(String(text)) ? JSON.parse(String(text)) : text;
}

function tinyToText(number: unknown): unknown {
  const isTiny = typeof number === 'number' && number !== 0 && Math.abs(number) < 1e-6;
  return isTiny ? number.toExponential() : number;
}

function nullUnlessLimited(value: unknown, { limit }: JsonObject): unknown {
  return limit === null ? null : value;
}

function dropCrumbs(number: unknown): unknown {
  return typeof number === 'number' && number < 0.01 ? 0 : number;
}

function capAt31Bits(number: unknown): number {
  return Math.min(Number(number), 2 ** 31 - 1);
}

function cutLabel(label: unknown): string {
  return String(label).replace(/[\u{10000}-\u{10ffff}].*$/su, '');
}
