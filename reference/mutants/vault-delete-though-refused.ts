import type { Call } from '../behaviour.js';
import { everyday, type Mutant, makeMutants, plain, subtle } from '../mutant.js';
import { editAnswer, type Mutation, setGateStatus } from '../mutation.js';
import { all, as, isStored, nameOf, type When, withoutKey, worldOfIntern } from './conditions.js';
import { actBeside, deleteThough, ok, removeNamed } from './vault-mutations.js';

const isSafe: When = ({ method }) => method === 'GET' || method === 'HEAD';

const readsStored: When = (call) => call.method === 'GET' && isStored(nameParameters(call), 'own');

/** Mutants of the vault delete that refuse, and delete all the same (§7.1). */
export const vaultDeleteThoughRefusedMutants: readonly Mutant[] = [
  ...makeMutants('vault-delete.400.keeps', {
    'vault-delete.400-deletes-by-malformed-id': everyday.plain(
      'A malformed internId is refused only after the secret of the intern it looks like is gone',
      deleteThough(400, resemblesOwn, (call) => call.key?.world.secrets.own.delete(nameOf(call))),
    ),
  }),
  ...makeMutants('vault-delete.401.keeps', {
    'vault-delete.401-deletes-without-key': everyday.plain(
      'A delete without a key is refused and deletes',
      deleteThough(401, withoutKey),
    ),
  }),
  ...makeMutants('vault-delete.403.keeps', {
    'vault-delete.403-deletes-with-unscoped-key': everyday.plain(
      'A key without workspace scope is refused and deletes',
      deleteThough(403, as('unscoped')),
    ),
  }),
  ...makeMutants('vault-delete.404.keeps', {
    'vault-delete.404-deletes-for-outsiders': everyday.plain(
      'A caller outside the intern programme is refused and deletes',
      deleteThough(404, as('outsider')),
    ),
    'vault-delete.404-deletes-in-another-workspace': plain(
      'An intern of a workspace that the key has nothing to do with is not found, and its secret deleted',
      deleteThough(404, as('member'), (call) => {
        const world = worldOfIntern(call);
        if (world !== call.key?.world) world?.secrets.own.delete(nameOf(call));
      }),
    ),
  }),
  ...makeMutants('vault-delete.429.keeps', {
    'vault-delete.429-deletes': everyday.plain(
      'A delete beyond the rate limit is refused and deletes',
      deleteThough(429),
      ['vault-delete.429.rate-limited'],
    ),
  }),
  ...makeMutants('vault-delete.500.keeps', {
    'vault-delete.500-deletes': everyday.plain(
      'A delete whose scope lookup fails answers 500 and deletes',
      deleteThough(500),
    ),
  }),
  ...makeMutants('vault-delete.503.keeps', {
    'vault-delete.503-deletes-for-write-disabled-key': everyday.plain(
      'A caller with vault writes disabled is refused and deletes',
      deleteThough(503, as('write_disabled')),
    ),
  }),
  ...makeMutants('vault-delete.safe-methods', {
    'vault-delete.a-read-deletes': everyday.subtle(
      'A GET or HEAD of the path of a secret takes the secret away',
      actBeside({ operation: 'vault-other', when: isSafe }, removeByPath),
    ),
    'vault-delete.preflight-deletes': subtle(
      'An OPTIONS of the path of a secret runs the delete that it asks about',
      actBeside({ operation: 'vault-other', when: ({ method }) => method === 'OPTIONS' }, removeByPath),
    ),
  }),
  ...makeMutants('vault-delete.404.outside-programme-reads', {
    'vault-delete.outsider-read-403': everyday.plain(
      'A vault read by a caller outside the intern programme answers 403',
      setGateStatus('vault-other', 'intern-programme', 403),
    ),
  }),
  ...makeMutants('vault-delete.404.outside-programme-reads', {
    'vault-delete.outsiders-list-secrets': subtle(
      'A caller outside the intern programme gets a list of the secrets of the workspace',
      listSecrets(({ path }) => path.startsWith('/v1/vault/secrets'), as('outsider')),
    ),
  }),
  ...makeMutants(['vault-delete.401.provisioning-key', 'vault-delete.401.provisioning-key-reads'], {
    'vault-delete.provisioning-key-reads': subtle(
      'A provisioning key reads the metadata of a stored secret',
      editAnswer({ operation: 'vault-other', when: all(as('provisioning'), readsStored) }, () =>
        ok({ data: { type: 'secret' } }),
      ),
    ),
  }),
];

/** Lists of secrets are given in answer to some requests. */
function listSecrets(...when: readonly When[]): Mutation {
  const isList: When = ({ method, path }) => method === 'GET' && /\/secrets$/.test(path);
  return editAnswer({ operation: 'vault-other', when: all(isList, ...when) }, () => ok({ data: {} }));
}

/** A call of another vault route with what its path names, which the routing does not tell. */
function nameParameters(call: Call): Call {
  const [, , , , internId = '', , name = ''] = call.path.split(/[/?]/);
  return { ...call, parameters: { internId, name: decodeURIComponent(name) } };
}

function removeByPath(call: Call): void {
  removeNamed(nameParameters(call));
}

/** The hex digits of the internId begin like those of the own intern, though it is no UUID. */
function resemblesOwn({ key, parameters, behaviour }: Call): boolean {
  const id = parameters.internId ?? '';
  const digits = id.replace(/^urn:uuid:/, '').replace(/[^0-9a-f]/g, '');
  const known = key?.world.interns.own.replaceAll('-', '') ?? 'none';
  return !behaviour.isInternId(id) && digits.startsWith(known.slice(0, 31));
}
