import type { Call } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { everyday, type Mutant, makeMutants, subtle } from '../mutant.js';
import { editAnswer, type Mutation } from '../mutation.js';
import { isJsonObject } from '../vocabulary.js';
import { parseJson } from '../wire.js';
import { all, as, onRegionalHost, type When } from './conditions.js';
import { DONE, deleteThough, removeNamed, takeAlong, takeLike } from './vault-mutations.js';

const isMembersDelete: When = ({ method, key }) => method === 'DELETE' && key?.role === 'member';

/** Mutants of the vault delete that take more than the one secret that is named (§1, §4.1). */
export const vaultDeleteTooMuchMutants: readonly Mutant[] = [
  ...makeMutants('vault-delete.204.only-the-named', {
    'vault-delete.takes-names-that-end-alike': everyday.plain(
      'Every name that ends with the one named goes too',
      takeLike((name, named) => name.endsWith(named)),
    ),
    'vault-delete.takes-by-pattern': subtle(
      'An underscore in the name stands for any one character',
      takeLike((name, named) => new RegExp(`^${named.replaceAll('_', '.')}$`).test(name)),
    ),
    'vault-delete.takes-the-same-value': subtle('Every secret of the same value goes too', {
      removeSecret: ({ key }, { scope, name }) => {
        const secrets = key?.world.secrets[scope];
        const value = secrets?.get(name);
        for (const [other, held] of [...(secrets ?? [])]) if (held === value) secrets?.delete(other);
      },
    }),
    'vault-delete.dot-segment-empties-the-intern': subtle(
      'A delete of the path segment . takes every secret of the intern, as of the folder that it means',
      editAnswer({ when: isMembersDelete }, (answer, { key, path }) => {
        const [, internId] = /\/interns\/([^/?]+)\/secrets\/(?:\.|%2e)\/?(?:\?|$)/i.exec(path) ?? [];
        const intern = key && conforming.findIntern(key.world, internId ?? '');
        if (intern === undefined) return answer;
        key?.world.secrets[intern].clear();
        return DONE;
      }),
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
  }),
  ...makeMutants('vault-delete.204.only-this-scope', {
    'vault-delete.takes-the-workspace-s-too': everyday.plain(
      'The same name goes at the workspace too',
      takeAlong(({ key }, { name }) => key?.world.secrets.workspace.delete(name)),
    ),
  }),
  ...makeMutants('vault-delete.403.keeps', {
    'vault-delete.403-deletes-300-ms-late': subtle(
      'A delete on the regional hostname is refused, forwarded, and done 300 ms later',
      deleteThough(403, all(onRegionalHost, as('member')), (call) => {
        setTimeout(() => removeNamed(call), 300).unref();
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
