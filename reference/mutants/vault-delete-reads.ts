import type { Answer } from '../answer.js';
import { conforming } from '../behaviour.js';
import type { Mutant, Override } from '../mutant.js';
import { answers, gateStatus } from '../override.js';
import { all, as, isStored, ok, type When } from './vault-delete-builders.js';

const isSafe: When = ({ method }) => method === 'GET' || method === 'HEAD';
const reads: When = ({ method }) => method === 'GET';
// Words of the path below `/vault` are not told apart by the routing of `vault-other`.
const namesStored: When = (call) =>
  isStored({ ...call, parameters: { name: call.path.split(/[/?]/)[6] ?? '' } }, 'own');

/** Mutants whose other vault routes, reads included, serve those who may not call them (§4.1, §5.4). */
export const vaultDeleteReadsMutants: readonly Mutant[] = [
  {
    id: 'vault-delete.a-read-deletes',
    section: '4.1',
    turnsRed: ['vault-delete.safe-methods'],
    description: 'A GET or HEAD of the path of a secret takes the secret away',
    hardness: 'subtle',
    override: answers({ operation: 'vault-other', when: isSafe }, (answer, call) => {
      const [, , , , internId, , name = ''] = call.path.split(/[/?]/);
      const intern = call.key && conforming.findIntern(call.key.world, internId ?? '');
      if (intern !== undefined) call.key?.world.secrets[intern].delete(decodeURIComponent(name));
      return answer;
    }),
  },
  {
    id: 'vault-delete.outsider-read-403',
    section: '4.1',
    turnsRed: ['vault-delete.404.outside-programme-reads'],
    description: 'A vault read by a caller outside the intern programme answers 403',
    hardness: 'plain',
    override: gateStatus('vault-other', 'intern-programme', 403),
  },
  {
    id: 'vault-delete.outsider-read-401',
    section: '4.1',
    turnsRed: ['vault-delete.404.outside-programme-reads'],
    description: 'A vault read by a caller outside the intern programme answers 401',
    hardness: 'plain',
    override: gateStatus('vault-other', 'intern-programme', 401),
  },
  {
    id: 'vault-delete.outsider-read-500',
    section: '4.1',
    turnsRed: ['vault-delete.404.outside-programme-reads'],
    description: 'A vault read by a caller outside the intern programme answers 500',
    hardness: 'plain',
    override: gateStatus('vault-other', 'intern-programme', 500),
  },
  {
    id: 'vault-delete.outsider-reads-metadata',
    section: '4.1',
    turnsRed: ['vault-delete.404.outside-programme-reads'],
    description: 'A caller outside the intern programme reads the metadata of a stored secret',
    hardness: 'plain',
    override: serves(all(as('outsider'), reads, namesStored), metadata()),
  },
  {
    id: 'vault-delete.outsider-reads-nothing',
    section: '4.1',
    turnsRed: ['vault-delete.404.outside-programme-reads'],
    description: 'A caller outside the intern programme gets 200 and an empty list',
    hardness: 'plain',
    override: serves(all(as('outsider'), reads), ok({ data: [] })),
  },
  {
    id: 'vault-delete.outsider-read-204',
    section: '4.1',
    turnsRed: ['vault-delete.404.outside-programme-reads'],
    description: 'A vault read by a caller outside the intern programme answers 204',
    hardness: 'plain',
    override: serves(all(as('outsider'), reads), { status: 204, headers: {} }),
  },
  {
    id: 'vault-delete.outsider-read-403-where-stored',
    section: '4.1',
    turnsRed: ['vault-delete.404.outside-programme-reads'],
    description: 'A vault read by a caller outside the intern programme answers 403 if the secret is there',
    hardness: 'subtle',
    override: answers({ operation: 'vault-other', when: all(as('outsider'), namesStored) }, (_answer, call) =>
      call.behaviour.refuse(call, { status: 403, message: 'Intern programme access is required' }),
    ),
  },
  {
    id: 'vault-delete.outsider-read-403-where-absent',
    section: '4.1',
    turnsRed: ['vault-delete.404.outside-programme-reads'],
    description:
      'A vault read by a caller outside the intern programme answers 403 if there is no such secret',
    hardness: 'subtle',
    override: answers(
      { operation: 'vault-other', when: (call) => as('outsider')(call) && !namesStored(call) },
      (_answer, call) =>
        call.behaviour.refuse(call, { status: 403, message: 'Intern programme access is required' }),
    ),
  },
  {
    id: 'vault-delete.provisioning-key-reads',
    section: '7.1',
    turnsRed: ['vault-delete.401.provisioning-key'],
    description: 'A provisioning key reads the metadata of a stored secret',
    hardness: 'subtle',
    override: serves(all(as('provisioning'), reads, namesStored), metadata()),
  },
  {
    id: 'vault-delete.unscoped-key-reads',
    section: '7.1',
    turnsRed: ['vault-delete.403.no-scope'],
    description: 'A key without a usable workspace scope reads the metadata of a stored secret',
    hardness: 'subtle',
    override: serves(all(as('unscoped'), reads, namesStored), metadata()),
  },
];

function metadata(): Answer {
  return ok({ data: { type: 'secret' } });
}

/** Some requests to other vault routes are served. */
function serves(when: When, answer: Answer): Override {
  return answers({ operation: 'vault-other', when }, () => answer);
}
