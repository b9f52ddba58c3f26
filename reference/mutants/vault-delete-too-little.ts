import { setTimeout as wait } from 'node:timers/promises';
import { conforming } from '../behaviour.js';
import type { Call } from '../call.js';
import type { Mutant, Override } from '../mutant.js';
import { counted } from '../override.js';
import type { SecretPlace } from '../visibility.js';
import { elseFinds, keeps, longName, withBody, withQuery } from './vault-delete-builders.js';

/** Mutants of the vault delete that answer 204 and do not delete, or not for good (§4.1). */
export const vaultDeleteTooLittleMutants: readonly Mutant[] = [
  {
    id: 'vault-delete.keeps',
    section: '4.1',
    turnsRed: ['vault-delete.204.takes-effect'],
    description: 'A delete answers 204 and the secret stays',
    hardness: 'plain',
    override: keeps(() => true),
  },
  {
    id: 'vault-delete.keeps-at-the-sibling',
    section: '4.1',
    turnsRed: ['vault-delete.204.takes-effect'],
    description: "The sibling's secrets stay",
    hardness: 'subtle',
    override: keeps((_call, { scope }) => scope === 'sibling'),
  },
  {
    id: 'vault-delete.keeps-long-names',
    section: '4.1',
    turnsRed: ['vault-delete.204.takes-effect'],
    description: 'Secrets whose names have over 64 characters stay',
    hardness: 'subtle',
    override: keeps(longName),
  },
  {
    id: 'vault-delete.keeps-longest-names',
    section: '4.1',
    turnsRed: ['vault-delete.204.takes-effect'],
    description: 'Secrets whose names have 255 characters stay',
    hardness: 'subtle',
    override: keeps((_call, { name }) => name.length === 255),
  },
  {
    id: 'vault-delete.keeps-names-with-digits',
    section: '4.1',
    turnsRed: ['vault-delete.204.takes-effect'],
    description: 'Secrets whose names have a digit stay',
    hardness: 'subtle',
    override: keeps((_call, { name }) => /\d/.test(name)),
  },
  {
    id: 'vault-delete.keeps-names-with-underscores',
    section: '4.1',
    turnsRed: ['vault-delete.204.takes-effect'],
    description: 'Secrets whose names have an underscore stay',
    hardness: 'subtle',
    override: keeps((_call, { name }) => name.includes('_')),
  },
  {
    id: 'vault-delete.keeps-with-a-query',
    section: '4.1',
    turnsRed: ['vault-delete.204.takes-effect'],
    description: 'A delete with a query string answers 204 and the secret stays',
    hardness: 'subtle',
    override: keeps(withQuery),
  },
  {
    id: 'vault-delete.keeps-with-a-body',
    section: '4.1',
    turnsRed: ['vault-delete.204.takes-effect'],
    description: 'A delete with a body answers 204 and the secret stays',
    hardness: 'subtle',
    override: keeps(withBody),
  },
  {
    id: 'vault-delete.keeps-what-the-sibling-has-too',
    section: '4.1',
    turnsRed: ['vault-delete.204.takes-effect'],
    description: 'A secret stays where the sibling has one of the same name',
    hardness: 'subtle',
    override: keeps(
      ({ key }, { scope, name }) => scope === 'own' && key?.world.secrets.sibling.has(name) === true,
    ),
  },
  {
    id: 'vault-delete.deletes-10-ms-late',
    section: '4.1',
    turnsRed: ['vault-delete.204.takes-effect'],
    description: 'The secret goes 10 ms after the 204',
    hardness: 'subtle',
    override: deletesLate(10),
  },
  {
    id: 'vault-delete.deletes-200-ms-late',
    section: '4.1',
    turnsRed: ['vault-delete.204.takes-effect'],
    description: 'The secret goes 200 ms after the 204',
    hardness: 'plain',
    override: deletesLate(200),
  },
  {
    id: 'vault-delete.only-the-second-deletes',
    section: '4.1',
    turnsRed: ['vault-delete.204.takes-effect'],
    description: 'The first delete marks the secret and only the second one takes it; both answer 204',
    hardness: 'plain',
    override: keeps((call, place) => counted(call, `delete ${addressOf(call, place)}`) % 2 === 1),
  },
  {
    id: 'vault-delete.second-of-a-workspace-lost',
    section: '4.1',
    turnsRed: ['vault-delete.204.takes-effect'],
    description: 'The second delete in a workspace answers 204 and the secret stays',
    hardness: 'subtle',
    override: keeps((call) => counted(call, `deletes in ${call.key?.world.id}`) === 2),
  },
  {
    id: 'vault-delete.lost-among-others',
    section: '4.1',
    turnsRed: ['vault-delete.204.parallel'],
    description:
      'Of deletes at the same time at one intern some are undone, for each writes all secrets back',
    hardness: 'subtle',
    override: {
      transmit: async (response, answer, call) => {
        if (call.operation === 'vault-delete' && answer.status === 204) await writesBack(call);
        await conforming.transmit(response, answer, call);
      },
    },
  },
  {
    id: 'vault-delete.next-delete-brings-back',
    section: '4.1',
    turnsRed: ['vault-delete.204.takes-effect'],
    description: 'A delete of one secret brings back the one that was deleted before it at that intern',
    hardness: 'subtle',
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
  {
    id: 'vault-delete.comes-back-after-20-ms',
    section: '4.1',
    turnsRed: ['vault-delete.204.takes-effect'],
    description: 'The secret is back 20 ms after it was deleted, from a copy that lags behind',
    hardness: 'subtle',
    override: {
      removeSecret: (call, place) => {
        const value = call.key?.world.secrets[place.scope].get(place.name) ?? '';
        conforming.removeSecret(call, place);
        setTimeout(() => call.key?.world.secrets[place.scope].set(place.name, value), 20).unref();
      },
    },
  },
  {
    id: 'vault-delete.stored-again-not-found',
    section: '4.1',
    turnsRed: ['vault-delete.204.stored-again'],
    description: 'A name that was deleted once is not found again, though it is stored anew',
    hardness: 'plain',
    override: forgetsAfter(1),
  },
  {
    id: 'vault-delete.stored-twice-again-not-found',
    section: '4.1',
    turnsRed: ['vault-delete.204.stored-again'],
    description: 'A name that was deleted twice is not found again, though it is stored anew',
    hardness: 'subtle',
    override: forgetsAfter(2),
  },
  {
    id: 'vault-delete.stored-again-undeletable',
    section: '4.1',
    turnsRed: ['vault-delete.204.stored-again'],
    description: 'A secret that was stored again after its delete answers 204 and stays',
    hardness: 'subtle',
    override: keeps((call, place) => counted(call, `delete ${addressOf(call, place)}`) > 1),
  },
  {
    id: 'vault-delete.found-once-more',
    section: '4.1',
    turnsRed: ['vault-delete.204.takes-effect'],
    description: 'The last secret that was deleted at the sibling is found once more',
    hardness: 'subtle',
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
