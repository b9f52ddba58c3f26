import type { Call, SecretPlace } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { type Mutant, makeMutants } from '../mutant.js';
import { answers, gate, type Override } from '../mutation.js';
import {
  as,
  during,
  isStored,
  namedIntern,
  nameOf,
  onRegionalHost,
  removeNamed,
  takesAlong,
  type When,
} from './vault-delete-builders.js';

/** Mutants of the vault delete after which something else is missing, added or moved, at once or later (§1, §4.1, §7.1). */
export const vaultDeleteStateMutants: readonly Mutant[] = [
  ...makeMutants('4.1', ['vault-delete.204.only-the-named'], {
    'vault-delete.takes-the-sibling-s-longer-names': {
      subtle: 'Every name of the sibling that goes on after the one named goes too',
      override: takesAlong(({ key }, { scope, name: named }) => {
        if (scope !== 'own') return;
        const names = key?.world.secrets.sibling;
        for (const name of [...(names?.keys() ?? [])])
          if (name !== named && name.startsWith(named)) names?.delete(name);
      }),
    },
  }),
  ...makeMutants('1', ['vault-delete.204.only-this-intern'], {
    'vault-delete.tombstone-hides-the-sibling-s': {
      subtle: 'Deleted names are remembered without their intern: the same name is not found at the sibling',
      override: {
        removeSecret: (call, place) => {
          conforming.removeSecret(call, place);
          call.server.memory.set(tombstone(call), place.scope);
        },
        findSecret: (call) => {
          const place = conforming.findSecret(call);
          const buried = call.server.memory.get(tombstone(call));
          return buried === undefined || buried === place?.scope ? place : undefined;
        },
      },
    },
  }),
  ...makeMutants('4.1', ['vault-delete.204.only-the-named'], {
    'vault-delete.takes-the-workspace-s-names-below': {
      subtle: 'Every name of the workspace that goes on after the one named with an underscore goes too',
      override: takesAlong(({ key }, { name: named }) => {
        const names = key?.world.secrets.workspace;
        for (const name of [...(names?.keys() ?? [])]) if (name.startsWith(`${named}_`)) names?.delete(name);
      }),
    },
  }),
  ...makeMutants('1', ['vault-delete.204.takes-effect', 'vault-delete.204.only-this-scope'], {
    'vault-delete.workspace-secret-moves-in': {
      subtle: 'Where the workspace has the same name, its secret moves into the place of the one deleted',
      override: takesAlong(({ key }, { scope, name }) => {
        const secrets = key?.world.secrets;
        const inherited = secrets?.workspace.get(name);
        if (inherited === undefined) return;
        secrets?.workspace.delete(name);
        secrets?.[scope].set(name, inherited);
      }),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.403.keeps'], {
    'vault-delete.403-deletes-300-ms-late': {
      subtle: 'A delete on the regional hostname is refused, forwarded, and done 300 ms later',
      override: answers({ operation: 'vault-delete', status: 403, when: onRegionalHost }, (answer, call) => {
        if (as('member')(call)) setTimeout(() => removeNamed(call), 300).unref();
        return answer;
      }),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.429.keeps'], {
    'vault-delete.429-done-with-the-next-delete': {
      subtle:
        'A delete beyond the rate limit waits in a queue, and is done with the next delete of the workspace',
      override: doneLater(429, during('vault_rate_limited'), ({ operation, key }) => {
        return operation === 'vault-delete' && key?.world.faults.length === 0;
      }),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.503.keeps'], {
    'vault-delete.503-done-once-writes-are-enabled': {
      subtle: 'A delete while vault writes are disabled waits in a queue, and is done once they are enabled',
      override: doneLater(503, during('vault_writes_disabled'), (call) => {
        return !during('vault_writes_disabled')(call);
      }),
    },
  }),
  ...makeMutants('4.1', ['vault-delete.204.takes-effect'], {
    'vault-delete.502-rolls-back-the-delete-before': {
      subtle: 'A delete that fails with 502 rolls back the delete before it as well',
      override: {
        removeSecret: (call, place) => {
          call.server.memory.set(`last of ${call.key?.world.id}`, { place, value: valueAt(call, place) });
          conforming.removeSecret(call, place);
        },
        ...answers({ operation: 'vault-delete', status: 502 }, (answer, call) => {
          const last = call.server.memory.get(`last of ${call.key?.world.id}`) as Removed | undefined;
          if (last !== undefined) call.key?.world.secrets[last.place.scope].set(last.place.name, last.value);
          return answer;
        }),
      },
    },
  }),
  ...makeMutants('7.1', ['vault-delete.404.keeps'], {
    'vault-delete.never-stored-is-created': {
      subtle: 'A delete of a name that was never stored answers 404 and makes an empty secret of that name',
      override: {
        removeSecret: (call, place) => {
          conforming.removeSecret(call, place);
          call.server.memory.set(tombstone(call), place.scope);
        },
        ...gate('vault-delete', 'secret-exists', (call, original) => {
          const refusal = original(call);
          const intern = namedIntern(call);
          const isNew =
            refusal !== undefined &&
            intern !== undefined &&
            intern !== 'foreign' &&
            !(['own', 'sibling', 'foreign', 'workspace'] as const).some((scope) => isStored(call, scope)) &&
            !call.server.memory.has(tombstone(call));
          if (isNew) call.key?.world.secrets[intern].set(nameOf(call), '');
          return refusal;
        }),
      },
    },
  }),
];

interface Removed {
  readonly place: SecretPlace;
  readonly value: string;
}

function valueAt({ key }: Call, { scope, name }: SecretPlace): string {
  return key?.world.secrets[scope].get(name) ?? '';
}

function tombstone(call: Call): string {
  return `deleted ${call.key?.world.id} ${nameOf(call)}`;
}

/** Deletes that are refused are kept in a queue of their workspace, and done when a call of it comes at which they may be. */
function doneLater(status: number, when: When, isTime: When): Override {
  const queueOf = ({ server, key }: Call): Call[] => {
    const name = `queue of ${key?.world.id}`;
    const queue = (server.memory.get(name) ?? []) as Call[];
    server.memory.set(name, queue);
    return queue;
  };
  return {
    receive: (call) => {
      if (call.key !== undefined && isTime(call)) queueOf(call).splice(0).forEach(removeNamed);
      return call;
    },
    ...answers({ operation: 'vault-delete', status, when }, (answer, call) => {
      queueOf(call).push(call);
      return answer;
    }),
  };
}
