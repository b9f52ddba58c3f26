import { isJsonObject } from '../json.js';
import { startingKeyInformation } from '../key-information.js';
import type { Mutant, Override } from '../mutant.js';
import { keyField } from '../override.js';
import type { Key } from '../world.js';

/** Mutants of the area key-info: a figure of the right type is not the key's own, as it is. */
export const keyInfoValueMutants: readonly Mutant[] = [
  {
    id: 'key-info.never-fresh',
    section: '4.3',
    turnsRed: ['key-info.200.values'],
    description: 'What the first read with a key told is told for ever',
    hardness: 'plain',
    override: {
      keyInformation: ({ server: { memory } }, { text, information }) => {
        const told = memory.get(text);
        if (isJsonObject(told)) return told;
        memory.set(text, { ...information });
        return information;
      },
    },
  },
  {
    id: 'key-info.usage-unmoved',
    section: '4.3',
    turnsRed: ['key-info.200.values'],
    description: 'usage stays what it was when the key was made',
    hardness: 'plain',
    override: keyField('usage', (usage, _information, { key }) =>
      key === undefined ? usage : startingKeyInformation(key.role).usage,
    ),
  },
  {
    id: 'key-info.figures-of-member',
    section: '4.3',
    turnsRed: ['key-info.200.own-figures'],
    description: 'Every key of a workspace is told the usage of its first key',
    hardness: 'plain',
    override: ofAnotherKey('usage', ({ world, role }) =>
      role === 'member' ? undefined : world.keys.get('member'),
    ),
  },
  {
    id: 'key-info.figures-of-management',
    section: '4.3',
    turnsRed: ['key-info.200.values'],
    description: 'usage_weekly is that of the management key',
    hardness: 'plain',
    override: ofAnotherKey('usage_weekly', ({ world }) => world.keys.get('management')),
  },
  {
    id: 'key-info.figures-of-workspace',
    section: '4.3',
    turnsRed: ['key-info.200.values'],
    description: 'usage is the sum over all keys of the workspace',
    hardness: 'plain',
    override: keyField('usage', (usage, _information, { key }) =>
      key === undefined ? usage : sum([...key.world.keys.values()], 'usage'),
    ),
  },
  {
    id: 'key-info.label-of-previous',
    section: '4.3',
    turnsRed: ['key-info.200.own-figures'],
    description: 'label is that of the key of the workspace that was read before',
    hardness: 'subtle',
    override: {
      keyInformation: ({ server: { memory } }, key) => {
        const previous = memory.get(key.world.id);
        memory.set(key.world.id, key.role);
        const read = [...key.world.keys.values()].find(({ role }) => role === previous) ?? key;
        return { ...key.information, label: read.information.label };
      },
    },
  },
  {
    id: 'key-info.limit-in-cents',
    section: '4.3',
    turnsRed: ['key-info.200.values'],
    description: 'limit and limit_remaining are told in cents',
    hardness: 'plain',
    override: {
      keyInformation: (_call, { information }) => ({
        ...information,
        limit: inCents(information.limit),
        limit_remaining: inCents(information.limit_remaining),
      }),
    },
  },
  {
    id: 'key-info.unlimited-as-zero',
    section: '4.3',
    turnsRed: ['key-info.200.values'],
    description: 'An unlimited key is told a limit and a limit_remaining of 0',
    hardness: 'subtle',
    override: {
      keyInformation: (_call, { information }) => ({
        ...information,
        limit: information.limit ?? 0,
        limit_remaining: information.limit_remaining ?? 0,
      }),
    },
  },
  {
    id: 'key-info.usage-in-two-decimals',
    section: '4.3',
    turnsRed: ['key-info.200.values'],
    description: 'usage_daily is rounded to two decimals',
    hardness: 'subtle',
    override: keyField('usage_daily', (usage) => Math.round(Number(usage) * 100) / 100),
  },
  {
    id: 'key-info.usage-whole',
    section: '4.3',
    turnsRed: ['key-info.200.values'],
    description: 'usage is rounded down to whole credits',
    hardness: 'subtle',
    override: keyField('usage', (usage) => Math.floor(Number(usage))),
  },
  {
    id: 'key-info.usage-in-32-bits',
    section: '4.3',
    turnsRed: ['key-info.200.values'],
    description: 'usage has passed through a 32-bit float',
    hardness: 'subtle',
    override: keyField('usage', (usage) => Math.fround(Number(usage))),
  },
  {
    id: 'key-info.usage-capped',
    section: '4.3',
    turnsRed: ['key-info.200.values'],
    description: 'A usage of more than 100,000 is told as 100,000',
    hardness: 'subtle',
    override: keyField('usage', (usage) => Math.min(Number(usage), 100_000)),
  },
  {
    id: 'key-info.remaining-crumbs-as-zero',
    section: '4.3',
    turnsRed: ['key-info.200.values'],
    description: 'A limit_remaining below a cent is told as 0',
    hardness: 'subtle',
    override: keyField('limit_remaining', (remaining) =>
      typeof remaining === 'number' && remaining < 0.01 ? 0 : remaining,
    ),
  },
  {
    id: 'key-info.remaining-computed',
    section: '4.3',
    turnsRed: ['key-info.200.values'],
    description: 'limit_remaining is limit less usage, though the limit has been reset since',
    hardness: 'subtle',
    override: keyField('limit_remaining', (remaining, { limit, usage }) =>
      remaining === null ? null : Math.max(0, Number(limit) - Number(usage)),
    ),
  },
  {
    id: 'key-info.usage-with-byok',
    section: '4.3',
    turnsRed: ['key-info.200.values'],
    description: 'usage counts the usage on own provider keys as well',
    hardness: 'plain',
    override: keyField('usage', (usage, { byok_usage }) => Number(usage) + Number(byok_usage)),
  },
  {
    id: 'key-info.byok-ignored',
    section: '4.3',
    turnsRed: ['key-info.200.values'],
    description: 'byok_usage_monthly is always 0',
    hardness: 'plain',
    override: keyField('byok_usage_monthly', () => 0),
  },
  {
    id: 'key-info.byok-in-limit-inverted',
    section: '4.3',
    turnsRed: ['key-info.200.values'],
    description: 'include_byok_in_limit is inverted',
    hardness: 'plain',
    override: keyField('include_byok_in_limit', (included) => !included),
  },
  {
    id: 'key-info.never-resets-as-word',
    section: '4.3',
    turnsRed: ['key-info.200.values'],
    description: 'limit_reset is the word "never" where it should be null',
    hardness: 'subtle',
    override: keyField('limit_reset', (reset) => reset ?? 'never'),
  },
  {
    id: 'key-info.label-in-ascii',
    section: '4.3',
    turnsRed: ['key-info.200.values'],
    description: 'Letters of label beyond ASCII are told as question marks',
    hardness: 'subtle',
    override: keyField('label', (label) => String(label).replace(/\P{ASCII}/gu, '?')),
  },
  {
    id: 'key-info.read-is-counted',
    section: '4.3',
    turnsRed: ['key-info.200.values'],
    description: 'Every key read is counted as a hundredth of a credit, this one included',
    hardness: 'plain',
    override: {
      keyInformation: (_call, { information }) => {
        information.usage = Number(information.usage) + 0.01;
        return information;
      },
    },
  },
  {
    id: 'key-info.read-is-counted-later',
    section: '4.3',
    turnsRed: ['key-info.200.values'],
    description: 'Every key read is counted as a hundredth of a credit, which the next one tells',
    hardness: 'subtle',
    override: {
      keyInformation: (_call, { information }) => {
        const told = { ...information };
        information.usage = Number(information.usage) + 0.01;
        return told;
      },
    },
  },
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
