import { everyday, type Mutant, makeMutants, plain } from '../mutant.js';
import { setGateStatus } from '../mutation.js';
import { isStored, namedIntern, type When, withoutKey, worldOfIntern } from './conditions.js';
import { claimDone } from './vault-mutations.js';

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
  ...makeMutants('vault-delete.404.never-stored', {
    'vault-delete.never-stored-204': plain(
      'A delete of a name that is stored nowhere answers 204',
      claimDone(404, storedNowhere),
    ),
  }),
  ...makeMutants('vault-delete.404.other-workspace', {
    'vault-delete.other-workspace-204': everyday.subtle(
      'An intern of a workspace that the key has nothing to do with answers 204, and nothing is deleted',
      claimDone(404, (call) => namedIntern(call) === undefined && worldOfIntern(call) !== undefined),
    ),
  }),
];
