import { setTimeout as wait } from 'node:timers/promises';
import type { Call, SecretPlace } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { type Mutant, makeMutants } from '../mutant.js';
import { counted, type Override } from '../mutation.js';
import { elseFinds, keeps, longName, withBody, withQuery } from './vault-delete-builders.js';

/** Mutants of the vault delete that answer 204 and do not delete, or not for good (§4.1). */
export const vaultDeleteTooLittleMutants: readonly Mutant[] = [
  ...makeMutants('4.1', ['vault-delete.204.takes-effect'], {
    'vault-delete.keeps': { plain: 'A delete answers 204 and the secret stays', override: keeps(() => true) },
    'vault-delete.keeps-at-the-sibling': {
      subtle: "The sibling's secrets stay",
      override: keeps((_call, { scope }) => scope === 'sibling'),
    },
    'vault-delete.keeps-long-names': {
      subtle: 'Secrets whose names have over 64 characters stay',
      override: keeps(longName),
    },
    'vault-delete.keeps-longest-names': {
      subtle: 'Secrets whose names have 255 characters stay',
      override: keeps((_call, { name }) => name.length === 255),
    },
    'vault-delete.keeps-names-with-digits': {
      subtle: 'Secrets whose names have a digit stay',
      override: keeps((_call, { name }) => /\d/.test(name)),
    },
    'vault-delete.keeps-names-with-underscores': {
      subtle: 'Secrets whose names have an underscore stay',
      override: keeps((_call, { name }) => name.includes('_')),
    },
    'vault-delete.keeps-with-a-query': {
      subtle: 'A delete with a query string answers 204 and the secret stays',
      override: keeps(withQuery),
    },
    'vault-delete.keeps-with-a-body': {
      subtle: 'A delete with a body answers 204 and the secret stays',
      override: keeps(withBody),
    },
    'vault-delete.keeps-what-the-sibling-has-too': {
      subtle: 'A secret stays where the sibling has one of the same name',
      override: keeps(
        ({ key }, { scope, name }) => scope === 'own' && key?.world.secrets.sibling.has(name) === true,
      ),
    },
    'vault-delete.deletes-10-ms-late': {
      subtle: 'The secret goes 10 ms after the 204',
      override: deletesLate(10),
    },
    'vault-delete.deletes-200-ms-late': {
      plain: 'The secret goes 200 ms after the 204',
      override: deletesLate(200),
    },
    'vault-delete.only-the-second-deletes': {
      plain: 'The first delete marks the secret and only the second one takes it; both answer 204',
      override: keeps((call, place) => counted(call, `delete ${addressOf(call, place)}`) % 2 === 1),
    },
    'vault-delete.second-of-a-workspace-lost': {
      subtle: 'The second delete in a workspace answers 204 and the secret stays',
      override: keeps((call) => counted(call, `deletes in ${call.key?.world.id}`) === 2),
    },
  }),
  ...makeMutants('4.1', ['vault-delete.204.parallel'], {
    'vault-delete.lost-among-others': {
      everydaySubtle:
        'Of deletes at the same time at one intern some are undone, for each writes all secrets back',
      override: {
        transmit: async (response, answer, call) => {
          if (call.operation === 'vault-delete' && answer.status === 204) await writesBack(call);
          await conforming.transmit(response, answer, call);
        },
      },
    },
  }),
  ...makeMutants('4.1', ['vault-delete.204.takes-effect'], {
    'vault-delete.next-delete-brings-back': {
      subtle: 'A delete of one secret brings back the one that was deleted before it at that intern',
      override: {
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
    },
    'vault-delete.comes-back-after-20-ms': {
      subtle: 'The secret is back 20 ms after it was deleted, from a copy that lags behind',
      override: {
        removeSecret: (call, place) => {
          const value = call.key?.world.secrets[place.scope].get(place.name) ?? '';
          conforming.removeSecret(call, place);
          setTimeout(() => call.key?.world.secrets[place.scope].set(place.name, value), 20).unref();
        },
      },
    },
  }),
  ...makeMutants('4.1', ['vault-delete.204.stored-again'], {
    'vault-delete.stored-again-not-found': {
      plain: 'A name that was deleted once is not found again, though it is stored anew',
      override: forgetsAfter(1),
    },
    'vault-delete.stored-twice-again-not-found': {
      everydaySubtle: 'A name that was deleted twice is not found again, though it is stored anew',
      override: forgetsAfter(2),
    },
    'vault-delete.stored-again-undeletable': {
      subtle: 'A secret that was stored again after its delete answers 204 and stays',
      override: keeps((call, place) => counted(call, `delete ${addressOf(call, place)}`) > 1),
    },
  }),
  ...makeMutants('4.1', ['vault-delete.204.takes-effect'], {
    'vault-delete.found-once-more': {
      everydaySubtle: 'The last secret that was deleted at the sibling is found once more',
      override: {
        ...elseFinds((call) => {
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
    },
  }),
];

function addressOf({ key }: Call, { scope, name }: SecretPlace): string {
  return `${key?.world.id} ${scope} ${name}`;
}

function deletesLate(ms: number): Override {
  return {
    removeSecret: (call, place) => {
      setTimeout(() => conforming.removeSecret(call, place), ms).unref();
    },
  };
}

/** A name that was deleted so often is not found any more. */
function forgetsAfter(times: number): Override {
  const word = (call: Call, place: SecretPlace) => `forgets ${addressOf(call, place)}`;
  return {
    findSecret: (call) => {
      const place = conforming.findSecret(call);
      const before = place && call.server.memory.get(word(call, place));
      return typeof before === 'number' && before >= times ? undefined : place;
    },
    removeSecret: (call, place) => {
      counted(call, word(call, place));
      conforming.removeSecret(call, place);
    },
  };
}

/** What an intern had when its delete was done is there again 10 ms later, whatever others deleted meanwhile. */
async function writesBack({ key, parameters }: Call): Promise<void> {
  const scope = key && conforming.findIntern(key.world, parameters.internId ?? '');
  const secrets = scope && key?.world.secrets[scope];
  const read = [...(secrets ?? [])];
  await wait(10);
  for (const [name, value] of read) if (secrets?.has(name) === false) secrets.set(name, value);
}
