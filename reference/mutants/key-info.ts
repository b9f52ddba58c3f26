import type { Mutant } from '../mutant.js';
import type { Role } from '../vocabulary.js';
import type { Key } from '../world.js';

/** Mutants of the area key-info. */
export const keyInfoMutants: readonly Mutant[] = [
  {
    id: 'key-info.daily-of-another-key',
    section: '4.3',
    turnsRed: ['key-info.200.own-figures'],
    description: 'usage_daily is that of another key of the workspace',
    hardness: 'plain',
    override: {
      keyInformation: (_call, key) => ({
        ...key.information,
        usage_daily: anotherKey(key).information.usage_daily,
      }),
    },
  },
];

function anotherKey(key: Key): Key {
  const role: Role = key.role === 'member' ? 'management' : 'member';
  return key.world.keys.get(role) ?? key;
}
