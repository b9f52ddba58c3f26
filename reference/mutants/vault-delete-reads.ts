import type { Answer } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { type Mutant, makeMutants } from '../mutant.js';
import { answers, gateStatus, type Override } from '../mutation.js';
import { all, as, isStored, ok, type When } from './vault-delete-builders.js';

const isSafe: When = ({ method }) => method === 'GET' || method === 'HEAD';
const reads: When = ({ method }) => method === 'GET';
// Words of the path below `/vault` are not told apart by the routing of `vault-other`.
const namesStored: When = (call) =>
  isStored({ ...call, parameters: { name: call.path.split(/[/?]/)[6] ?? '' } }, 'own');

/** Mutants whose other vault routes, reads included, serve those who may not call them (§4.1, §5.4). */
export const vaultDeleteReadsMutants: readonly Mutant[] = [
  ...makeMutants('4.1', ['vault-delete.safe-methods'], {
    'vault-delete.a-read-deletes': {
      everydaySubtle: 'A GET or HEAD of the path of a secret takes the secret away',
      override: answers({ operation: 'vault-other', when: isSafe }, (answer, call) => {
        const [, , , , internId, , name = ''] = call.path.split(/[/?]/);
        const intern = call.key && conforming.findIntern(call.key.world, internId ?? '');
        if (intern !== undefined) call.key?.world.secrets[intern].delete(decodeURIComponent(name));
        return answer;
      }),
    },
  }),
  ...makeMutants('4.1', ['vault-delete.404.outside-programme-reads'], {
    'vault-delete.outsider-read-403': {
      everydayPlain: 'A vault read by a caller outside the intern programme answers 403',
      override: gateStatus('vault-other', 'intern-programme', 403),
    },
    'vault-delete.outsider-read-401': {
      plain: 'A vault read by a caller outside the intern programme answers 401',
      override: gateStatus('vault-other', 'intern-programme', 401),
    },
    'vault-delete.outsider-read-500': {
      plain: 'A vault read by a caller outside the intern programme answers 500',
      override: gateStatus('vault-other', 'intern-programme', 500),
    },
    'vault-delete.outsider-reads-metadata': {
      plain: 'A caller outside the intern programme reads the metadata of a stored secret',
      override: serves(all(as('outsider'), reads, namesStored), metadata()),
    },
    'vault-delete.outsider-reads-nothing': {
      plain: 'A caller outside the intern programme gets 200 and an empty list',
      override: serves(all(as('outsider'), reads), ok({ data: [] })),
    },
    'vault-delete.outsider-read-204': {
      plain: 'A vault read by a caller outside the intern programme answers 204',
      override: serves(all(as('outsider'), reads), { status: 204, headers: {} }),
    },
    'vault-delete.outsider-read-403-where-stored': {
      subtle: 'A vault read by a caller outside the intern programme answers 403 if the secret is there',
      override: answers(
        { operation: 'vault-other', when: all(as('outsider'), namesStored) },
        (_answer, call) =>
          call.behaviour.refuse(call, { status: 403, message: 'Intern programme access is required' }),
      ),
    },
    'vault-delete.outsider-read-403-where-absent': {
      subtle: 'A vault read by a caller outside the intern programme answers 403 if there is no such secret',
      override: answers(
        { operation: 'vault-other', when: (call) => as('outsider')(call) && !namesStored(call) },
        (_answer, call) =>
          call.behaviour.refuse(call, { status: 403, message: 'Intern programme access is required' }),
      ),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.401.provisioning-key', 'vault-delete.401.provisioning-key-reads'], {
    'vault-delete.provisioning-key-reads': {
      subtle: 'A provisioning key reads the metadata of a stored secret',
      override: serves(all(as('provisioning'), reads, namesStored), metadata()),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.403.no-scope'], {
    'vault-delete.unscoped-key-reads': {
      subtle: 'A key without a usable workspace scope reads the metadata of a stored secret',
      override: serves(all(as('unscoped'), reads, namesStored), metadata()),
    },
  }),
];

function metadata(): Answer {
  return ok({ data: { type: 'secret' } });
}

/** Some requests to other vault routes are served. */
function serves(when: When, answer: Answer): Override {
  return answers({ operation: 'vault-other', when }, () => answer);
}
