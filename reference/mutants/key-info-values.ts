import { type Mutant, makeMutants } from '../mutant.js';
import { keyField, type Override } from '../mutation.js';
import { isJsonObject } from '../vocabulary.js';
import { type Key, startingKeyInformation } from '../world.js';

/** Mutants of the area key-info: a figure of the right type is not the key's own, as it is. */
export const keyInfoValueMutants: readonly Mutant[] = [
  ...makeMutants('4.3', ['key-info.200.values'], {
    'key-info.never-fresh': {
      everydayPlain: 'What the first read with a key told is told for ever',
      override: {
        keyInformation: ({ server: { memory } }, { text, information }) => {
          const told = memory.get(text);
          if (isJsonObject(told)) return told;
          memory.set(text, { ...information });
          return information;
        },
      },
    },
    'key-info.usage-unmoved': {
      plain: 'usage stays what it was when the key was made',
      override: keyField('usage', (usage, _information, { key }) =>
        key === undefined ? usage : startingKeyInformation(key.role).usage,
      ),
    },
  }),
  ...makeMutants('4.3', ['key-info.200.own-figures'], {
    'key-info.figures-of-member': {
      plain: 'Every key of a workspace is told the usage of its first key',
      override: ofAnotherKey('usage', ({ world, role }) =>
        role === 'member' ? undefined : world.keys.get('member'),
      ),
    },
  }),
  ...makeMutants('4.3', ['key-info.200.values'], {
    'key-info.figures-of-management': {
      plain: 'usage_weekly is that of the management key',
      override: ofAnotherKey('usage_weekly', ({ world }) => world.keys.get('management')),
    },
    'key-info.figures-of-workspace': {
      plain: 'usage is the sum over all keys of the workspace',
      override: keyField('usage', (usage, _information, { key }) =>
        key === undefined ? usage : sum([...key.world.keys.values()], 'usage'),
      ),
    },
  }),
  ...makeMutants('4.3', ['key-info.200.own-figures'], {
    'key-info.label-of-previous': {
      subtle: 'label is that of the key of the workspace that was read before',
      override: {
        keyInformation: ({ server: { memory } }, key) => {
          const previous = memory.get(key.world.id);
          memory.set(key.world.id, key.role);
          const read = [...key.world.keys.values()].find(({ role }) => role === previous) ?? key;
          return { ...key.information, label: read.information.label };
        },
      },
    },
  }),
  ...makeMutants('4.3', ['key-info.200.values'], {
    'key-info.limit-in-cents': {
      plain: 'limit and limit_remaining are told in cents',
      override: {
        keyInformation: (_call, { information }) => ({
          ...information,
          limit: inCents(information.limit),
          limit_remaining: inCents(information.limit_remaining),
        }),
      },
    },
    'key-info.unlimited-as-zero': {
      subtle: 'An unlimited key is told a limit and a limit_remaining of 0',
      override: {
        keyInformation: (_call, { information }) => ({
          ...information,
          limit: information.limit ?? 0,
          limit_remaining: information.limit_remaining ?? 0,
        }),
      },
    },
    'key-info.usage-in-two-decimals': {
      subtle: 'usage_daily is rounded to two decimals',
      override: keyField('usage_daily', (usage) => Math.round(Number(usage) * 100) / 100),
    },
    'key-info.usage-whole': {
      subtle: 'usage is rounded down to whole credits',
      override: keyField('usage', (usage) => Math.floor(Number(usage))),
    },
    'key-info.usage-in-32-bits': {
      subtle: 'usage has passed through a 32-bit float',
      override: keyField('usage', (usage) => Math.fround(Number(usage))),
    },
    'key-info.usage-capped': {
      subtle: 'A usage of more than 100,000 is told as 100,000',
      override: keyField('usage', (usage) => Math.min(Number(usage), 100_000)),
    },
    'key-info.remaining-crumbs-as-zero': {
      subtle: 'A limit_remaining below a cent is told as 0',
      override: keyField('limit_remaining', (remaining) =>
        typeof remaining === 'number' && remaining < 0.01 ? 0 : remaining,
      ),
    },
    'key-info.remaining-computed': {
      subtle: 'limit_remaining is limit less usage, though the limit has been reset since',
      override: keyField('limit_remaining', (remaining, { limit, usage }) =>
        remaining === null ? null : Math.max(0, Number(limit) - Number(usage)),
      ),
    },
    'key-info.usage-with-byok': {
      plain: 'usage counts the usage on own provider keys as well',
      override: keyField('usage', (usage, { byok_usage }) => Number(usage) + Number(byok_usage)),
    },
    'key-info.byok-ignored': {
      plain: 'byok_usage_monthly is always 0',
      override: keyField('byok_usage_monthly', () => 0),
    },
    'key-info.byok-in-limit-inverted': {
      plain: 'include_byok_in_limit is inverted',
      override: keyField('include_byok_in_limit', (included) => !included),
    },
    'key-info.never-resets-as-word': {
      subtle: 'limit_reset is the word "never" where it should be null',
      override: keyField('limit_reset', (reset) => reset ?? 'never'),
    },
    'key-info.label-in-ascii': {
      subtle: 'Letters of label beyond ASCII are told as question marks',
      override: keyField('label', (label) => String(label).replace(/\P{ASCII}/gu, '?')),
    },
    'key-info.read-is-counted': {
      plain: 'Every key read is counted as a hundredth of a credit, this one included',
      override: {
        keyInformation: (_call, { information }) => {
          information.usage = Number(information.usage) + 0.01;
          return information;
        },
      },
    },
    'key-info.read-is-counted-later': {
      subtle: 'Every key read is counted as a hundredth of a credit, which the next one tells',
      override: {
        keyInformation: (_call, { information }) => {
          const told = { ...information };
          information.usage = Number(information.usage) + 0.01;
          return told;
        },
      },
    },
  }),
];

/** A figure is that of another key, where there is one. */
function ofAnotherKey(field: string, another: (key: Key) => Key | undefined): Override {
  return keyField(field, (figure, _information, { key }) => {
    const other = key && another(key);
    return other === undefined ? figure : other.information[field];
  });
}

function sum(keys: readonly Key[], field: string): number {
  return keys.reduce((total, { information }) => total + Number(information[field]), 0);
}

function inCents(amount: unknown): unknown {
  return typeof amount === 'number' ? amount * 100 : amount;
}
