import { type Mutant, makeMutants } from '../mutant.js';
import { gateStatus, noGate } from '../mutation.js';
import { as, claimsDone, gateStatusWhen, withoutKey, withUnknownKey } from './vault-delete-builders.js';

/** Mutants of the vault delete whose 401 or 403 is another status, or no refusal (§7.1). */
export const vaultDeleteRefusalMutants: readonly Mutant[] = [
  ...makeMutants('7.1', ['vault-delete.401.missing-key'], {
    'vault-delete.missing-key-403': {
      plain: 'A delete without a key answers 403',
      override: gateStatusWhen('authentication', 403, withoutKey),
    },
    'vault-delete.missing-key-404': {
      everydayPlain: 'A delete without a key answers 404',
      override: gateStatusWhen('authentication', 404, withoutKey),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.401.missing-key', 'vault-delete.status-documented'], {
    'vault-delete.missing-key-407': {
      plain: 'A delete without a key answers 407',
      override: gateStatusWhen('authentication', 407, withoutKey),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.401.missing-key'], {
    'vault-delete.missing-key-204': {
      plain: 'A delete without a key answers 204 and does nothing',
      override: claimsDone(401, withoutKey),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.401.unknown-key'], {
    'vault-delete.unknown-key-404': {
      plain: 'A delete with an unknown key answers 404',
      override: gateStatusWhen('authentication', 404, withUnknownKey),
    },
    'vault-delete.unknown-key-204': {
      plain: 'A delete with an unknown key answers 204 and does nothing',
      override: claimsDone(401, withUnknownKey),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.401.provisioning-key'], {
    'vault-delete.provisioning-key-403': {
      plain: 'A provisioning key gets 403',
      override: gateStatus('vault-delete', 'no-provisioning-key', 403),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.401.provisioning-key', 'vault-delete.status-documented'], {
    'vault-delete.provisioning-key-405': {
      plain: 'A provisioning key gets 405',
      override: gateStatus('vault-delete', 'no-provisioning-key', 405),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.401.provisioning-key'], {
    'vault-delete.provisioning-key-accepted': {
      plain: 'A provisioning key may delete',
      override: noGate('vault-delete', 'no-provisioning-key'),
    },
    'vault-delete.provisioning-key-204': {
      plain: 'A provisioning key gets 204, and nothing is deleted',
      override: claimsDone(401, as('provisioning')),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.403.no-scope'], {
    'vault-delete.unscoped-key-401': {
      plain: 'A key without a usable workspace scope gets 401',
      override: gateStatus('vault-delete', 'workspace-scope', 401),
    },
    'vault-delete.unscoped-key-404': {
      plain: 'A key without a usable workspace scope gets 404',
      override: gateStatus('vault-delete', 'workspace-scope', 404),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.403.no-scope', 'vault-delete.status-documented'], {
    'vault-delete.unscoped-key-412': {
      plain: 'A key without a usable workspace scope gets 412',
      override: gateStatus('vault-delete', 'workspace-scope', 412),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.403.no-scope'], {
    'vault-delete.unscoped-key-uses-default': {
      plain: 'A key without a usable workspace scope acts on a default workspace',
      override: noGate('vault-delete', 'workspace-scope'),
    },
    'vault-delete.unscoped-key-204': {
      plain: 'A key without a usable workspace scope gets 204, and nothing is deleted',
      override: claimsDone(403, as('unscoped')),
    },
  }),
];
