import {
  combined,
  deviationsOf,
  guardrailSpace,
  inferenceSpace,
  isSteady,
  keySpace,
  type Space,
  simplerThan,
  vaultSpace,
} from '../../generators/combinations.js';
import { oracle, rowsOf } from '../../generators/oracle.js';
import {
  type GuardrailSituation,
  type InferenceSituation,
  type KeySituation,
  mayBeRoutedElsewhere,
  type Situation,
  type VaultSituation,
  type Vocabulary,
} from '../../generators/situation.js';
import type { CheckContext, RawPart } from '../../judge/api.js';
import type { Call } from '../../judge/call.js';
import { type ArrayCases, wholeArray } from '../../judge/case-source.js';
import type { GeneratedCheck } from '../../judge/check.js';
import { type Property, property } from '../../judge/property.js';
import { keepsRows } from '../../judge/world-difference.js';
import type { Pool } from '../../judge/world-pool.js';
import { dueOf, inOtherCase, optionsOf, unknownId } from './requests.js';
import { judgeVault } from './vault.js';
import { offeredWords } from './words.js';

async function idOf(
  situation: GuardrailSituation,
  { world, openWorld }: CheckContext,
): Promise<{ readonly id?: RawPart }> {
  const { id: word } = situation;
  const part = (label: string, raw: string) => ({ id: { label, raw } });
  switch (word) {
    case 'own':
      return {};
    case 'own-spelled':
      return part('own guardrail, its id in the other case', inOtherCase(world.guardrailId()));
    case 'unknown':
      return { id: unknownId('an unknown guardrail', situation) };
    case 'malformed':
      return part('a malformed id', world.guardrailId().slice(0, -1));
    default: {
      const id = (await openWorld()).world.guardrailId();
      return word === 'elsewhere'
        ? part("another workspace's guardrail", id)
        : part("another workspace's guardrail, its id in the other case", inOtherCase(id));
    }
  }
}

/** Sends a request and holds its answer against the oracle; what may be routed elsewhere may be answered anything. */
async function judgeAnswer(call: Call, situation: Situation): Promise<void> {
  if (mayBeRoutedElsewhere(situation)) await call.send(dueOf(situation));
  else await call.answersAs({ ...oracle(situation), subject: statusOf(situation) });
}

/** What a wrong status is about, until the case has shrunk and shows which requirement is to blame. */
function statusOf({ operation }: Situation): string {
  return `the status of ${operation}`;
}

/** Cases that each set a fault share worlds, so that none has to clear it. */
function poolOf(situation: Situation): Pool | undefined {
  if ('fault' in situation) return 'faulty';
  return mayBeRoutedElsewhere(situation) ? 'spoiled' : undefined;
}

type SpaceOf<S> = (words: Vocabulary, seed: number) => Space<S>;

/** A property over the rows of a covering array. */
function combinations<S extends Situation>(
  spaceOf: SpaceOf<S>,
  strength: 2 | 3,
  definition: Omit<Property<S>, 'count' | 'cases' | 'classOf' | 'pool'>,
): GeneratedCheck {
  const everything = spaceOf(
    offeredWords(() => true),
    0,
  );
  return property<S>({
    ...definition,
    count: { quick: 0, standard: strength === 2 ? wholeArray : 0, deep: wholeArray },
    cases: (offers): ArrayCases<S> => {
      const words = offeredWords(offers);
      const space = spaceOf(words, 0);
      let known: { readonly seed: number; readonly made: ReturnType<ArrayCases<S>['array']> } | undefined;
      return {
        strength,
        array: (seed) => {
          if (known?.seed !== seed) known = { seed, made: combined(spaceOf(words, seed), strength, seed) };
          return known.made;
        },
        isSteady: (value) => isSteady(space, value),
        simpler: (value, seed) => simplerThan(spaceOf(words, seed), value),
      };
    },
    classOf: (situation) => deviationsOf(everything, situation).join('+') || 'plain',
    pool: poolOf,
  });
}

const vault = {
  decides: [
    ...rowsOf('vault-delete'),
    ...keepsRows,
    'vault-delete.204.takes-effect',
    'vault-delete.204.only-this-intern',
    'vault-delete.safe-methods',
  ],
  needs: ['store', 'role:member'],
  control: 'vault-delete',
  vaultRequests: 3,
  requestsAbout: 2,
  run: (situation, context) => judgeVault(situation, context, statusOf(situation)),
} as const satisfies Partial<Property<VaultSituation>>;

/** §4 to §8 for combinations of key, hostname, scope, name, fault and what comes along that nobody listed. */
export const situationProperties: readonly GeneratedCheck[] = [
  combinations<VaultSituation>(vaultSpace, 2, {
    ...vault,
    name: 'vault-pairs',
    title: 'A vault delete with up to two things wrong gets the status of one of them, and deletes nothing.',
  }),
  combinations<VaultSituation>(vaultSpace, 3, {
    ...vault,
    name: 'vault-triples',
    title:
      'A vault delete with up to three things wrong gets the status of one of them, and deletes nothing.',
  }),
  combinations<GuardrailSituation>(guardrailSpace, 2, {
    name: 'guardrail-pairs',
    title: 'A guardrail read gets what the document allows, whatever two things are wrong with it.',
    decides: rowsOf('guardrail-read'),
    needs: ['guardrail', 'role:management'],
    control: 'guardrail-read',
    vaultRequests: 0,
    run: async (situation, context) => {
      const { world, api } = context;
      if (situation.fault !== undefined) await world.setFaults(situation.fault);
      const options = {
        ...optionsOf(situation, 'management', world, api),
        ...(await idOf(situation, context)),
      };
      await judgeAnswer(api.readGuardrail(options), situation);
    },
  }),
  combinations<KeySituation>(keySpace, 2, {
    name: 'key-pairs',
    title: 'A key read gets what the document allows, whatever two things are wrong with it.',
    decides: rowsOf('key-info'),
    needs: ['role:member'],
    control: 'key-info',
    vaultRequests: 0,
    run: async (situation, { world, api }) => {
      await judgeAnswer(api.readKey(optionsOf(situation, 'member', world, api)), situation);
    },
  }),
  ...(['free', 'paid'] as const).map((kind) =>
    combinations<InferenceSituation>((words) => inferenceSpace(words, kind), 2, {
      name: kind === 'free' ? 'inference-pairs' : 'inference-pairs-paid',
      title: `An inference request to a ${kind} model gets what the document allows, whatever two things are wrong with it.`,
      decides: rowsOf('inference'),
      needs: [`inference:${kind}`, 'role:member'],
      control: 'inference',
      vaultRequests: 0,
      run: async (situation, { world, api }) => {
        if (situation.fault !== undefined) await world.setFaults(situation.fault);
        const { model, stream } = situation;
        const options = optionsOf(situation, 'member', world, api);
        await judgeAnswer(api.infer({ ...options, model, stream }), situation);
      },
    }),
  ),
];
