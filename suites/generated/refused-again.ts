import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import type { CredentialWord } from '../../generators/credential.js';
import { listOfferedWords } from '../../generators/inputs.js';
import { consultOracle, listRequirements } from '../../generators/oracle.js';
import { makeValidName } from '../../generators/secret-name.js';
import { makePlainVault, plainGuardrail, plainKey, type Situation } from '../../generators/situation.js';
import type { GeneratedCheck } from '../../judge/check.js';
import { property } from '../../judge/property-check.js';
import { makeCall } from '../requests.js';

// §5: a cache of who may call must neither forget a refusal nor begin to serve.

const secondMs = 1_000;
/** Milliseconds before each round of the same requests. */
const pausesMs: readonly number[] = [0, secondMs, 2 * secondMs, 5 * secondMs];

interface Caller {
  readonly operation: 'vault-delete' | 'guardrail-read' | 'key-info';
  readonly words: readonly CredentialWord[];
  /** The request of a caller of whom nothing is known. */
  readonly plainOf: (name: string) => Situation;
}

/** What is sent again and again by callers who are refused; a stored secret must outlast it. */
function refusedAgain({ operation, words, plainOf }: Caller): GeneratedCheck {
  const storesSecret = operation === 'vault-delete';
  return property<readonly number[]>({
    name: `refused-again-${operation}`,
    title: 'What is refused is refused again after 1, 2 and 5 seconds.',
    decides: [...listRequirements(operation), ...(storesSecret ? (['vault-delete.401.keeps'] as const) : [])],
    needs: storesSecret ? ['store', 'role:member'] : [],
    control: operation,
    count: { quick: 0, standard: 0, deep: 1 },
    vaultRequests: storesSecret ? words.length * pausesMs.length + 1 : 0,
    cases: () => ({ walk: [], arbitrary: fc.constant(pausesMs), classes: [] }),
    classOf: () => 'refusals',
    run: async (pauses, { world, api, offers, signal }) => {
      const { credentials } = listOfferedWords(offers);
      const name = storesSecret ? await world.store('own') : 'name';
      for (const pauseMs of pauses) {
        await sleep(pauseMs, undefined, { signal });
        for (const as of words.filter((word) => credentials.includes(word))) {
          const situation = { ...plainOf(name), as };
          await makeCall(situation, { world, api }).expectOneOf(consultOracle(situation));
        }
      }
      if (storesSecret) await api.stillStored({ name }, 'vault-delete.401.keeps');
    },
  });
}

/** Refusals over time. */
export const repeatedProperties: readonly GeneratedCheck[] = [
  refusedAgain({
    operation: 'vault-delete',
    words: ['unknown-same-shape', 'disabled', 'provisioning', 'unscoped', 'outsider', 'write_disabled'],
    plainOf: (name) => makePlainVault(makeValidName(name)),
  }),
  refusedAgain({
    operation: 'guardrail-read',
    words: ['unknown-same-shape', 'member'],
    plainOf: () => plainGuardrail,
  }),
  refusedAgain({
    operation: 'key-info',
    words: ['unknown-same-shape', 'disabled'],
    plainOf: () => plainKey,
  }),
];
