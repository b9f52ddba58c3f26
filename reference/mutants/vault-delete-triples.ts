import { conforming } from '../conforming.js';
import { type Mutant, makeMutants } from '../mutant.js';
import { noGate, noGates } from '../mutation.js';
import {
  all,
  as,
  encodedName,
  ignoresFault,
  isStored,
  longName,
  namedIntern,
  nameOf,
  onRegionalHost,
  through,
  upperCaseIntern,
  withBody,
  withQuery,
} from './vault-delete-builders.js';

/** Mutants of the vault delete that are wrong only where three circumstances meet (§1, §4.1, §5, §7.1). */
export const vaultDeleteTripleMutants: readonly Mutant[] = [
  ...makeMutants('7.1', ['vault-delete.401.provisioning-key'], {
    'vault-delete.body-lets-provisioning-key-in-at-the-sibling': {
      subtle: 'A provisioning key may delete at the sibling if the request has a body',
      override: noGate('vault-delete', 'no-provisioning-key', all(through('sibling'), withBody)),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.503.writes-disabled'], {
    'vault-delete.query-and-upper-case-let-write-disabled-in': {
      subtle:
        'A caller for whom vault writes are disabled may delete with a query string and an internId in upper case',
      override: noGate('vault-delete', 'vault-writes', all(upperCaseIntern, withQuery)),
    },
    'vault-delete.query-lifts-disabled-writes-at-the-sibling': {
      subtle: 'A delete at the sibling with a query string is done while vault writes are disabled',
      override: ignoresFault('vault_writes_disabled', all(through('sibling'), withQuery)),
    },
  }),
  ...makeMutants('5', ['vault-delete.403.regional-host-spelling'], {
    'vault-delete.host-in-capitals-passes-for-encoded-names-at-the-sibling': {
      subtle:
        'The regional hostname passes in upper case for a percent-encoded name at the sibling, which a legacy route serves',
      override: noGate(
        'vault-delete',
        'regional-host',
        all(({ host }) => /[A-Z]/.test(host ?? ''), through('sibling'), encodedName),
      ),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.404.outside-programme'], {
    'vault-delete.long-name-lets-outsider-in-on-regional-host': {
      subtle:
        'A caller outside the intern programme may delete names of over 64 characters on the regional hostname',
      override: noGates(
        'vault-delete',
        ['intern-programme', 'regional-host'],
        all(as('outsider'), onRegionalHost, longName),
      ),
    },
  }),
  ...makeMutants('1', ['vault-delete.204.only-this-scope'], {
    'vault-delete.takes-the-workspace-s-instead-with-body-by-upper-case-intern': {
      subtle:
        'Where intern and workspace both have the name, a delete with a body and an internId in upper case takes that of the workspace',
      override: {
        findSecret: (call) => {
          const place = conforming.findSecret(call);
          const isMistaken = all(upperCaseIntern, withBody)(call) && isStored(call, 'workspace');
          return place !== undefined && namedIntern(call) !== 'foreign' && isMistaken
            ? { scope: 'workspace', name: nameOf(call) }
            : place;
        },
      },
    },
  }),
];
