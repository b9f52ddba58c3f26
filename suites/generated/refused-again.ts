import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { offeredWords } from '../../generators/inputs.js';
import { oracle, rowsOf } from '../../generators/oracle.js';
import { validName } from '../../generators/secret-name.js';
import { plainGuardrail, plainKey, plainVault, type Situation } from '../../generators/situation.js';
import type { GeneratedCheck } from '../../judge/check.js';
import { property } from '../../judge/property.js';
import { callOf } from '../requests.js';

// §5: a cache of who may call must neither forget a refusal nor begin to serve.

const vaultCallers = [
  'unknown-same-shape',
  'disabled',
  'provisioning',
  'unscoped',
  'outsider',
  'write_disabled',
] as const;
const keyReaders = ['unknown-same-shape', 'disabled'] as const;
const guardrailReaders = ['unknown-same-shape', 'member'] as const;

const secondMs = 1_000;
/** Milliseconds before each round of the same requests. */
const pausesMs: readonly number[] = [0, secondMs, 2 * secondMs, 5 * secondMs];

/** Refusals over time. */
export const repeatedProperties: readonly GeneratedCheck[] = [
  property<readonly number[]>({
    name: 'refused-again',
    title: 'What is refused is refused again after 1, 2 and 5 seconds, and deletes nothing.',
    decides: [
      'vault-delete.401.keeps',
      ...new Set([...rowsOf('vault-delete'), ...rowsOf('key-info'), ...rowsOf('guardrail-read')]),
    ],
    needs: ['store', 'role:member'],
    control: 'vault-delete',
    count: { quick: 0, standard: 0, deep: 1 },
    vaultRequests: vaultCallers.length * pausesMs.length + 1,
    cases: () => ({ walk: [], arbitrary: fc.constant(pausesMs), classes: [] }),
    classOf: () => 'refusals',
    run: async (pauses, { world, api, offers, signal }) => {
      const { credentials } = offeredWords(offers);
      const known = <Word extends (typeof credentials)[number]>(words: readonly Word[]) =>
        words.filter((word) => credentials.includes(word));
      const name = await world.store('own');
      const refused = async (situation: Situation) => {
        await callOf(situation, { world, api }).answersAs(oracle(situation));
      };
      for (const pauseMs of pauses) {
        await sleep(pauseMs, undefined, { signal });
        for (const as of known(vaultCallers)) await refused({ ...plainVault(validName(name)), as });
        for (const as of known(keyReaders)) await refused({ ...plainKey, as });
        if (offers('guardrail') && offers('role:management'))
          for (const as of known(guardrailReaders)) await refused({ ...plainGuardrail, as });
      }
      await api.stillStored({ name }, 'vault-delete.401.keeps');
    },
  }),
];
