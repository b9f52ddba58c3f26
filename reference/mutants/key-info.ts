import { conforming } from '../conforming.js';
import { everyday, type Mutant, makeMutants, plain, subtle } from '../mutant.js';
import { countUp, editAnswer, editKey, setStatus } from '../mutation.js';
import { isJsonObject, type Role } from '../vocabulary.js';
import type { Key } from '../world.js';
import { withoutKey, withQuery } from './conditions.js';
import { announcesBody, refuseRead } from './guardrail-read.js';

/** Mutants of the area key-info: the answer to a key read has another status or shape than §4.3 says. */
export const keyInfoMutants: readonly Mutant[] = [
  ...makeMutants('key-info.200.data', {
    'key-info.data-missing': everyday.plain(
      'The body is the Key information itself, without data',
      editAnswer({ operation: 'key-read', status: 200 }, (answer) => ({
        ...answer,
        body: isJsonObject(answer.body) && isJsonObject(answer.body.data) ? answer.body.data : answer.body,
      })),
    ),
    'key-info.body-cut-now-and-then': everyday.intermittent(
      'data is missing on every fifth key read that is served',
      editAnswer(
        { operation: 'key-read', status: 200, when: (call) => countUp(call, 'keys served') % 5 === 0 },
        (answer) => ({ ...answer, body: {} }),
      ),
    ),
  }),
  ...makeMutants('key-info.200.read', {
    'key-info.read-201': everyday.plain(
      'A key read gets 201',
      editAnswer({ operation: 'key-read', status: 200 }, (answer) => ({ ...answer, status: 201 })),
      ['key-info.status-documented', 'auth.bearer'],
    ),
    'key-info.outside-programme-refused': subtle(
      'A key of a caller outside the intern programme gets 404, as on the vault routes',
      refuseRead('key-read', 404, ({ key }) => key?.traits.inProgramme === false),
    ),
  }),
  ...makeMutants('auth.missing-key', {
    'key-info.missing-key-403': everyday.plain(
      'A key read without a key gets 403',
      setStatus({ operation: 'key-read', status: 401, when: withoutKey }, 403),
    ),
  }),
  ...makeMutants('key-info.200.no-parameters', {
    'key-info.query-500': everyday.plain(
      'A query string leads to 500',
      refuseRead('key-read', 500, withQuery),
    ),
    'key-info.body-415': plain('A body leads to 415', refuseRead('key-read', 415, announcesBody)),
  }),
  ...makeMutants('key-info.200.own-figures', {
    'key-info.daily-of-another-key': everyday.plain(
      'usage_daily is that of another key of the workspace',
      {
        keyInformation: (_call, key) => ({
          ...key.information,
          usage_daily: anotherKey(key).information.usage_daily,
        }),
      },
      ['key-info.200.values', 'key-info.usage.nested', 'key-info.windows', 'key-info.byok-counting'],
    ),
    'key-info.second-key-reports-the-first': subtle(
      'The second key of an account reports the figures of the first',
      {
        keyInformation: (call, key) => {
          const first = key.role === 'free_small_second' ? key.world.keys.get('free_small') : undefined;
          return conforming.keyInformation(call, first ?? key);
        },
      },
    ),
  }),
  ...makeMutants('key-info.limit-pair', {
    'key-info.limit-null-with-remaining': everyday.plain(
      'limit is null while limit_remaining is a number',
      editKey('limit', () => null),
      ['key-info.200.values'],
    ),
  }),
  ...makeMutants('key-info.usage.nested', {
    'key-info.daily-above-weekly': everyday.plain(
      'usage_daily and usage_weekly are exchanged',
      {
        keyInformation: (_call, { information: { usage_daily, usage_weekly, ...others } }) => ({
          ...others,
          usage_daily: usage_weekly,
          usage_weekly: usage_daily,
        }),
      },
      ['key-info.200.values', 'key-info.windows', 'key-info.byok-counting'],
    ),
  }),
  ...makeMutants('key-info.free-tier', {
    'key-info.free-tier-inverted': everyday.plain(
      'is_free_tier is true for an account that has paid, and false for one that has not',
      editKey('is_free_tier', (free) => !free),
      ['key-info.200.values'],
    ),
  }),
  ...makeMutants('key-info.exhausted', {
    'key-info.used-up-keeps-a-credit': everyday.subtle(
      'limit_remaining never falls below 1',
      editKey('limit_remaining', (remaining, _information, { key }) =>
        key?.traits.limitUsedUp === true ? 1 : remaining,
      ),
    ),
  }),
];

function anotherKey(key: Key): Key {
  const role: Role = key.role === 'member' ? 'management' : 'member';
  return key.world.keys.get(role) ?? key;
}
