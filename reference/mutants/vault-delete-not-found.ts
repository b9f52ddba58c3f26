import type { Call } from '../behaviour.js';
import { type Mutant, makeMutants } from '../mutant.js';
import { gateStatus, noGate, type Override } from '../mutation.js';
import {
  all,
  as,
  claimsDone,
  gateStatusWhen,
  isStored,
  namedIntern,
  nameOf,
  storedFor,
  takesAlong,
  through,
  type When,
  worldOfIntern,
} from './vault-delete-builders.js';

const deletionOf = (call: Call): string =>
  `deleted ${call.key?.world.id} ${namedIntern(call)} ${nameOf(call)}`;
const remembersDeleted: Override = takesAlong((call) => {
  call.server.memory.set(deletionOf(call), true);
});
const wasDeleted: When = (call) =>
  call.server.memory.has(deletionOf(call)) && !isStored(call, namedIntern(call) ?? 'own');

const storedNowhere: When = (call) =>
  ['own', 'sibling'].includes(namedIntern(call) ?? '') &&
  !(['own', 'sibling', 'workspace', 'foreign'] as const).some((scope) => isStored(call, scope));
const existsNowhere: When = (call) => namedIntern(call) === undefined && worldOfIntern(call) === undefined;

/** Mutants of the vault delete whose 404 is another status, or no refusal, for one of its causes (§7.1). */
export const vaultDeleteNotFoundMutants: readonly Mutant[] = [
  ...makeMutants('7.1', ['vault-delete.404.never-stored'], {
    'vault-delete.never-stored-204': {
      plain: 'A delete of a name that is stored nowhere answers 204',
      override: claimsDone(404, storedNowhere),
    },
    'vault-delete.never-stored-200': {
      plain: 'A delete of a name that is stored nowhere answers 200 with an error in it',
      override: gateStatusWhen('secret-exists', 200, storedNowhere),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.404.never-stored', 'vault-delete.status-documented'], {
    'vault-delete.never-stored-410': {
      plain: 'A delete of a name that is stored nowhere answers 410',
      override: gateStatusWhen('secret-exists', 410, storedNowhere),
    },
  }),
  ...makeMutants('4.1', ['vault-delete.204.takes-effect'], {
    'vault-delete.deleted-before-204': {
      plain: 'A delete of a secret that was deleted before answers 204 again',
      override: {
        ...remembersDeleted,
        ...claimsDone(404, wasDeleted),
      },
    },
  }),
  ...makeMutants('4.1', ['vault-delete.204.takes-effect', 'vault-delete.status-documented'], {
    'vault-delete.deleted-before-410': {
      plain: 'A delete of a secret that was deleted before answers 410',
      override: {
        ...remembersDeleted,
        ...gateStatusWhen('secret-exists', 410, wasDeleted),
      },
    },
  }),
  ...makeMutants('4.1', ['vault-delete.204.takes-effect'], {
    'vault-delete.deleted-before-500': {
      plain: 'A delete of a secret that was deleted before answers 500',
      override: {
        ...remembersDeleted,
        ...gateStatusWhen('secret-exists', 500, wasDeleted),
      },
    },
  }),
  ...makeMutants('7.1', ['vault-delete.404.other-intern'], {
    'vault-delete.sibling-secret-403': {
      plain: 'A delete of a secret that only the sibling has answers 403',
      override: gateStatusWhen('secret-exists', 403, storedFor('sibling')),
    },
    'vault-delete.sibling-secret-204': {
      plain: 'A delete of a secret that only the sibling has answers 204 and does nothing',
      override: claimsDone(404, all(through('own'), storedFor('sibling'))),
    },
    'vault-delete.own-secret-403': {
      subtle: "A delete of a secret that only the first intern has answers 403 on the sibling's path",
      override: gateStatusWhen('secret-exists', 403, all(through('sibling'), storedFor('own'))),
    },
  }),
  ...makeMutants('1', ['vault-delete.404.workspace-secret'], {
    'vault-delete.workspace-secret-403': {
      plain: 'A delete of a secret that only the workspace has answers 403',
      override: gateStatusWhen('secret-exists', 403, storedFor('workspace')),
    },
  }),
  ...makeMutants('1', ['vault-delete.404.workspace-secret', 'vault-delete.status-documented'], {
    'vault-delete.workspace-secret-409': {
      plain: 'A delete of a secret that only the workspace has answers 409',
      override: gateStatusWhen('secret-exists', 409, storedFor('workspace')),
    },
  }),
  ...makeMutants('1', ['vault-delete.404.workspace-secret'], {
    'vault-delete.workspace-secret-204': {
      plain: 'A delete of a secret that only the workspace has answers 204 and does nothing',
      override: claimsDone(404, all(through('own'), storedFor('workspace'))),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.404.foreign-secret'], {
    'vault-delete.foreign-secret-403': {
      plain: 'A delete of a secret that only a foreign intern has answers 403',
      override: gateStatusWhen('secret-exists', 403, storedFor('foreign')),
    },
    'vault-delete.foreign-secret-204': {
      plain: 'A delete of a secret that only a foreign intern has answers 204 and does nothing',
      override: claimsDone(404, all(through('own'), storedFor('foreign'))),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.404.foreign-intern'], {
    'vault-delete.foreign-intern-403': {
      plain: 'An intern of another workspace answers 403',
      override: gateStatusWhen('intern-in-workspace', 403, through('foreign')),
    },
    'vault-delete.foreign-intern-204': {
      plain: 'An intern of another workspace answers 204, and nothing is deleted',
      override: claimsDone(404, through('foreign')),
    },
    'vault-delete.foreign-intern-403-where-stored': {
      subtle: 'An intern of another workspace answers 403 if it has the secret',
      override: gateStatusWhen('intern-in-workspace', 403, all(through('foreign'), storedFor('foreign'))),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.404.other-workspace'], {
    'vault-delete.other-workspace-403': {
      plain: 'An intern of a workspace that the key has nothing to do with answers 403',
      override: gateStatusWhen('intern-in-workspace', 403, (call) => worldOfIntern(call) !== undefined),
    },
    'vault-delete.other-workspace-204': {
      everydaySubtle:
        'An intern of a workspace that the key has nothing to do with answers 204, and nothing is deleted',
      override: claimsDone(
        404,
        (call) => namedIntern(call) === undefined && worldOfIntern(call) !== undefined,
      ),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.404.unknown-intern'], {
    'vault-delete.unknown-intern-400': {
      plain: 'An intern that exists nowhere answers 400',
      override: gateStatusWhen('intern-in-workspace', 400, existsNowhere),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.404.unknown-intern', 'vault-delete.status-documented'], {
    'vault-delete.unknown-intern-410': {
      plain: 'An intern that exists nowhere answers 410',
      override: gateStatusWhen('intern-in-workspace', 410, existsNowhere),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.404.unknown-intern'], {
    'vault-delete.unknown-intern-204': {
      plain: 'An intern that exists nowhere answers 204',
      override: claimsDone(404, existsNowhere),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.404.similar-intern'], {
    'vault-delete.similar-intern-403': {
      subtle: "An internId that begins like a known one's first block answers 403",
      override: gateStatusWhen(
        'intern-in-workspace',
        403,
        (call) => call.parameters.internId?.slice(0, 8) === call.key?.world.interns.own.slice(0, 8),
      ),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.404.outside-programme'], {
    'vault-delete.outsider-403': {
      plain: 'A caller outside the intern programme gets 403',
      override: gateStatus('vault-delete', 'intern-programme', 403),
    },
    'vault-delete.outsider-401': {
      plain: 'A caller outside the intern programme gets 401',
      override: gateStatus('vault-delete', 'intern-programme', 401),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.404.outside-programme', 'vault-delete.status-documented'], {
    'vault-delete.outsider-405': {
      plain: 'A caller outside the intern programme gets 405',
      override: gateStatus('vault-delete', 'intern-programme', 405),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.404.outside-programme'], {
    'vault-delete.outsider-accepted': {
      plain: 'A caller outside the intern programme may delete',
      override: noGate('vault-delete', 'intern-programme'),
    },
    'vault-delete.outsider-204': {
      plain: 'A caller outside the intern programme gets 204, and nothing is deleted',
      override: claimsDone(404, as('outsider')),
    },
    'vault-delete.outsider-403-where-stored': {
      subtle: 'A caller outside the intern programme gets 403 if the secret is there',
      override: gateStatusWhen('intern-programme', 403, storedFor('own')),
    },
  }),
];
