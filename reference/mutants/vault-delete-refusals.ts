import type { Call } from '../behaviour.js';
import { everyday, type Mutant, makeMutants, plain, subtle } from '../mutant.js';
import { dropGate, type Mutation, setGateStatus } from '../mutation.js';
import {
  all,
  isStored,
  namedIntern,
  nameOf,
  storedFor,
  through,
  type When,
  withoutKey,
  worldOfIntern,
} from './conditions.js';
import { claimDone, takeAlong } from './vault-mutations.js';

const deletionOf = (call: Call): string =>
  `deleted ${call.key?.world.id} ${namedIntern(call)} ${nameOf(call)}`;

const remembersDeleted: Mutation = takeAlong((call) => {
  call.server.memory.set(deletionOf(call), true);
});

const wasDeleted: When = (call) =>
  call.server.memory.has(deletionOf(call)) && !isStored(call, namedIntern(call) ?? 'own');

const storedNowhere: When = (call) =>
  ['own', 'sibling'].includes(namedIntern(call) ?? '') &&
  !(['own', 'sibling', 'workspace', 'foreign'] as const).some((scope) => isStored(call, scope));

/** Mutants of the vault delete whose 401 or 403 is another status, or no refusal (§7.1). */
export const vaultDeleteRefusalsMutants: readonly Mutant[] = [
  ...makeMutants('vault-delete.401.missing-key', {
    'vault-delete.missing-key-404': everyday.plain(
      'A delete without a key answers 404',
      setGateStatus('vault-delete', 'authentication', 404, withoutKey),
    ),
  }),
  ...makeMutants(['vault-delete.401.missing-key', 'vault-delete.status-documented'], {
    'vault-delete.missing-key-407': plain(
      'A delete without a key answers 407',
      setGateStatus('vault-delete', 'authentication', 407, withoutKey),
    ),
  }),
  ...makeMutants('vault-delete.401.provisioning-key', {
    'vault-delete.provisioning-key-accepted': plain(
      'A provisioning key may delete',
      dropGate('vault-delete', 'no-provisioning-key'),
    ),
  }),
  ...makeMutants('vault-delete.403.no-scope', {
    'vault-delete.unscoped-key-401': plain(
      'A key without workspace scope gets 401',
      setGateStatus('vault-delete', 'workspace-scope', 401),
    ),
    'vault-delete.unscoped-key-uses-default': plain(
      'A key without workspace scope acts on a default workspace',
      dropGate('vault-delete', 'workspace-scope'),
    ),
  }),
  ...makeMutants('vault-delete.404.never-stored', {
    'vault-delete.never-stored-204': plain(
      'A delete of a name that is stored nowhere answers 204',
      claimDone(404, storedNowhere),
    ),
  }),
  ...makeMutants(['vault-delete.404.never-stored', 'vault-delete.status-documented'], {
    'vault-delete.never-stored-410': plain(
      'A delete of a name that is stored nowhere answers 410',
      setGateStatus('vault-delete', 'secret-exists', 410, storedNowhere),
    ),
  }),
  ...makeMutants('vault-delete.204.takes-effect', {
    'vault-delete.deleted-before-204': plain(
      'A delete of a secret that was deleted before answers 204 again',
      {
        ...remembersDeleted,
        ...claimDone(404, wasDeleted),
      },
    ),
  }),
  ...makeMutants('vault-delete.404.other-intern', {
    'vault-delete.own-secret-403': subtle(
      "A delete of a secret that only the first intern has answers 403 on the sibling's path",
      setGateStatus('vault-delete', 'secret-exists', 403, all(through('sibling'), storedFor('own'))),
    ),
  }),
  ...makeMutants('vault-delete.404.workspace-secret', {
    'vault-delete.workspace-secret-204': plain(
      'A delete of a secret that only the workspace has answers 204 and does nothing',
      claimDone(404, all(through('own'), storedFor('workspace'))),
    ),
  }),
  ...makeMutants('vault-delete.404.foreign-intern', {
    'vault-delete.foreign-intern-403-where-stored': subtle(
      'An intern of another workspace answers 403 if it has the secret',
      setGateStatus(
        'vault-delete',
        'intern-in-workspace',
        403,
        all(through('foreign'), storedFor('foreign')),
      ),
    ),
  }),
  ...makeMutants('vault-delete.404.other-workspace', {
    'vault-delete.other-workspace-204': everyday.subtle(
      'An intern of a workspace that the key has nothing to do with answers 204, and nothing is deleted',
      claimDone(404, (call) => namedIntern(call) === undefined && worldOfIntern(call) !== undefined),
    ),
  }),
  ...makeMutants('vault-delete.404.outside-programme', {
    'vault-delete.outsider-403': plain(
      'A caller outside the intern programme gets 403',
      setGateStatus('vault-delete', 'intern-programme', 403),
    ),
    'vault-delete.outsider-accepted': plain(
      'A caller outside the intern programme may delete',
      dropGate('vault-delete', 'intern-programme'),
    ),
    'vault-delete.outsider-403-where-stored': subtle(
      'A caller outside the intern programme gets 403 if the secret is there',
      setGateStatus('vault-delete', 'intern-programme', 403, storedFor('own')),
    ),
  }),
];
