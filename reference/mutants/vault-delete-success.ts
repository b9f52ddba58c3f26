import { setTimeout as wait } from 'node:timers/promises';
import type { Call, SecretPlace } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { everyday, type Mutant, makeMutants, plain, subtle } from '../mutant.js';
import { countUp, editAnswer, type Mutation } from '../mutation.js';
import { transmitRaw } from '../wire.js';
import { namedIntern, nameOf, withQuery } from './conditions.js';
import { elseFind, keepSecret, ok, refuseDelete } from './vault-mutations.js';

/** Mutants of the vault delete that answer otherwise than 204 and no body when the secret is deleted (§4.1, §7.1). */
export const vaultDeleteSuccessMutants: readonly Mutant[] = [
  ...makeMutants('vault-delete.204.deleted', {
    'vault-delete.origin-403': everyday.subtle(
      'A delete that carries an Origin header answers 403',
      refuseDelete(403, ({ headers }) => headers.origin !== undefined),
    ),
    'vault-delete.empty-value-not-found': subtle('A secret whose value is empty is not found', {
      findSecret: (call) => {
        const place = conforming.findSecret(call);
        return place && call.key?.world.secrets[place.scope].get(place.name) === '' ? undefined : place;
      },
    }),
  }),
  ...makeMutants('vault-delete.400.query', {
    'vault-delete.204-as-200-with-query': everyday.subtle(
      'A delete with a query string is done and answers 200',
      editAnswer({ operation: 'vault-delete', status: 204, when: withQuery }, () => ok({ data: null })),
      ['vault-delete.status-documented'],
    ),
  }),
  ...makeMutants(['vault-delete.400.query', 'vault-delete.status-documented'], {
    'vault-delete.query-422': subtle(
      'A delete with a query string answers 422',
      refuseDelete(422, withQuery),
    ),
  }),
  ...makeMutants('vault-delete.204.no-body', {
    'vault-delete.204-with-content-length': everyday.plain(
      'The 204 has a JSON body and a Content-Length',
      send204({ 'Content-Type': 'application/json' }, '{"data":null}'),
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
          const place = { scope: 'sibling', name: nameOf(call) } as const;
          const isLast = call.server.memory.get('last at the sibling') === addressOf(call, place);
          return namedIntern(call) === 'sibling' && isLast ? place : undefined;
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
    'vault-delete.stored-twice-again-not-found': everyday.subtle(
      'A name that was deleted twice is not found again, though it is stored anew',
      {
        findSecret: (call) => {
          const place = conforming.findSecret(call);
          const times = place && call.server.memory.get(`deletes of ${addressOf(call, place)}`);
          return typeof times === 'number' && times >= 2 ? undefined : place;
        },
        removeSecret: (call, place) => {
          countUp(call, `deletes of ${addressOf(call, place)}`);
          conforming.removeSecret(call, place);
        },
      },
    ),
  }),
];

/** The 204 of a delete goes out with these headers and this text, which Node itself would leave out. */
function send204(headers: Readonly<Record<string, string>>, body: string): Mutation {
  return {
    transmit: (response, answer, call) =>
      call.operation === 'vault-delete' && answer.status === 204
        ? transmitRaw(response, { status: 204, headers, body })
        : conforming.transmit(response, answer, call),
  };
}

function addressOf({ key }: Call, { scope, name }: SecretPlace): string {
  return `${key?.world.id} ${scope} ${name}`;
}

/** What an intern had when its delete was done is there again 10 ms later, whatever others deleted meanwhile. */
async function writeBack({ key, parameters }: Call): Promise<void> {
  const scope = key && conforming.findIntern(key.world, parameters.internId ?? '');
  const secrets = scope && key?.world.secrets[scope];
  const read = [...(secrets ?? [])];
  await wait(10);
  for (const [name, value] of read) if (secrets?.has(name) === false) secrets.set(name, value);
}
