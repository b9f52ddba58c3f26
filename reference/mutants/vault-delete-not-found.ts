import type { Call } from '../call.js';
import type { Mutant, Override } from '../mutant.js';
import { gateStatus, noGate } from '../override.js';
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
  {
    id: 'vault-delete.never-stored-204',
    section: '7.1',
    turnsRed: ['vault-delete.404.never-stored'],
    description: 'A delete of a name that is stored nowhere answers 204',
    hardness: 'plain',
    override: claimsDone(404, storedNowhere),
  },
  {
    id: 'vault-delete.never-stored-200',
    section: '7.1',
    turnsRed: ['vault-delete.404.never-stored'],
    description: 'A delete of a name that is stored nowhere answers 200 with an error in it',
    hardness: 'plain',
    override: gateStatusWhen('secret-exists', 200, storedNowhere),
  },
  {
    id: 'vault-delete.never-stored-410',
    section: '7.1',
    turnsRed: ['vault-delete.404.never-stored', 'vault-delete.status-documented'],
    description: 'A delete of a name that is stored nowhere answers 410',
    hardness: 'plain',
    override: gateStatusWhen('secret-exists', 410, storedNowhere),
  },
  {
    id: 'vault-delete.deleted-before-204',
    section: '4.1',
    turnsRed: ['vault-delete.204.takes-effect'],
    description: 'A delete of a secret that was deleted before answers 204 again',
    hardness: 'plain',
    override: {
      ...remembersDeleted,
      ...claimsDone(404, wasDeleted),
    },
  },
  {
    id: 'vault-delete.deleted-before-410',
    section: '4.1',
    turnsRed: ['vault-delete.204.takes-effect', 'vault-delete.status-documented'],
    description: 'A delete of a secret that was deleted before answers 410',
    hardness: 'plain',
    override: {
      ...remembersDeleted,
      ...gateStatusWhen('secret-exists', 410, wasDeleted),
    },
  },
  {
    id: 'vault-delete.deleted-before-500',
    section: '4.1',
    turnsRed: ['vault-delete.204.takes-effect'],
    description: 'A delete of a secret that was deleted before answers 500',
    hardness: 'plain',
    override: {
      ...remembersDeleted,
      ...gateStatusWhen('secret-exists', 500, wasDeleted),
    },
  },
  {
    id: 'vault-delete.sibling-secret-403',
    section: '7.1',
    turnsRed: ['vault-delete.404.other-intern'],
    description: 'A delete of a secret that only the sibling has answers 403',
    hardness: 'plain',
    override: gateStatusWhen('secret-exists', 403, storedFor('sibling')),
  },
  {
    id: 'vault-delete.sibling-secret-204',
    section: '7.1',
    turnsRed: ['vault-delete.404.other-intern'],
    description: 'A delete of a secret that only the sibling has answers 204 and does nothing',
    hardness: 'plain',
    override: claimsDone(404, all(through('own'), storedFor('sibling'))),
  },
  {
    id: 'vault-delete.own-secret-403',
    section: '7.1',
    turnsRed: ['vault-delete.404.other-intern'],
    description: "A delete of a secret that only the first intern has answers 403 on the sibling's path",
    hardness: 'subtle',
    override: gateStatusWhen('secret-exists', 403, all(through('sibling'), storedFor('own'))),
  },
  {
    id: 'vault-delete.workspace-secret-403',
    section: '1',
    turnsRed: ['vault-delete.404.workspace-secret'],
    description: 'A delete of a secret that only the workspace has answers 403',
    hardness: 'plain',
    override: gateStatusWhen('secret-exists', 403, storedFor('workspace')),
  },
  {
    id: 'vault-delete.workspace-secret-409',
    section: '1',
    turnsRed: ['vault-delete.404.workspace-secret', 'vault-delete.status-documented'],
    description: 'A delete of a secret that only the workspace has answers 409',
    hardness: 'plain',
    override: gateStatusWhen('secret-exists', 409, storedFor('workspace')),
  },
  {
    id: 'vault-delete.workspace-secret-204',
    section: '1',
    turnsRed: ['vault-delete.404.workspace-secret'],
    description: 'A delete of a secret that only the workspace has answers 204 and does nothing',
    hardness: 'plain',
    override: claimsDone(404, all(through('own'), storedFor('workspace'))),
  },
  {
    id: 'vault-delete.foreign-secret-403',
    section: '7.1',
    turnsRed: ['vault-delete.404.foreign-secret'],
    description: 'A delete of a secret that only a foreign intern has answers 403',
    hardness: 'plain',
    override: gateStatusWhen('secret-exists', 403, storedFor('foreign')),
  },
  {
    id: 'vault-delete.foreign-secret-204',
    section: '7.1',
    turnsRed: ['vault-delete.404.foreign-secret'],
    description: 'A delete of a secret that only a foreign intern has answers 204 and does nothing',
    hardness: 'plain',
    override: claimsDone(404, all(through('own'), storedFor('foreign'))),
  },
  {
    id: 'vault-delete.foreign-intern-403',
    section: '7.1',
    turnsRed: ['vault-delete.404.foreign-intern'],
    description: 'An intern of another workspace answers 403',
    hardness: 'plain',
    override: gateStatusWhen('intern-in-workspace', 403, through('foreign')),
  },
  {
    id: 'vault-delete.foreign-intern-204',
    section: '7.1',
    turnsRed: ['vault-delete.404.foreign-intern'],
    description: 'An intern of another workspace answers 204, and nothing is deleted',
    hardness: 'plain',
    override: claimsDone(404, through('foreign')),
  },
  {
    id: 'vault-delete.foreign-intern-403-where-stored',
    section: '7.1',
    turnsRed: ['vault-delete.404.foreign-intern'],
    description: 'An intern of another workspace answers 403 if it has the secret',
    hardness: 'subtle',
    override: gateStatusWhen('intern-in-workspace', 403, all(through('foreign'), storedFor('foreign'))),
  },
  {
    id: 'vault-delete.other-workspace-403',
    section: '7.1',
    turnsRed: ['vault-delete.404.other-workspace'],
    description: 'An intern of a workspace that the key has nothing to do with answers 403',
    hardness: 'plain',
    override: gateStatusWhen('intern-in-workspace', 403, (call) => worldOfIntern(call) !== undefined),
  },
  {
    id: 'vault-delete.other-workspace-204',
    section: '7.1',
    turnsRed: ['vault-delete.404.other-workspace'],
    description:
      'An intern of a workspace that the key has nothing to do with answers 204, and nothing is deleted',
    hardness: 'subtle',
    override: claimsDone(404, (call) => namedIntern(call) === undefined && worldOfIntern(call) !== undefined),
  },
  {
    id: 'vault-delete.unknown-intern-400',
    section: '7.1',
    turnsRed: ['vault-delete.404.unknown-intern'],
    description: 'An intern that exists nowhere answers 400',
    hardness: 'plain',
    override: gateStatusWhen('intern-in-workspace', 400, existsNowhere),
  },
  {
    id: 'vault-delete.unknown-intern-410',
    section: '7.1',
    turnsRed: ['vault-delete.404.unknown-intern', 'vault-delete.status-documented'],
    description: 'An intern that exists nowhere answers 410',
    hardness: 'plain',
    override: gateStatusWhen('intern-in-workspace', 410, existsNowhere),
  },
  {
    id: 'vault-delete.unknown-intern-204',
    section: '7.1',
    turnsRed: ['vault-delete.404.unknown-intern'],
    description: 'An intern that exists nowhere answers 204',
    hardness: 'plain',
    override: claimsDone(404, existsNowhere),
  },
  {
    id: 'vault-delete.similar-intern-403',
    section: '7.1',
    turnsRed: ['vault-delete.404.similar-intern'],
    description: "An internId that begins like a known one's first block answers 403",
    hardness: 'subtle',
    override: gateStatusWhen(
      'intern-in-workspace',
      403,
      (call) => call.parameters.internId?.slice(0, 8) === call.key?.world.interns.own.slice(0, 8),
    ),
  },
  {
    id: 'vault-delete.outsider-403',
    section: '7.1',
    turnsRed: ['vault-delete.404.outside-programme'],
    description: 'A caller outside the intern programme gets 403',
    hardness: 'plain',
    override: gateStatus('vault-delete', 'intern-programme', 403),
  },
  {
    id: 'vault-delete.outsider-401',
    section: '7.1',
    turnsRed: ['vault-delete.404.outside-programme'],
    description: 'A caller outside the intern programme gets 401',
    hardness: 'plain',
    override: gateStatus('vault-delete', 'intern-programme', 401),
  },
  {
    id: 'vault-delete.outsider-405',
    section: '7.1',
    turnsRed: ['vault-delete.404.outside-programme', 'vault-delete.status-documented'],
    description: 'A caller outside the intern programme gets 405',
    hardness: 'plain',
    override: gateStatus('vault-delete', 'intern-programme', 405),
  },
  {
    id: 'vault-delete.outsider-accepted',
    section: '7.1',
    turnsRed: ['vault-delete.404.outside-programme'],
    description: 'A caller outside the intern programme may delete',
    hardness: 'plain',
    override: noGate('vault-delete', 'intern-programme'),
  },
  {
    id: 'vault-delete.outsider-204',
    section: '7.1',
    turnsRed: ['vault-delete.404.outside-programme'],
    description: 'A caller outside the intern programme gets 204, and nothing is deleted',
    hardness: 'plain',
    override: claimsDone(404, as('outsider')),
  },
  {
    id: 'vault-delete.outsider-403-where-stored',
    section: '7.1',
    turnsRed: ['vault-delete.404.outside-programme'],
    description: 'A caller outside the intern programme gets 403 if the secret is there',
    hardness: 'subtle',
    override: gateStatusWhen('intern-programme', 403, storedFor('own')),
  },
];
