import { setTimeout as wait } from 'node:timers/promises';
import type { Answer, Call, SecretPlace } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { everyday, type Mutant, makeMutants, plain, subtle } from '../mutant.js';
import { countUp, editAnswer, type Mutation } from '../mutation.js';
import { transmitRaw } from '../wire.js';
import { during, longName, through, type When, withBody, withQuery } from './conditions.js';
import { deleteThough, elseFind, keepSecret, ok, refuseDelete } from './vault-mutations.js';

/** Mutants of the vault delete that answer otherwise than 204 and no body when the secret is deleted (§4.1, §7.1). */
export const vaultDeleteSuccessMutants: readonly Mutant[] = [
  ...makeMutants('vault-delete.204.deleted', {
    'vault-delete.204-as-200-with-data': plain(
      'A delete that is done answers 200 and says what it deleted',
      succeedWith(ok({ data: { deleted: true } })),
    ),
    'vault-delete.204-as-404-for-sibling': subtle(
      "The sibling's secret is deleted and the answer is 404, for it is looked for once more",
      editAnswer({ operation: 'vault-delete', status: 204, when: through('sibling') }, (_answer, call) =>
        call.behaviour.refuse(call, { status: 404, message: 'Not found' }),
      ),
    ),
    'vault-delete.sibling-not-served': plain(
      'Only the first intern of a workspace is found; a delete at another answers 404',
      {
        findIntern: (world, id) => (conforming.findIntern(world, id) === 'own' ? 'own' : undefined),
      },
    ),
    'vault-delete.origin-403': everyday.subtle(
      'A delete that carries an Origin header answers 403',
      refuseDelete(403, ({ headers }) => headers.origin !== undefined),
    ),
    'vault-delete.403-once-unreachable': subtle(
      'Once the vault was unreachable, every further delete in that workspace answers 403',
      {
        ...deleteThough(502, during('vault_unreachable'), (call) => {
          call.server.memory.set(`tripped ${call.key?.world.id}`, true);
        }),
        ...refuseDelete(403, (call) => call.server.memory.has(`tripped ${call.key?.world.id}`)),
      },
    ),
  }),
  ...makeMutants('vault-delete.400.query', {
    'vault-delete.204-as-200-with-query': everyday.subtle(
      'A delete with a query string is done and answers 200',
      succeedWith(ok({ data: null }), withQuery),
      ['vault-delete.status-documented'],
    ),
  }),
  ...makeMutants('vault-delete.400.body', {
    'vault-delete.204-as-200-with-body': subtle(
      'A delete with a body is done and answers 200',
      succeedWith(ok({ data: null }), withBody),
    ),
  }),
  ...makeMutants('vault-delete.status-documented', {
    'vault-delete.204-as-202-for-long-names': subtle(
      'A delete of a secret whose name has over 64 characters answers 202',
      succeedWith({ status: 202, headers: {} }, longName),
    ),
  }),
  ...makeMutants('vault-delete.204.no-body', {
    'vault-delete.204-with-content-length': everyday.plain(
      'The 204 has a JSON body and a Content-Length',
      send204({ 'Content-Type': 'application/json' }, '{"data":null}'),
    ),
    'vault-delete.204-chunked': plain(
      'The 204 has a body in chunks',
      send204({ 'Transfer-Encoding': 'chunked' }, '2\r\n{}\r\n0\r\n\r\n'),
    ),
    'vault-delete.204-chunked-empty': subtle(
      'The 204 announces chunks, of which only the last, empty one comes',
      send204({ 'Transfer-Encoding': 'chunked' }, '0\r\n\r\n'),
    ),
    'vault-delete.204-announces-a-body': subtle(
      'The 204 has a Content-Length of 2 and no body',
      send204({ 'Content-Length': '2' }, ''),
    ),
    'vault-delete.204-unannounced-body': subtle(
      'The 204 has a Content-Length of 0, and two bytes after its head',
      send204({ 'Content-Length': '0' }, '{}'),
    ),
  }),
  ...makeMutants('vault-delete.204.takes-effect', {
    'vault-delete.keeps': plain(
      'A delete answers 204 and the secret stays',
      keepSecret(() => true),
    ),
    'vault-delete.keeps-at-the-sibling': subtle(
      "The sibling's secrets stay",
      keepSecret((_call, { scope }) => scope === 'sibling'),
    ),
    'vault-delete.keeps-longest-names': subtle(
      'Secrets whose names have 255 characters stay',
      keepSecret((_call, { name }) => name.length === 255),
    ),
    'vault-delete.keeps-names-with-digits': subtle(
      'Secrets whose names have a digit stay',
      keepSecret((_call, { name }) => /\d/.test(name)),
    ),
    'vault-delete.keeps-with-a-query': subtle(
      'A delete with a query string answers 204 and the secret stays',
      keepSecret(withQuery),
    ),
    'vault-delete.keeps-what-the-sibling-has-too': subtle(
      'A secret stays where the sibling has one of the same name',
      keepSecret(
        ({ key }, { scope, name }) => scope === 'own' && key?.world.secrets.sibling.has(name) === true,
      ),
    ),
    'vault-delete.deletes-10-ms-late': subtle('The secret goes 10 ms after the 204', deleteLate(10)),
    'vault-delete.only-the-second-deletes': plain(
      'The first delete marks the secret and only the second one takes it; both answer 204',
      keepSecret((call, place) => countUp(call, `delete ${addressOf(call, place)}`) % 2 === 1),
    ),
    'vault-delete.second-of-a-workspace-lost': subtle(
      'The second delete in a workspace answers 204 and the secret stays',
      keepSecret((call) => countUp(call, `deletes in ${call.key?.world.id}`) === 2),
    ),
    'vault-delete.next-delete-brings-back': subtle(
      'A delete of one secret brings back the one that was deleted before it at that intern',
      {
        removeSecret: (call, place) => {
          const { memory } = call.server;
          const secrets = call.key?.world.secrets[place.scope];
          const last = `last at ${call.key?.world.id} ${place.scope}`;
          const before = memory.get(last);
          if (typeof before === 'string' && before !== place.name) secrets?.set(before, 'an old value');
          memory.set(last, place.name);
          conforming.removeSecret(call, place);
        },
      },
    ),
    'vault-delete.comes-back-after-20-ms': subtle(
      'The secret is back 20 ms after it was deleted, from a copy that lags behind',
      {
        removeSecret: (call, place) => {
          const value = call.key?.world.secrets[place.scope].get(place.name) ?? '';
          conforming.removeSecret(call, place);
          setTimeout(() => call.key?.world.secrets[place.scope].set(place.name, value), 20).unref();
        },
      },
    ),
    'vault-delete.found-once-more': everyday.subtle(
      'The last secret that was deleted at the sibling is found once more',
      {
        ...elseFind((call) => {
          const place = { scope: 'sibling', name: call.parameters.name ?? '' } as const;
          const isNamed =
            call.key !== undefined &&
            conforming.findIntern(call.key.world, call.parameters.internId ?? '') === 'sibling';
          return isNamed && call.server.memory.get('last at the sibling') === addressOf(call, place)
            ? place
            : undefined;
        }),
        removeSecret: (call, place) => {
          const { memory } = call.server;
          const isFound = conforming.findSecret(call) !== undefined;
          if (place.scope === 'sibling') memory.set('last at the sibling', isFound && addressOf(call, place));
          conforming.removeSecret(call, place);
        },
      },
    ),
  }),
  ...makeMutants('vault-delete.204.parallel', {
    'vault-delete.lost-among-others': everyday.subtle(
      'Of deletes at the same time at one intern some are undone, for each writes all secrets back',
      {
        transmit: async (response, answer, call) => {
          if (call.operation === 'vault-delete' && answer.status === 204) await writeBack(call);
          await conforming.transmit(response, answer, call);
        },
      },
    ),
  }),
  ...makeMutants('vault-delete.204.stored-again', {
    'vault-delete.stored-again-not-found': plain(
      'A name that was deleted once is not found again, though it is stored anew',
      forgetAfter(1),
    ),
    'vault-delete.stored-twice-again-not-found': everyday.subtle(
      'A name that was deleted twice is not found again, though it is stored anew',
      forgetAfter(2),
    ),
    'vault-delete.stored-again-undeletable': subtle(
      'A secret that was stored again after its delete answers 204 and stays',
      keepSecret((call, place) => countUp(call, `delete ${addressOf(call, place)}`) > 1),
    ),
  }),
];

