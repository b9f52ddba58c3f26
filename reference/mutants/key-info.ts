import { type Mutant, makeMutants } from '../mutant.js';
import type { Role } from '../vocabulary.js';
import type { Key } from '../world.js';

/** Mutants of the area key-info. */
export const keyInfoMutants: readonly Mutant[] = [
  ...makeMutants('4.3', ['key-info.200.own-figures'], {
    'key-info.daily-of-another-key': {
      everydayPlain: 'usage_daily is that of another key of the workspace',
      alsoRed: ['key-info.200.values', 'key-info.usage.nested', 'key-info.windows', 'key-info.byok-counting'],
      override: {
        keyInformation: (_call, key) => ({
          ...key.information,
          usage_daily: anotherKey(key).information.usage_daily,
        }),
      },
    },
  }),
];

function anotherKey(key: Key): Key {
  const role: Role = key.role === 'member' ? 'management' : 'member';
  return key.world.keys.get(role) ?? key;
}
