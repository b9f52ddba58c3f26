import { type Mutant, makeMutants } from '../mutant.js';
import { answers, counted, gate, noGate, type Override } from '../mutation.js';
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
  ...makeMutants('7.1', ['vault-delete.401.provisioning-key'], {
    'vault-delete.query-lets-provisioning-key-in': {
      everydaySubtle: 'A provisioning key may delete if the request has a query string',
      override: noGate('vault-delete', 'no-provisioning-key', withQuery),
    },
    'vault-delete.sibling-lets-provisioning-key-in': {
      subtle: 'A provisioning key may delete at the sibling',
      override: noGate('vault-delete', 'no-provisioning-key', through('sibling')),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.403.no-scope'], {
    'vault-delete.body-lets-unscoped-key-in': {
      everydaySubtle: 'A key without a usable workspace scope may delete if the request has a body',
      override: noGate('vault-delete', 'workspace-scope', withBody),
    },
    'vault-delete.long-name-lets-unscoped-key-in': {
      subtle: 'A key without a usable workspace scope may delete names of over 64 characters',
      override: noGate('vault-delete', 'workspace-scope', longName),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.404.outside-programme'], {
    'vault-delete.query-lets-outsider-in': {
      everydaySubtle: 'A caller outside the intern programme may delete if the request has a query string',
      override: noGate('vault-delete', 'intern-programme', withQuery),
    },
    'vault-delete.short-name-lets-outsider-in': {
      subtle: 'A caller outside the intern programme may delete names of one character',
      override: noGate('vault-delete', 'intern-programme', shortName),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.503.writes-disabled'], {
    'vault-delete.body-lets-write-disabled-in': {
      subtle: 'A caller for whom vault writes are disabled may delete if the request has a body',
      override: noGate('vault-delete', 'vault-writes', withBody),
    },
    'vault-delete.sibling-lets-write-disabled-in': {
      subtle: 'A caller for whom vault writes are disabled may delete at the sibling',
      override: noGate('vault-delete', 'vault-writes', through('sibling')),
    },
    'vault-delete.force-lifts-disabled-writes': {
      subtle: 'The query force=true lets a caller delete for whom vault writes are disabled',
      override: noGate('vault-delete', 'vault-writes', ({ path }) => path.includes('force=true')),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.429.rate-limited'], {
    'vault-delete.query-lifts-rate-limit': {
      subtle: 'A delete beyond the rate limit is done if it has a query string',
      override: ignoresFault('vault_rate_limited', withQuery),
    },
    'vault-delete.sibling-lifts-rate-limit': {
      subtle: 'A delete beyond the rate limit is done at the sibling',
      override: ignoresFault('vault_rate_limited', through('sibling')),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.503.writes-disabled'], {
    'vault-delete.long-name-lifts-disabled-writes': {
      subtle: 'Names of over 64 characters are deleted while vault writes are disabled',
      override: ignoresFault('vault_writes_disabled', longName),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.500.scope-lookup'], {
    'vault-delete.scope-lookup-403-at-the-sibling': {
      everydaySubtle: 'A failed scope lookup answers 403 at the sibling',
      override: gate('vault-delete', 'fault', (call, original) => {
        const refused = original(call);
        return refused !== undefined && during('scope_lookup_failed')(call) && through('sibling')(call)
          ? { ...refused, status: 403 }
          : refused;
      }),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.404.foreign-intern'], {
    'vault-delete.foreign-intern-with-query': {
      everydaySubtle:
        'A foreign intern answers 204 if the request has a query string, and nothing is deleted',
      override: claimsDone(404, all(through('foreign'), withQuery)),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.404.never-stored'], {
    'vault-delete.never-stored-with-body': {
      everydaySubtle: 'A delete of a name that is not stored answers 204 if the request has a body',
      override: claimsDone(404, all(as('member'), through('own'), withBody)),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.401.provisioning-key'], {
    'vault-delete.every-third-provisioning-key-in': {
      everydayIntermittent: 'Every third delete with a provisioning key is done',
      override: everySoMany(3, 401, as('provisioning')),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.403.no-scope'], {
    'vault-delete.every-fourth-unscoped-key-in': {
      everydayIntermittent: 'Every fourth delete with a key that has no usable workspace scope is done',
      override: everySoMany(4, 403, as('unscoped')),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.404.outside-programme'], {
    'vault-delete.every-third-outsider-in': {
      everydayIntermittent: 'Every third delete by a caller outside the intern programme is done',
      override: everySoMany(3, 404, as('outsider')),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.503.writes-disabled'], {
    'vault-delete.every-third-write-disabled-in': {
      everydayIntermittent: 'Every third delete by a caller for whom vault writes are disabled is done',
      override: everySoMany(3, 503, as('write_disabled')),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.404.foreign-intern'], {
    'vault-delete.every-third-foreign-intern-204': {
      everydayIntermittent: 'Every third delete at a foreign intern answers 204',
      override: everySoMany(3, 404, all(as('member'), through('foreign'))),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.404.other-intern'], {
    'vault-delete.every-second-sibling-secret-204': {
      intermittent: 'Every second delete of a secret that only the sibling has answers 204',
      override: everySoMany(2, 404, all(as('member'), through('own'), storedFor('sibling'))),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.429.rate-limited'], {
    'vault-delete.every-second-rate-limit-204': {
      everydayIntermittent: 'Every second delete beyond the rate limit is done',
      override: everySoMany(2, 429, () => true),
    },
  }),
  ...makeMutants('2.4', ['envelope.error.code-is-status'], {
    'vault-delete.every-tenth-404-other-code': {
      everydayIntermittent: 'Every tenth 404 of a delete says 500 in its envelope',
      override: answers({ operation: 'vault-delete', status: 404 }, (answer, call) =>
        counted(call, 'not found') % 10 === 0
          ? { ...answer, body: call.behaviour.envelope(call, { status: 500, message: 'Not found' }) }
          : answer,
      ),
    },
  }),
];

/** Every so many of some refusals is none: the secret goes, and the answer is 204. */
function everySoMany(often: number, status: number, when: When): Override {
  return answers({ operation: 'vault-delete', status, when }, (answer, call) => {
    if (counted(call, `refused with ${status}`) % often !== 0) return answer;
    removeNamed(call);
    return DONE;
  });
}
