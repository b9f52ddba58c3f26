import type { Answer } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { type Mutant, makeMutants } from '../mutant.js';
import { answers, type Override } from '../mutation.js';
import { transmitRaw } from '../wire.js';
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
  ...makeMutants('7.1', ['vault-delete.204.deleted'], {
    'vault-delete.204-as-200-with-data': {
      plain: 'A delete that is done answers 200 and tells what it deleted',
      override: succeedsWith(ok({ data: { deleted: true } })),
    },
    'vault-delete.204-as-200-empty': {
      plain: 'A delete that is done answers 200 with an empty body',
      override: succeedsWith({ status: 200, headers: {} }),
    },
    'vault-delete.204-as-202': {
      plain: 'A delete that is done answers 202',
      override: succeedsWith({ status: 202, headers: {} }),
    },
    'vault-delete.204-as-205': {
      plain: 'A delete that is done answers 205',
      override: succeedsWith({ status: 205, headers: {} }),
    },
    'vault-delete.204-as-200-for-sibling': {
      subtle: "A delete of the sibling's secret answers 200, one of the other intern's 204",
      override: succeedsWith(ok({ data: null }), through('sibling')),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.400.query'], {
    'vault-delete.204-as-200-with-query': {
      everydaySubtle: 'A delete with a query string is done and answers 200',
      alsoRed: ['vault-delete.status-documented'],
      override: succeedsWith(ok({ data: null }), withQuery),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.400.body'], {
    'vault-delete.204-as-200-with-body': {
      subtle: 'A delete with a body is done and answers 200',
      override: succeedsWith(ok({ data: null }), withBody),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.status-documented'], {
    'vault-delete.204-as-202-for-long-names': {
      subtle: 'A delete of a secret whose name has over 64 characters answers 202',
      override: succeedsWith({ status: 202, headers: {} }, longName),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.204.deleted'], {
    'vault-delete.204-as-404-for-sibling': {
      subtle: "The sibling's secret is deleted and the answer is 404, for it is looked for once more",
      override: answers(
        { operation: 'vault-delete', status: 204, when: through('sibling') },
        (_answer, call) => call.behaviour.refuse(call, { status: 404, message: 'Not found' }),
      ),
    },
    'vault-delete.sibling-not-served': {
      plain: 'Only the first intern of a workspace is found; a delete at another answers 404',
      override: {
        findIntern: (world, id) => (conforming.findIntern(world, id) === 'own' ? 'own' : undefined),
      },
    },
    'vault-delete.origin-403': {
      everydaySubtle: 'A delete that carries an Origin header answers 403',
      override: refuses(403, ({ headers }) => headers.origin !== undefined),
    },
  }),
  ...makeMutants('4.1', ['vault-delete.204.no-body'], {
    'vault-delete.204-with-content-length': {
      everydayPlain: 'The 204 has a JSON body and a Content-Length',
      override: sends204({ 'Content-Type': 'application/json' }, '{"data":null}'),
    },
    'vault-delete.204-chunked': {
      plain: 'The 204 has a body in chunks',
      override: sends204({ 'Transfer-Encoding': 'chunked' }, '2\r\n{}\r\n0\r\n\r\n'),
    },
    'vault-delete.204-chunked-empty': {
      subtle: 'The 204 announces chunks, of which only the last, empty one comes',
      override: sends204({ 'Transfer-Encoding': 'chunked' }, '0\r\n\r\n'),
    },
    'vault-delete.204-announces-a-body': {
      subtle: 'The 204 has a Content-Length of 2 and no body',
      override: sends204({ 'Content-Length': '2' }, ''),
    },
    'vault-delete.204-unannounced-body': {
      subtle: 'The 204 has a Content-Length of 0, and two bytes after its head',
      override: sends204({ 'Content-Length': '0' }, '{}'),
    },
    'vault-delete.204-line-feed': {
      subtle: 'The 204 has a body of a single line feed',
      override: sends204({}, '\n'),
    },
    'vault-delete.204-body-for-sibling': {
      subtle: "The 204 has a body if the secret was the sibling's",
      override: sends204({}, '{}', through('sibling')),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.204.deleted'], {
    'vault-delete.403-once-unreachable': {
      subtle: 'Once the vault was unreachable, every further delete in that workspace answers 403',
      override: {
        ...deletesThough(502, during('vault_unreachable'), (call) => {
          call.server.memory.set(`tripped ${call.key?.world.id}`, true);
        }),
        ...refuses(403, (call) => call.server.memory.has(`tripped ${call.key?.world.id}`)),
      },
    },
  }),
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
