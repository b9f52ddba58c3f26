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
import { type OddId, offeredWords } from '../../generators/inputs.js';
import { oracle, rowsOf } from '../../generators/oracle.js';
import {
  type GuardrailSituation,
  type InferenceSituation,
  isSpelled,
  type KeySituation,
  mayBeRoutedElsewhere,
  type Situation,
  type VaultSituation,
  type Vocabulary,
} from '../../generators/situation.js';
import type { CheckContext } from '../../judge/api.js';
import type { GeneratedCheck } from '../../judge/check.js';
import { type ArrayCases, wholeArray } from '../../judge/generated-cases.js';
import { type Property, property } from '../../judge/property-check.js';
import { keepsRows } from '../../judge/world-audit.js';
import type { Pool } from '../../judge/world-pool.js';
import type { Need } from '../../spec/need.js';
import { callOf, dueOf, inOtherCase } from '../requests.js';
import { judgeVault } from './vault.js';

/** Sends a request and holds its answer against the oracle; what may be routed elsewhere may be answered anything. */
async function judgeAnswer(situation: Situation, context: CheckContext): Promise<void> {
  const { world } = context;
  if ('fault' in situation && situation.fault !== undefined) await world.setFaults(situation.fault);
  const call = callOf(situation, context, { id: await guardrailElsewhere(situation, context) });
  if (mayBeRoutedElsewhere(situation)) await call.send(dueOf(situation));
  else await call.expectOneOf({ ...oracle(situation), subject: statusOf(situation) });
}

/** The guardrail of another world, where the situation names one. */
async function guardrailElsewhere(
  situation: Situation,
  { openWorld }: CheckContext,
): Promise<OddId | undefined> {
  if (situation.operation !== 'guardrail-read' || !situation.id.startsWith('elsewhere')) return undefined;
  const id = (await openWorld()).world.guardrailId();
  const label = "another workspace's guardrail";
  return isSpelled(situation.id)
    ? { class: 'unknown', label: `${label}, its id in the other case`, of: () => inOtherCase(id) }
    : { class: 'unknown', label, of: () => id };
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
type Combined<S> = ReturnType<ArrayCases<S>['array']>;

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
  // The array that was made last: others judge a target that offers the same with the same seed.
  let last: { readonly words: Vocabulary; readonly seed: number; readonly made: Combined<S> } | undefined;
  const arrayOf = (words: Vocabulary, seed: number): Combined<S> => {
    if (last?.words !== words || last.seed !== seed)
      last = { words, seed, made: combined(spaceOf(words, seed), strength, seed) };
    return last.made;
  };
  return property<S>({
    ...definition,
    count: { quick: 0, standard: strength === 2 ? wholeArray : 0, deep: wholeArray },
    cases: (offers): ArrayCases<S> => {
      const words = offeredWords(offers);
      return {
        strength,
        array: (seed) => arrayOf(words, seed),
        isInEveryRun: (value) => isSteady(spaceOf(words, 0), value),
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

/** The pairs of an operation that changes nothing. */
function pairs<S extends Exclude<Situation, VaultSituation>>(
  name: string,
  spaceOf: SpaceOf<S>,
  what: string,
  needs: readonly Need[],
): GeneratedCheck {
  const { operation } = spaceOf(
    offeredWords(() => true),
    0,
  ).plain;
  return combinations<S>(spaceOf, 2, {
    name,
    title: `${what} gets what the document allows, whatever two things are wrong with it.`,
    decides: rowsOf(operation),
    needs,
    control: operation,
    vaultRequests: 0,
    run: judgeAnswer,
  });
}

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
  pairs<GuardrailSituation>('guardrail-pairs', guardrailSpace, 'A guardrail read', [
    'guardrail',
    'role:management',
  ]),
  pairs<KeySituation>('key-pairs', keySpace, 'A key read', ['role:member']),
  ...(['free', 'paid'] as const).map((kind) =>
    pairs<InferenceSituation>(
      kind === 'free' ? 'inference-pairs' : 'inference-pairs-paid',
      (words) => inferenceSpace(words, kind),
      `An inference request to a ${kind} model`,
      [`inference:${kind}`, 'role:member'],
    ),
  ),
];
