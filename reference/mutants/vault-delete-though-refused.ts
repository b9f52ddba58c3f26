import type { Answer, Call } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { everyday, type Mutant, makeMutants, plain, subtle } from '../mutant.js';
import { editAnswer, type Mutation, setGateStatus } from '../mutation.js';
import { all, as, isStored, nameOf, type When, withoutKey, worldOfIntern } from './conditions.js';
import { deleteThough, ok, removeFrom } from './vault-mutations.js';

const isSafe: When = ({ method }) => method === 'GET' || method === 'HEAD';

const reads: When = ({ method }) => method === 'GET';

// Words of the path below `/vault` are not told apart by the routing of `vault-other`.
const namesStored: When = (call) =>
  isStored({ ...call, parameters: { name: call.path.split(/[/?]/)[6] ?? '' } }, 'own');

/** Mutants of the vault delete that refuse, and delete all the same (§7.1). */
export const vaultDeleteThoughRefusedMutants: readonly Mutant[] = [
  ...makeMutants('vault-delete.400.keeps', {
    'vault-delete.400-deletes-by-malformed-id': everyday.plain(
      'A malformed internId is refused only after the secret of the intern it looks like is gone',
      deleteThough(400, (call) => resemblesOwn(call), removeFrom('own')),
    ),
    'vault-delete.400-deletes-by-malformed-encoding': subtle(
      'A malformed percent-encoding is refused only after the secret that it looks like is gone',
      editAnswer({ operation: 'malformed-target' }, (answer, call) => {
        const [, internId, name] = /\/interns\/([^/?]*)\/secrets\/([^/?]*)/.exec(plainPath(call)) ?? [];
        const { world } = call.key ?? {};
        if (internId === world?.interns.own) world?.secrets.own.delete(name ?? '');
        return answer;
      }),
    ),
  }),
  ...makeMutants('vault-delete.401.keeps', {
    'vault-delete.401-deletes-without-key': everyday.plain(
      'A delete without a key is refused and deletes',
      deleteThough(401, withoutKey),
    ),
    'vault-delete.401-deletes-with-provisioning-key': plain(
      'A provisioning key is refused and deletes',
      deleteThough(401, as('provisioning')),
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
      editAnswer({ operation: 'vault-other', when: isSafe }, (answer, call) => {
        const [, , , , internId, , name = ''] = call.path.split(/[/?]/);
        const intern = call.key && conforming.findIntern(call.key.world, internId ?? '');
        if (intern !== undefined) call.key?.world.secrets[intern].delete(decodeURIComponent(name));
        return answer;
      }),
    ),
  }),
  ...makeMutants('vault-delete.404.outside-programme-reads', {
    'vault-delete.outsider-read-403': everyday.plain(
      'A vault read by a caller outside the intern programme answers 403',
      setGateStatus('vault-other', 'intern-programme', 403),
    ),
    'vault-delete.outsider-reads-metadata': plain(
      'A caller outside the intern programme reads the metadata of a stored secret',
      serveRead(all(as('outsider'), reads, namesStored), metadata()),
    ),
  }),
  ...makeMutants(['vault-delete.401.provisioning-key', 'vault-delete.401.provisioning-key-reads'], {
    'vault-delete.provisioning-key-reads': subtle(
      'A provisioning key reads the metadata of a stored secret',
      serveRead(all(as('provisioning'), reads, namesStored), metadata()),
    ),
  }),
  ...(
    [
      ['vault-delete.401.missing-key', 'missing-key', 'without a key', withoutKey],
      ['auth.disabled-key', 'disabled-key', 'with a disabled key', as('disabled')],
    ] as const
  ).flatMap(([requirement, word, how, who]) =>
    makeMutants(requirement, {
      [`vault-delete.${word}-reads`]: subtle(
        `The metadata of a secret is read ${how}`,
        serveRead(all(who, reads), metadata()),
      ),
    }),
  ),
];

/** The hex digits of the internId begin like those of the own intern, though it is no UUID. */
function resemblesOwn({ key, parameters, behaviour }: Call): boolean {
  const id = parameters.internId ?? '';
  const digits = id.replace(/^urn:uuid:/, '').replace(/[^0-9a-f]/g, '');
  const known = key?.world.interns.own.replaceAll('-', '') ?? 'none';
  return !behaviour.isInternId(id) && digits.startsWith(known.slice(0, 31));
}

/** The path without its per cent signs, and what follows them where that is no letter of a name. */
function plainPath({ path }: Call): string {
  return path.replace(/%(?:2(?![0-9a-f]))?/gi, '');
}

function metadata(): Answer {
  return ok({ data: { type: 'secret' } });
}

/** Some requests to other vault routes are served. */
function serveRead(when: When, answer: Answer): Mutation {
  return editAnswer({ operation: 'vault-other', when }, () => answer);
}
