import type { Call, GateName } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { type Mutant, makeMutants } from '../mutant.js';
import { answers, type Override } from '../mutation.js';
import { isRegionalHost } from '../vault.js';
import type { Operation, Scope } from '../vocabulary.js';
import { all, as, during, nameOf, type When, withQuery } from './vault-delete-builders.js';

const onRegionalHost: When = ({ headers, server }) => isRegionalHost(headers.host, server.regionalHost);

/** Some gates of the delete let some calls through. */
function without(names: readonly GateName[], when: When): Override {
  const gates = conforming.gates['vault-delete'].map((gate) => ({
    ...gate,
    refuse: (call: Call) => (names.includes(gate.name) && when(call) ? undefined : gate.refuse(call)),
  }));
  return { gates: { ...conforming.gates, 'vault-delete': gates } };
}

/** The answers to an operation stay, and something is done to what the caller's world holds. */
function meanwhile(operation: Operation, status: number, act: (call: Call) => void): Override {
  return answers({ operation, status }, (answer, call) => {
    act(call);
    return answer;
  });
}

/** Takes the first secret of a scope of the caller's world. */
function takesFirst(scope: Scope): (call: Call) => void {
  return ({ key }) => {
    const secrets = key?.world.secrets[scope];
    for (const name of [...(secrets?.keys() ?? [])].slice(0, 1)) secrets?.delete(name);
  };
}

/** Mutants of the vault delete that two things together bring about, or that only a list of what is stored shows. */
export const vaultDeleteCombinationMutants: readonly Mutant[] = [
  ...makeMutants('7.1', ['vault-delete.401.provisioning-key'], {
    'vault-delete.provisioning-key-on-regional-host': {
      subtle: 'A provisioning key may delete on the regional hostname',
      override: without(['no-provisioning-key', 'regional-host'], all(as('provisioning'), onRegionalHost)),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.403.no-scope'], {
    'vault-delete.no-scope-with-query': {
      subtle: 'A key without scope may delete at the first intern where the request has a query string',
      override: without(['workspace-scope'], all(as('unscoped'), withQuery)),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.403.regional-host'], {
    'vault-delete.not-configured-on-regional-host': {
      subtle: 'A vault that is not configured deletes on the regional hostname',
      override: without(['fault', 'regional-host'], all(during('vault_not_configured'), onRegionalHost)),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.404.keeps'], {
    'vault-delete.404-stores-at-the-workspace': {
      subtle: 'A delete that finds nothing leaves a secret of that name at the workspace',
      override: meanwhile('vault-delete', 404, (call) => {
        call.key?.world.secrets.workspace.set(nameOf(call), '');
      }),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.400.keeps'], {
    'vault-delete.400-takes-from-the-foreign-intern': {
      subtle: 'A delete that is malformed takes a secret of the foreign intern',
      override: meanwhile('vault-delete', 400, takesFirst('foreign')),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.403.keeps'], {
    'vault-delete.403-moves-to-the-workspace': {
      subtle:
        'A delete on the regional hostname moves the first secret of the foreign intern to the workspace',
      override: meanwhile('vault-delete', 403, (call) => {
        const { foreign, workspace } = call.key?.world.secrets ?? {};
        for (const [name, value] of [...(foreign ?? [])].slice(0, 1)) {
          foreign?.delete(name);
          workspace?.set(name, value);
        }
      }),
    },
  }),
  ...makeMutants('4.1', ['vault-delete.safe-methods'], {
    'vault-delete.reads-take-from-the-workspace': {
      subtle: 'A read of a vault path takes a secret of the workspace',
      override: meanwhile('vault-other', 404, (call) => {
        if (call.method === 'GET') takesFirst('workspace')(call);
      }),
    },
  }),
];
