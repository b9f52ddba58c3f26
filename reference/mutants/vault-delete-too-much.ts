import type { Call, SecretPlace } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { everyday, type Mutant, makeMutants, subtle } from '../mutant.js';
import { editAnswer, type Mutation } from '../mutation.js';
import { isJsonObject, type Scope } from '../vocabulary.js';
import { parseJson } from '../wire.js';
import { as, during, nameOf, onRegionalHost, type When } from './conditions.js';
import { DONE, removeNamed, takeAlong, takeLike } from './vault-mutations.js';

/** Mutants of the vault delete that take more than the one secret that is named (§1, §4.1). */
export const vaultDeleteTooMuchMutants: readonly Mutant[] = [
  ...makeMutants('vault-delete.204.only-the-named', {
    'vault-delete.takes-names-that-end-alike': everyday.plain(
      'Every name that ends with the one named goes too',
      takeLike((name, named) => name.endsWith(named)),
    ),
    'vault-delete.takes-other-numbers': subtle(
      'Names that differ from the one named by the digits of their numbers alone go too',
      takeLike((name, named) => name.replace(/\d+/g, '0') === named.replace(/\d+/g, '0')),
    ),
    'vault-delete.takes-by-pattern': subtle(
      'An underscore in the name stands for any one character',
      takeLike((name, named) => new RegExp(`^${named.replaceAll('_', '.')}$`).test(name)),
    ),
    'vault-delete.takes-the-next': subtle('The secret that was stored after the one named goes too', {
      removeSecret: ({ key }, { scope, name }) => {
        const secrets = key?.world.secrets[scope];
        const names = [...(secrets?.keys() ?? [])];
        const at = names.indexOf(name);
        for (const gone of names.slice(at, at + 2)) secrets?.delete(gone);
      },
    }),
    'vault-delete.dot-segment-empties-the-intern': subtle(
      'A delete of the path segment . takes every secret of the intern, as of the folder that it means',
      emptyBy(({ path }) => /\/secrets\/(?:\.|%2e)\/?(?:\?|$)/i.test(path)),
    ),
  }),
  ...makeMutants('vault-delete.204.only-this-intern', {
    'vault-delete.last-secret-empties-the-sibling': everyday.subtle(
      'With the last secret of one intern all secrets of the sibling go',
      takeAlong(({ key }, { scope }) => {
        if (scope === 'own' && key?.world.secrets.own.size === 0) key.world.secrets.sibling.clear();
      }),
      ['vault-delete.204.only-the-named', 'vault-delete.404.keeps', 'vault-delete.500.keeps'],
    ),
    'vault-delete.query-names-the-intern': subtle(
      'An internId in the query wins over that in the path',
      readInternId(({ path }) => new URLSearchParams(path.split('?')[1]).get('internId')),
    ),
    'vault-delete.body-names-the-intern': subtle(
      'An internId in the body wins over that in the path',
      readInternId(({ body }) => {
        const parsed = body.state === 'complete' ? parseJson(body.text) : undefined;
        return isJsonObject(parsed) ? parsed.internId : undefined;
      }),
    ),
    'vault-delete.tombstone-hides-the-sibling-s': subtle(
      'Deleted names are remembered without their intern: the same name is not found at the sibling',
      {
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
    ),
  }),
  ...makeMutants('vault-delete.204.only-this-scope', {
    'vault-delete.takes-the-workspace-s-too': everyday.plain(
      'The same name goes at the workspace too',
      takeAlong(({ key }, { name }) => key?.world.secrets.workspace.delete(name)),
    ),
    'vault-delete.empty-intern-is-the-workspace': subtle(
      'A delete whose path has no internId between its slashes takes the secret of the workspace',
      editAnswer({ operation: 'vault-other', when: isDelete }, (answer, { path, key }) => {
        const name = /\/interns\/\/secrets\/([^/?]+)(?:\?|$)/.exec(path)?.[1];
        return name !== undefined && key?.world.secrets.workspace.delete(name) ? DONE : answer;
      }),
    ),
  }),
  ...makeMutants('vault-delete.403.keeps', {
    'vault-delete.403-deletes-300-ms-late': subtle(
      'A delete on the regional hostname is refused, forwarded, and done 300 ms later',
      editAnswer({ operation: 'vault-delete', status: 403, when: onRegionalHost }, (answer, call) => {
        if (as('member')(call)) setTimeout(() => removeNamed(call), 300).unref();
        return answer;
      }),
    ),
  }),
  ...makeMutants('vault-delete.429.keeps', {
    'vault-delete.429-done-with-the-next-delete': subtle(
      'A delete beyond the rate limit waits in a queue, and is done with the next delete of the workspace',
      queueDelete(429, during('vault_rate_limited'), ({ operation, key }) => {
        return operation === 'vault-delete' && key?.world.faults.length === 0;
      }),
    ),
  }),
  ...makeMutants('vault-delete.204.takes-effect', {
    'vault-delete.502-rolls-back-the-delete-before': subtle(
      'A delete that fails with 502 rolls back the delete before it as well',
      {
        removeSecret: (call, place) => {
          call.server.memory.set(`last of ${call.key?.world.id}`, { place, value: valueAt(call, place) });
          conforming.removeSecret(call, place);
        },
        ...editAnswer({ operation: 'vault-delete', status: 502 }, (answer, call) => {
          const last = call.server.memory.get(`last of ${call.key?.world.id}`) as Removed | undefined;
          if (last !== undefined) call.key?.world.secrets[last.place.scope].set(last.place.name, last.value);
          return answer;
        }),
      },
    ),
  }),
  ...makeMutants('vault-delete.safe-methods', {
    'vault-delete.preflight-deletes': subtle(
      'An OPTIONS of the path of a secret runs the delete that it asks about',
      editAnswer({ operation: 'vault-other', when: ({ method }) => method === 'OPTIONS' }, takeNamed),
    ),
    'vault-delete.key-read-sweeps-the-workspace': subtle(
      'A key read sweeps the vault: the secret that the workspace has had for longest goes',
      editAnswer({ operation: 'key-read', status: 200 }, (answer, call) => {
        takeFirst(call, 'workspace');
        return answer;
      }),
    ),
  }),
  ...makeMutants('vault-delete.400.keeps', {
    'vault-delete.encoded-slash-takes-by-beginning': subtle(
      'A name with an encoded slash takes every secret that begins with what stands before the slash',
      editAnswer({ operation: 'vault-delete', status: 400 }, (answer, call) => {
        const secrets = secretsOf(call, call.parameters.internId ?? '');
        const [folder = ''] = (call.parameters.name ?? '').split('/');
        if (!call.parameters.name?.includes('/') || folder === '') return answer;
        for (const name of [...(secrets?.keys() ?? [])]) if (name.startsWith(folder)) secrets?.delete(name);
        return answer;
      }),
    ),
  }),
];

/** A delete takes the intern that something other than its path names, if it does. */
function readInternId(read: (call: Call) => unknown): Mutation {
  return {
    receive: (call) => {
      const internId = call.operation === 'vault-delete' ? read(call) : undefined;
      return typeof internId === 'string' ? { ...call, parameters: { ...call.parameters, internId } } : call;
    },
  };
}

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
function queueDelete(status: number, when: When, isTime: When): Mutation {
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
    ...editAnswer({ operation: 'vault-delete', status, when }, (answer, call) => {
      queueOf(call).push(call);
      return answer;
    }),
  };
}

