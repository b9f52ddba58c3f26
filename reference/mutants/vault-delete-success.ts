import type { Answer } from '../answer.js';
import { conforming } from '../behaviour.js';
import type { Mutant, Override } from '../mutant.js';
import { answers } from '../override.js';
import { transmitRaw } from '../transmit.js';
import {
  deletesThough,
  during,
  longName,
  ok,
  refuses,
  through,
  type When,
  withBody,
  withQuery,
} from './vault-delete-builders.js';

/** Mutants of the vault delete that answer otherwise than 204 and no body when the secret is deleted (§4.1, §7.1). */
export const vaultDeleteSuccessMutants: readonly Mutant[] = [
  {
    id: 'vault-delete.204-as-200-with-data',
    section: '7.1',
    turnsRed: ['vault-delete.204.deleted'],
    description: 'A delete that is done answers 200 and tells what it deleted',
    hardness: 'plain',
    override: succeedsWith(ok({ data: { deleted: true } })),
  },
  {
    id: 'vault-delete.204-as-200-empty',
    section: '7.1',
    turnsRed: ['vault-delete.204.deleted'],
    description: 'A delete that is done answers 200 with an empty body',
    hardness: 'plain',
    override: succeedsWith({ status: 200, headers: {} }),
  },
  {
    id: 'vault-delete.204-as-202',
    section: '7.1',
    turnsRed: ['vault-delete.204.deleted'],
    description: 'A delete that is done answers 202',
    hardness: 'plain',
    override: succeedsWith({ status: 202, headers: {} }),
  },
  {
    id: 'vault-delete.204-as-205',
    section: '7.1',
    turnsRed: ['vault-delete.204.deleted'],
    description: 'A delete that is done answers 205',
    hardness: 'plain',
    override: succeedsWith({ status: 205, headers: {} }),
  },
  {
    id: 'vault-delete.204-as-200-for-sibling',
    section: '7.1',
    turnsRed: ['vault-delete.204.deleted'],
    description: "A delete of the sibling's secret answers 200, one of the other intern's 204",
    hardness: 'subtle',
    override: succeedsWith(ok({ data: null }), through('sibling')),
  },
  {
    id: 'vault-delete.204-as-200-with-query',
    section: '7.1',
    turnsRed: ['vault-delete.400.query'],
    description: 'A delete with a query string is done and answers 200',
    hardness: 'subtle',
    override: succeedsWith(ok({ data: null }), withQuery),
  },
  {
    id: 'vault-delete.204-as-200-with-body',
    section: '7.1',
    turnsRed: ['vault-delete.400.body'],
    description: 'A delete with a body is done and answers 200',
    hardness: 'subtle',
    override: succeedsWith(ok({ data: null }), withBody),
  },
  {
    id: 'vault-delete.204-as-202-for-long-names',
    section: '7.1',
    turnsRed: ['vault-delete.status-documented'],
    description: 'A delete of a secret whose name has over 64 characters answers 202',
    hardness: 'subtle',
    override: succeedsWith({ status: 202, headers: {} }, longName),
  },
  {
    id: 'vault-delete.204-as-404-for-sibling',
    section: '7.1',
    turnsRed: ['vault-delete.204.deleted'],
    description: "The sibling's secret is deleted and the answer is 404, for it is looked for once more",
    hardness: 'subtle',
    override: answers({ operation: 'vault-delete', status: 204, when: through('sibling') }, (_answer, call) =>
      call.behaviour.refuse(call, { status: 404, message: 'Not found' }),
    ),
  },
  {
    id: 'vault-delete.sibling-not-served',
    section: '7.1',
    turnsRed: ['vault-delete.204.deleted'],
    description: 'Only the first intern of a workspace is found; a delete at another answers 404',
    hardness: 'plain',
    override: {
      findIntern: (world, id) => (conforming.findIntern(world, id) === 'own' ? 'own' : undefined),
    },
  },
  {
    id: 'vault-delete.origin-403',
    section: '7.1',
    turnsRed: ['vault-delete.204.deleted'],
    description: 'A delete that carries an Origin header answers 403',
    hardness: 'subtle',
    override: refuses(403, ({ headers }) => headers.origin !== undefined),
  },
  {
    id: 'vault-delete.204-with-content-length',
    section: '4.1',
    turnsRed: ['vault-delete.204.no-body'],
    description: 'The 204 has a JSON body and a Content-Length',
    hardness: 'plain',
    override: sends204({ 'Content-Type': 'application/json' }, '{"data":null}'),
  },
  {
    id: 'vault-delete.204-chunked',
    section: '4.1',
    turnsRed: ['vault-delete.204.no-body'],
    description: 'The 204 has a body in chunks',
    hardness: 'plain',
    override: sends204({ 'Transfer-Encoding': 'chunked' }, '2\r\n{}\r\n0\r\n\r\n'),
  },
  {
    id: 'vault-delete.204-chunked-empty',
    section: '4.1',
    turnsRed: ['vault-delete.204.no-body'],
    description: 'The 204 announces chunks, of which only the last, empty one comes',
    hardness: 'subtle',
    override: sends204({ 'Transfer-Encoding': 'chunked' }, '0\r\n\r\n'),
  },
  {
    id: 'vault-delete.204-announces-a-body',
    section: '4.1',
    turnsRed: ['vault-delete.204.no-body'],
    description: 'The 204 has a Content-Length of 2 and no body',
    hardness: 'subtle',
    override: sends204({ 'Content-Length': '2' }, ''),
  },
  {
    id: 'vault-delete.204-unannounced-body',
    section: '4.1',
    turnsRed: ['vault-delete.204.no-body'],
    description: 'The 204 has a Content-Length of 0, and two bytes after its head',
    hardness: 'subtle',
    override: sends204({ 'Content-Length': '0' }, '{}'),
  },
  {
    id: 'vault-delete.204-line-feed',
    section: '4.1',
    turnsRed: ['vault-delete.204.no-body'],
    description: 'The 204 has a body of a single line feed',
    hardness: 'subtle',
    override: sends204({}, '\n'),
  },
  {
    id: 'vault-delete.204-body-for-sibling',
    section: '4.1',
    turnsRed: ['vault-delete.204.no-body'],
    description: "The 204 has a body if the secret was the sibling's",
    hardness: 'subtle',
    override: sends204({}, '{}', through('sibling')),
  },
  {
    id: 'vault-delete.403-once-unreachable',
    section: '7.1',
    turnsRed: ['vault-delete.204.deleted'],
    description: 'Once the vault was unreachable, every further delete in that workspace answers 403',
    hardness: 'subtle',
    override: {
      ...deletesThough(502, during('vault_unreachable'), (call) => {
        call.server.memory.set(`tripped ${call.key?.world.id}`, true);
      }),
      ...refuses(403, (call) => call.server.memory.has(`tripped ${call.key?.world.id}`)),
    },
  },
];

/** A delete that is done is answered otherwise. */
function succeedsWith(answer: Answer, when: When = () => true): Override {
  return answers({ operation: 'vault-delete', status: 204, when }, () => answer);
}

/** The 204 of a delete goes out with these headers and this text, which Node itself would leave out. */
function sends204(
  headers: Readonly<Record<string, string>>,
  body: string,
  when: When = () => true,
): Override {
  return {
    transmit: (response, answer, call) =>
      call.operation === 'vault-delete' && answer.status === 204 && when(call)
        ? transmitRaw(response, { status: 204, headers, body })
        : conforming.transmit(response, answer, call),
  };
}
