import { conforming } from '../conforming.js';
import { everyday, type Mutant, makeMutants, plain, subtle } from '../mutant.js';
import { editKey, type Mutation } from '../mutation.js';
import { isJsonObject } from '../vocabulary.js';
import { type Key, makeKeyInformation } from '../world.js';

/** Mutants of the area key-info: a figure of the right type is not the key's own, as it is. */
export const keyInfoValuesMutants: readonly Mutant[] = [
  ...makeMutants('key-info.200.values', {
    'key-info.never-fresh': everyday.plain('The first read with a key is repeated for ever', {
      keyInformation: ({ server: { memory } }, { text, information }) => {
        const told = memory.get(text);
        if (isJsonObject(told)) return told;
        memory.set(text, { ...information });
        return information;
      },
    }),
    'key-info.usage-unmoved': plain(
      'usage stays what it was when the key was made',
      editKey('usage', (usage, _information, { key }) =>
        key === undefined ? usage : makeKeyInformation(key.role).usage,
      ),
    ),
    'key-info.figures-of-workspace': plain(
      'usage is the sum over all keys of the workspace',
      editKey('usage', (usage, _information, { key }) =>
        key === undefined ? usage : sum([...key.world.keys.values()], 'usage'),
      ),
    ),
    'key-info.unlimited-as-zero': subtle('An unlimited key has a limit and a limit_remaining of 0', {
      keyInformation: (_call, { information }) => ({
        ...information,
        limit: information.limit ?? 0,
        limit_remaining: information.limit_remaining ?? 0,
      }),
    }),
    'key-info.usage-in-two-decimals': subtle(
      'usage_daily is rounded to two decimals',
      editKey('usage_daily', (usage) => Math.round(Number(usage) * 100) / 100),
    ),
    'key-info.usage-in-32-bits': subtle(
      'usage has passed through a 32-bit float',
      editKey('usage', (usage) => Math.fround(Number(usage))),
    ),
    'key-info.usage-capped': subtle(
      'A usage of more than 100,000 becomes 100,000',
      editKey('usage', (usage) => Math.min(Number(usage), 100_000)),
    ),
    'key-info.remaining-crumbs-as-zero': subtle(
      'A limit_remaining below a cent becomes 0',
      editKey('limit_remaining', (remaining) =>
        typeof remaining === 'number' && remaining < 0.01 ? 0 : remaining,
      ),
    ),
    'key-info.remaining-computed': subtle(
      'limit_remaining is limit less usage, though the limit has been reset since',
      editKey('limit_remaining', (remaining, { limit, usage }) =>
        remaining === null ? null : Math.max(0, Number(limit) - Number(usage)),
      ),
    ),
    'key-info.usage-with-byok': plain(
      'usage counts the usage on own provider keys as well',
      editKey('usage', (usage, { byok_usage }) => Number(usage) + Number(byok_usage)),
    ),
    'key-info.byok-ignored': plain(
      'byok_usage_monthly is always 0',
      editKey('byok_usage_monthly', () => 0),
    ),
    'key-info.byok-in-limit-inverted': plain(
      'include_byok_in_limit is inverted',
      editKey('include_byok_in_limit', (included) => !included),
    ),
    'key-info.never-resets-as-word': subtle(
      'limit_reset is the word "never" where it should be null',
      editKey('limit_reset', (reset) => reset ?? 'never'),
    ),
    'key-info.label-in-ascii': subtle(
      'Letters of label beyond ASCII become question marks',
      editKey('label', (label) => String(label).replace(/\P{ASCII}/gu, '?')),
    ),
    'key-info.read-is-counted-later': subtle(
      'Every key read is counted as a hundredth of a credit, which the next one reports',
      {
        keyInformation: (_call, { information }) => {
          const told = { ...information };
          information.usage = Number(information.usage) + 0.01;
          return told;
        },
      },
    ),
    'key-info.negative-remaining-as-zero': subtle(
      'A limit_remaining below zero becomes 0',
      editKey('limit_remaining', (remaining) =>
        typeof remaining === 'number' ? Math.max(0, remaining) : remaining,
      ),
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
    'key-info.byok-usage-in-31-bits': subtle(
      'A byok_usage of 2^31 or more becomes 2147483647',
      editKey('byok_usage', (usage) => Math.min(Number(usage), 2_147_483_647)),
    ),
    'key-info.usage-monthly-in-six-decimals': subtle(
      'usage_monthly is rounded to six decimals: 1e-7 becomes 0',
      editKey('usage_monthly', (usage) =>
        typeof usage === 'number' ? Math.round(usage * 1e6) / 1e6 : usage,
      ),
    ),
    'key-info.label-trimmed': subtle(
      'Blanks around label are taken away',
      editKey('label', (label) => (typeof label === 'string' ? label.trim() : label)),
    ),
    'key-info.label-ends-beyond-the-basic-plane': subtle(
      'label ends before its first character of two UTF-16 units, as in a column of three-byte UTF-8',
      editKey('label', (label) =>
        typeof label === 'string' ? label.replace(/[\u{10000}-\u{10ffff}].*$/su, '') : label,
      ),
    ),
    'key-info.limit-reset-unknown-as-null': subtle(
      'A limit_reset other than daily, weekly and monthly becomes null',
      editKey('limit_reset', (reset) =>
        typeof reset === 'string' && !/^(?:daily|weekly|monthly)$/.test(reset) ? null : reset,
      ),
    ),
    'key-info.limit-reset-in-lower-case': subtle(
      'limit_reset is in lower case',
      editKey('limit_reset', (reset) => (typeof reset === 'string' ? reset.toLowerCase() : reset)),
    ),
  }),
  ...makeMutants('key-info.200.own-figures', {
    'key-info.figures-of-member': plain(
      'Every key of a workspace reports the usage of its first key',
      reportAnotherKey('usage', ({ world, role }) =>
        role === 'member' ? undefined : world.keys.get('member'),
      ),
    ),
    'key-info.label-of-previous': subtle('label is that of the key of the workspace that was read before', {
      keyInformation: ({ server: { memory } }, key) => {
        const previous = memory.get(key.world.id);
        memory.set(key.world.id, key.role);
        const read = [...key.world.keys.values()].find(({ role }) => role === previous) ?? key;
        return { ...key.information, label: read.information.label };
      },
    }),
  }),
  ...makeMutants('key-info.field.label', {
    'key-info.empty-label-null': subtle(
      'An empty label becomes null, as in a database that knows no empty text',
      editKey('label', (label) => (label === '' ? null : label)),
    ),
    'key-info.numeric-label-as-number': subtle(
      'A label of digits becomes a number: 0042 becomes 42',
      editKey('label', (label) => (/^\d+$/.test(String(label)) ? Number(label) : label)),
    ),
    'key-info.label-read-as-yaml': subtle(
      'The labels "null", "true" and "false" become null, true and false',
      editKey('label', (label) =>
        /^(?:null|true|false)$/.test(String(label)) ? (JSON.parse(String(label)) as unknown) : label,
      ),
    ),
  }),
  ...makeMutants('key-info.field.usage_weekly', {
    'key-info.tiny-usage-as-text': subtle(
      'A usage_weekly below a millionth becomes text in scientific notation',
      editKey('usage_weekly', (usage) =>
        typeof usage === 'number' && usage !== 0 && Math.abs(usage) < 1e-6 ? usage.toExponential() : usage,
      ),
    ),
  }),
  ...makeMutants('key-info.field.byok_usage_monthly', {
    'key-info.large-usage-as-text': subtle(
      'A byok_usage_monthly of 2^53 or more becomes text',
      editKey('byok_usage_monthly', (usage) =>
        typeof usage === 'number' && usage >= 2 ** 53 ? String(usage) : usage,
      ),
    ),
  }),
];

/** A figure is that of another key, where there is one. */
function reportAnotherKey(field: string, another: (key: Key) => Key | undefined): Mutation {
  return editKey(field, (figure, _information, { key }) => {
    const other = key && another(key);
    return other === undefined ? figure : other.information[field];
  });
}

function sum(keys: readonly Key[], field: string): number {
  return keys.reduce((total, { information }) => total + Number(information[field]), 0);
}
