import type { Mutant, Override } from '../mutant.js';
import { answers, counted, gate, noGate } from '../override.js';
import {
  all,
  as,
  claimsDone,
  DONE,
  during,
  ignoresFault,
  longName,
  nameOf,
  removeNamed,
  storedFor,
  through,
  type When,
  withBody,
  withQuery,
} from './vault-delete-builders.js';

const shortName: When = (call) => nameOf(call).length === 1;

/** Mutants of the vault delete that are wrong for some inputs only, or now and then (§4.1, §7.1). */
export const vaultDeleteInputsMutants: readonly Mutant[] = [
  {
    id: 'vault-delete.query-lets-provisioning-key-in',
    section: '7.1',
    turnsRed: ['vault-delete.401.provisioning-key'],
    description: 'A provisioning key may delete if the request has a query string',
    hardness: 'subtle',
    override: noGate('vault-delete', 'no-provisioning-key', withQuery),
  },
  {
    id: 'vault-delete.sibling-lets-provisioning-key-in',
    section: '7.1',
    turnsRed: ['vault-delete.401.provisioning-key'],
    description: 'A provisioning key may delete at the sibling',
    hardness: 'subtle',
    override: noGate('vault-delete', 'no-provisioning-key', through('sibling')),
  },
  {
    id: 'vault-delete.body-lets-unscoped-key-in',
    section: '7.1',
    turnsRed: ['vault-delete.403.no-scope'],
    description: 'A key without a usable workspace scope may delete if the request has a body',
    hardness: 'subtle',
    override: noGate('vault-delete', 'workspace-scope', withBody),
  },
  {
    id: 'vault-delete.long-name-lets-unscoped-key-in',
    section: '7.1',
    turnsRed: ['vault-delete.403.no-scope'],
    description: 'A key without a usable workspace scope may delete names of over 64 characters',
    hardness: 'subtle',
    override: noGate('vault-delete', 'workspace-scope', longName),
  },
  {
    id: 'vault-delete.query-lets-outsider-in',
    section: '7.1',
    turnsRed: ['vault-delete.404.outside-programme'],
    description: 'A caller outside the intern programme may delete if the request has a query string',
    hardness: 'subtle',
    override: noGate('vault-delete', 'intern-programme', withQuery),
  },
  {
    id: 'vault-delete.short-name-lets-outsider-in',
    section: '7.1',
    turnsRed: ['vault-delete.404.outside-programme'],
    description: 'A caller outside the intern programme may delete names of one character',
    hardness: 'subtle',
    override: noGate('vault-delete', 'intern-programme', shortName),
  },
  {
    id: 'vault-delete.body-lets-write-disabled-in',
    section: '7.1',
    turnsRed: ['vault-delete.503.writes-disabled'],
    description: 'A caller for whom vault writes are disabled may delete if the request has a body',
    hardness: 'subtle',
    override: noGate('vault-delete', 'vault-writes', withBody),
  },
  {
    id: 'vault-delete.sibling-lets-write-disabled-in',
    section: '7.1',
    turnsRed: ['vault-delete.503.writes-disabled'],
    description: 'A caller for whom vault writes are disabled may delete at the sibling',
    hardness: 'subtle',
    override: noGate('vault-delete', 'vault-writes', through('sibling')),
  },
  {
    id: 'vault-delete.force-lifts-disabled-writes',
    section: '7.1',
    turnsRed: ['vault-delete.503.writes-disabled'],
    description: 'The query force=true lets a caller delete for whom vault writes are disabled',
    hardness: 'subtle',
    override: noGate('vault-delete', 'vault-writes', ({ path }) => path.includes('force=true')),
  },
  {
    id: 'vault-delete.query-lifts-rate-limit',
    section: '7.1',
    turnsRed: ['vault-delete.429.rate-limited'],
    description: 'A delete beyond the rate limit is done if it has a query string',
    hardness: 'subtle',
    override: ignoresFault('vault_rate_limited', withQuery),
  },
  {
    id: 'vault-delete.sibling-lifts-rate-limit',
    section: '7.1',
    turnsRed: ['vault-delete.429.rate-limited'],
    description: 'A delete beyond the rate limit is done at the sibling',
    hardness: 'subtle',
    override: ignoresFault('vault_rate_limited', through('sibling')),
  },
  {
    id: 'vault-delete.long-name-lifts-disabled-writes',
    section: '7.1',
    turnsRed: ['vault-delete.503.writes-disabled'],
    description: 'Names of over 64 characters are deleted while vault writes are disabled',
    hardness: 'subtle',
    override: ignoresFault('vault_writes_disabled', longName),
  },
  {
    id: 'vault-delete.scope-lookup-403-at-the-sibling',
    section: '7.1',
    turnsRed: ['vault-delete.500.scope-lookup'],
    description: 'A failed scope lookup answers 403 at the sibling',
    hardness: 'subtle',
    override: gate('vault-delete', 'fault', (call, original) => {
      const refused = original(call);
      return refused !== undefined && during('scope_lookup_failed')(call) && through('sibling')(call)
        ? { ...refused, status: 403 }
        : refused;
    }),
  },
  {
    id: 'vault-delete.foreign-intern-with-query',
    section: '7.1',
    turnsRed: ['vault-delete.404.foreign-intern'],
    description: 'A foreign intern answers 204 if the request has a query string, and nothing is deleted',
    hardness: 'subtle',
    override: claimsDone(404, all(through('foreign'), withQuery)),
  },
  {
    id: 'vault-delete.never-stored-with-body',
    section: '7.1',
    turnsRed: ['vault-delete.404.never-stored'],
    description: 'A delete of a name that is not stored answers 204 if the request has a body',
    hardness: 'subtle',
    override: claimsDone(404, all(as('member'), through('own'), withBody)),
  },
  {
    id: 'vault-delete.every-third-provisioning-key-in',
    section: '7.1',
    turnsRed: ['vault-delete.401.provisioning-key'],
    description: 'Every third delete with a provisioning key is done',
    hardness: 'intermittent',
    override: everySoMany(3, 401, as('provisioning')),
  },
  {
    id: 'vault-delete.every-fourth-unscoped-key-in',
    section: '7.1',
    turnsRed: ['vault-delete.403.no-scope'],
    description: 'Every fourth delete with a key that has no usable workspace scope is done',
    hardness: 'intermittent',
    override: everySoMany(4, 403, as('unscoped')),
  },
  {
    id: 'vault-delete.every-third-outsider-in',
    section: '7.1',
    turnsRed: ['vault-delete.404.outside-programme'],
    description: 'Every third delete by a caller outside the intern programme is done',
    hardness: 'intermittent',
    override: everySoMany(3, 404, as('outsider')),
  },
  {
    id: 'vault-delete.every-third-write-disabled-in',
    section: '7.1',
    turnsRed: ['vault-delete.503.writes-disabled'],
    description: 'Every third delete by a caller for whom vault writes are disabled is done',
    hardness: 'intermittent',
    override: everySoMany(3, 503, as('write_disabled')),
  },
  {
    id: 'vault-delete.every-third-foreign-intern-204',
    section: '7.1',
    turnsRed: ['vault-delete.404.foreign-intern'],
    description: 'Every third delete at a foreign intern answers 204',
    hardness: 'intermittent',
    override: everySoMany(3, 404, all(as('member'), through('foreign'))),
  },
  {
    id: 'vault-delete.every-second-sibling-secret-204',
    section: '7.1',
    turnsRed: ['vault-delete.404.other-intern'],
    description: 'Every second delete of a secret that only the sibling has answers 204',
    hardness: 'intermittent',
    override: everySoMany(2, 404, all(as('member'), through('own'), storedFor('sibling'))),
  },
  {
    id: 'vault-delete.every-second-rate-limit-204',
    section: '7.1',
    turnsRed: ['vault-delete.429.rate-limited'],
    description: 'Every second delete beyond the rate limit is done',
    hardness: 'intermittent',
    override: everySoMany(2, 429, () => true),
  },
  {
    id: 'vault-delete.every-tenth-404-other-code',
    section: '2.4',
    turnsRed: ['envelope.error.code-is-status'],
    description: 'Every tenth 404 of a delete says 500 in its envelope',
    hardness: 'intermittent',
    override: answers({ operation: 'vault-delete', status: 404 }, (answer, call) =>
      counted(call, 'not found') % 10 === 0
        ? { ...answer, body: call.behaviour.envelope(call, { status: 500, message: 'Not found' }) }
        : answer,
    ),
  },
];

/** Every so many of some refusals is none: the secret goes, and the answer is 204. */
function everySoMany(often: number, status: number, when: When): Override {
  return answers({ operation: 'vault-delete', status, when }, (answer, call) => {
    if (counted(call, `refused with ${status}`) % often !== 0) return answer;
    removeNamed(call);
    return DONE;
  });
}
