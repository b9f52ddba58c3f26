import { oracle } from '../../generators/oracle.js';
import { validName } from '../../generators/secret-name.js';
import { type Extras, type HostWord, plainVault } from '../../generators/situation.js';
import { type Check, check } from '../../judge/check.js';
import { optionsOf } from '../generated/requests.js';

// §4.1, §7.1: deletes with nothing wrong, each of a secret of its own, beside what may be ignored or refused.

interface Delete extends Extras {
  readonly intern: 'own' | 'sibling';
  readonly host?: HostWord;
}

const deletes: readonly Delete[] = [
  { intern: 'sibling' },
  { intern: 'own', headers: { Origin: 'https://elsewhere.test' } },
  { intern: 'own', host: 'global-spelled' },
  { intern: 'own', query: '?x=1' },
  { intern: 'own', body: '{}' },
  { intern: 'own', body: '{"name":' },
  { intern: 'own' },
];

/** The successes of §4.1. */
export const vaultSuccessBatches: readonly Check[] = [
  check(
    'vault-delete.204.takes-effect/chain',
    {
      control: 'vault-delete',
      also: [
        'vault-delete.204.deleted',
        'vault-delete.400.query',
        'vault-delete.400.body',
        'vault-delete.400.keeps',
        'auth.host-spelling',
      ],
      // That a delete is possible at all is its own positive control, and left to a check of its own.
      shows: (offers) => [
        'vault-delete.204.takes-effect',
        'vault-delete.400.query',
        'vault-delete.400.body',
        ...(offers('host-name') ? (['auth.host-spelling'] as const) : []),
      ],
      vaultRequests: 2 * deletes.length,
    },
    async ({ world, api, offers }) => {
      for (const { intern, ...extras } of deletes) {
        if (extras.host !== undefined && !offers('host-name')) continue;
        if (intern === 'sibling' && !(offers('intern:sibling') && offers('scope:sibling'))) continue;
        const name = await world.store(intern);
        const situation = { ...plainVault(validName('name'), intern), ...extras };
        const { answer } = await api
          .deleteSecret({ ...optionsOf(situation, 'member', world, api), intern, name })
          .answersAs({ ...oracle(situation), goesOn: true });
        if (answer.status === 400) await api.stillStored({ intern, name }, 'vault-delete.400.keeps');
        if (answer.status !== 204) continue;
        await api.deleteSecret({ intern, name }).answers(404, {
          requirement: 'vault-delete.204.takes-effect',
          because: 'it was deleted before',
          goesOn: true,
        });
      }
    },
  ),
];
