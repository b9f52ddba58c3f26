import type { Call } from '../behaviour.js';
import { everyday, type Mutant, makeMutants, plain } from '../mutant.js';
import { type Mutation, setGateStatus } from '../mutation.js';
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
  ...makeMutants('vault-delete.403.no-scope', {
    'vault-delete.unscoped-key-401': plain(
      'A key without workspace scope gets 401',
      setGateStatus('vault-delete', 'workspace-scope', 401),
    ),
  }),
  ...makeMutants('vault-delete.404.never-stored', {
    'vault-delete.never-stored-204': plain(
      'A delete of a name that is stored nowhere answers 204',
      claimDone(404, storedNowhere),
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
  ...makeMutants('vault-delete.404.workspace-secret', {
    'vault-delete.workspace-secret-204': plain(
      'A delete of a secret that only the workspace has answers 204 and does nothing',
      claimDone(404, all(through('own'), storedFor('workspace'))),
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
  }),
];