function isDelete({ method, key }: Call): boolean {
  return method === 'DELETE' && key?.role === 'member';
}

/** Deletes by the member of odd paths below one intern are answered 204 and take all that the intern has. */
function emptyBy(when: When): Mutation {
  return editAnswer({ when: (call) => isDelete(call) && when(call) }, (answer, call) => {
    const [, internId = ''] = /\/interns\/([^/?]+)\/secrets\//.exec(call.path) ?? [];
    const secrets = secretsOf(call, internId);
    secrets?.clear();
    return secrets === undefined ? answer : DONE;
  });
}

/** Words of the path below `/vault` are not told apart by the routing of `vault-other`. */
function takeNamed<Told>(answer: Told, call: Call): Told {
  const [, , , , internId = '', , name = ''] = call.path.split(/[/?]/);
  const world = call.key?.world;
  const intern = world && conforming.findIntern(world, internId);
  if (intern !== undefined) world?.secrets[intern].delete(name);
  return answer;
}

function secretsOf({ key }: Call, internId: string): Map<string, string> | undefined {
  const intern = key && conforming.findIntern(key.world, internId);
  return intern === undefined ? undefined : key?.world.secrets[intern];
}

function takeFirst({ key }: Call, scope: Scope): void {
  const [first] = key?.world.secrets[scope].keys() ?? [];
  if (first !== undefined) key?.world.secrets[scope].delete(first);
}