/** A delete that is done is answered otherwise. */
function succeedWith(answer: Answer, when: When = () => true): Mutation {
  return editAnswer({ operation: 'vault-delete', status: 204, when }, () => answer);
}

/** The 204 of a delete goes out with these headers and this text, which Node itself would leave out. */
function send204(headers: Readonly<Record<string, string>>, body: string, when: When = () => true): Mutation {
  return {
    transmit: (response, answer, call) =>
      call.operation === 'vault-delete' && answer.status === 204 && when(call)
        ? transmitRaw(response, { status: 204, headers, body })
        : conforming.transmit(response, answer, call),
  };
}

function addressOf({ key }: Call, { scope, name }: SecretPlace): string {
  return `${key?.world.id} ${scope} ${name}`;
}

function deleteLate(ms: number): Mutation {
  return {
    removeSecret: (call, place) => {
      setTimeout(() => conforming.removeSecret(call, place), ms).unref();
    },
  };
}

/** A name that was deleted so often is not found any more. */
function forgetAfter(times: number): Mutation {
  const word = (call: Call, place: SecretPlace) => `forgets ${addressOf(call, place)}`;
  return {
    findSecret: (call) => {
      const place = conforming.findSecret(call);
      const before = place && call.server.memory.get(word(call, place));
      return typeof before === 'number' && before >= times ? undefined : place;
    },
    removeSecret: (call, place) => {
      countUp(call, word(call, place));
      conforming.removeSecret(call, place);
    },
  };
}

/** What an intern had when its delete was done is there again 10 ms later, whatever others deleted meanwhile. */
async function writeBack({ key, parameters }: Call): Promise<void> {
  const scope = key && conforming.findIntern(key.world, parameters.internId ?? '');
  const secrets = scope && key?.world.secrets[scope];
  const read = [...(secrets ?? [])];
  await wait(10);
  for (const [name, value] of read) if (secrets?.has(name) === false) secrets.set(name, value);
}
