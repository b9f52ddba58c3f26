import {
  combine,
  isInEveryRun,
  listDeviations,
  makeGuardrailSpace,
  makeInferenceSpace,
  makeKeySpace,
  makeVaultSpace,
  type Space,
  simplify,
} from '../../generators/combinations.js';
import { isRole } from '../../generators/credential.js';
import {
  type DerivedId,
  isElsewhere,
  isInOtherCase,
  makeElsewhereId,
  resolveIntern,
} from '../../generators/ids.js';
import { listOfferedWords } from '../../generators/inputs.js';
import { consultOracle, listRequirements, predictFate } from '../../generators/oracle.js';
import { addRunPrefix } from '../../generators/secret-name.js';
import {
  mayBeRoutedElsewhere,
  type Situation,
  type VaultSituation,
  type Vocabulary,
} from '../../generators/situation.js';
import type { CheckContext } from '../../judge/api.js';
import type { GeneratedCheck } from '../../judge/check.js';
import { type ArrayCases, type Property, wholeArray } from '../../judge/generated-cases.js';
import { property } from '../../judge/property-check.js';
import { findKeepsRow, keepsRows } from '../../judge/world-audit.js';
import type { Need } from '../../spec/need.js';
import type { Scope } from '../../spec/vocabulary.js';
import type { Exchange } from '../../targets/exchange.js';
import type { World } from '../../targets/world.js';
import { expectGone, makeCall, makePathName } from '../requests.js';

// §4 to §8 for generated combinations of key, hostname, scope, name, fault and extras.

/** Sends a request and compares its answer with the oracle, unless the request may be routed elsewhere. */
async function judgeAnswer(situation: Situation, context: CheckContext, id?: DerivedId): Promise<Exchange> {
  const fault = 'fault' in situation ? situation.fault : undefined;
  if (fault !== undefined) await context.world.setFaults(fault);
  const call = makeCall(situation, context, { id });
  if (!mayBeRoutedElsewhere(situation))
    // Shrinking may find that another requirement is violated, so findings are grouped by operation until then.
    return call.expectOneOf({ ...consultOracle(situation), subject: `the status of ${situation.operation}` });
  // A fault or a role can ask for a 429 or 503.
  return call.send(fault !== undefined || situation.as === 'write_disabled' ? 'any' : undefined);
}

/** Judges a read, of another world's guardrail if the situation says so. */
async function judgeRead(situation: Situation, context: CheckContext): Promise<void> {
  const id = situation.operation === 'guardrail-read' && isElsewhere(situation.id) ? situation.id : undefined;
  const other = id && (await openElsewhere(situation, context));
  const foreign = other && makeElsewhereId('guardrail', other.guardrailId(), isInOtherCase(id));
  await judgeAnswer(situation, context, foreign);
}

/** Opens a world that the caller's key does not select. */
async function openElsewhere({ as }: Situation, { world, openWorld }: CheckContext): Promise<World> {
  const other = await openWorld();
  if (isRole(as)) world.assertOwnKey(as);
  return other.world;
}

/** Arranges a situation of the vault delete, sends the request, and judges the answer and what became of the secret. */
async function judgeDelete(situation: VaultSituation, context: CheckContext): Promise<void> {
  const { world, api, offers } = context;
  const secret = await storeSecret(situation, context);
  const other = isElsewhere(situation.intern) ? await openElsewhere(situation, context) : undefined;
  await other?.store('own', chooseStoredName(situation, world));
  // If secrets can be listed, the list at the end of the world shows what became of them.
  const isListed = offers('inspect');
  if (isListed) await storeBystanders(context);
  const id = other && makeElsewhereId('intern', other.intern('own'), isInOtherCase(situation.intern));
  const { answer } = await judgeAnswer(situation, context, id);
  const mayBeElsewhere = mayBeRoutedElsewhere(situation);
  if (isListed || answer === undefined || (mayBeElsewhere && secret === undefined)) return;
  if (situation.fault !== undefined) await world.setFaults();
  const isKept = predictFate(situation, answer.status) === 'kept';
  const keeps = mayBeElsewhere ? 'vault-delete.safe-methods' : findKeepsRow(answer.status);
  if (!mayBeElsewhere && answer.status === 204) {
    const intern = resolveIntern(situation.intern) === 'sibling' ? 'sibling' : 'own';
    await expectGone(api, { intern, name: makePathName(situation, world) });
  } else if (secret !== undefined && isKept && keeps !== undefined)
    await api.expectStillStored(secret, keeps);
  else if (secret !== undefined && !mayBeElsewhere) await api.deleteSecret(secret).send();
}

/** Stores the secret of a situation; returns it if a delete of the vault can find it again. */
async function storeSecret({ intern, stored, name }: VaultSituation, { world, offers }: Stores) {
  const named = resolveIntern(intern);
  const scope = {
    there: named ?? 'own',
    'at-the-other-intern': named === 'sibling' ? 'own' : 'sibling',
    'at-the-workspace': 'workspace',
    'at-a-foreign-intern': 'foreign',
    nowhere: undefined,
  }[stored] as Scope | undefined;
  // Whether a foreign intern has it makes no difference.
  if (scope === undefined || (scope === 'foreign' && !offers('scope:foreign'))) return undefined;
  const text = chooseStoredName({ name }, world);
  await storeOnce(world, scope, text);
  return scope === 'own' || scope === 'sibling' ? { intern: scope, name: text } : undefined;
}

type Stores = Pick<CheckContext, 'world' | 'offers'>;
const bystander = 'bystander';

/** Chooses the name to store: that of the path, or the legal one that it resembles. */
function chooseStoredName({ name }: Pick<VaultSituation, 'name'>, { prefix }: World): string {
  return addRunPrefix(prefix, 'text' in name ? name.text : (name.looksLike ?? bystander));
}

/** Stores in every scope a secret that no request names; the listing of the world at its end shows whether it is there. */
export async function storeBystanders({ world, offers }: Stores, name = bystander): Promise<void> {
  for (const scope of ['own', 'sibling', 'workspace', 'foreign'] as const)
    if (offers(`scope:${scope}`)) await storeOnce(world, scope, name);
}

async function storeOnce(world: World, scope: Scope, name: string): Promise<void> {
  if (world.state?.isPresent(scope, name) !== true) await world.store(scope, name);
}

const everyWord = listOfferedWords(() => true);

type MakeSpace<S> = (words: Vocabulary, seed: number) => Space<S>;
type Rows<S> = ReturnType<ArrayCases<S>['rows']>;

/** Defines a property over the rows of a covering array. */
function checkCombinations<S extends Situation>(
  makeSpace: MakeSpace<S>,
  strength: 2 | 3,
  definition: Omit<Property<S>, 'count' | 'cases' | 'classOf' | 'pool'>,
): GeneratedCheck {
  // Made once it is needed: drawing its illegal names would slow down every start.
  let everything: Space<S> | undefined;
  // The rows that were made last: another target that offers the same is judged with the same seed.
  let last: { readonly of: string; readonly rows: Rows<S> } | undefined;
  return property<S>({
    ...definition,
    count: { quick: 0, standard: strength === 2 ? wholeArray : 0, deep: wholeArray },
    cases: (offers): ArrayCases<S> => {
      const words = listOfferedWords(offers);
      return {
        strength,
        rows: (seed) => {
          const of = JSON.stringify([words, seed]);
          if (last?.of !== of) last = { of, rows: combine(makeSpace(words, seed), strength, seed) };
          return last.rows;
        },
        isInEveryRun: (value) => isInEveryRun(makeSpace(words, 0), value),
        simpler: (value, seed) => simplify(makeSpace(words, seed), value),
      };
    },
    classOf: (situation) => {
      everything ??= makeSpace(everyWord, 0);
      return listDeviations(everything, situation).join('+') || 'plain';
    },
    // Cases that set a fault share worlds, so that none has to clear it.
    pool: (situation) =>
      'fault' in situation ? 'faulty' : mayBeRoutedElsewhere(situation) ? 'spoiled' : undefined,
  });
}

const checkDeletes = (name: string, strength: 2 | 3): GeneratedCheck =>
  checkCombinations(makeVaultSpace, strength, {
    name,
    title: `A vault delete with up to ${strength === 2 ? 'two' : 'three'} things wrong gets the status of one of them, and deletes nothing.`,
    decides: [
      ...listRequirements('vault-delete'),
      ...keepsRows,
      'vault-delete.204.takes-effect',
      'vault-delete.204.only-this-intern',
      'vault-delete.safe-methods',
    ],
    needs: ['store', 'role:member'],
    control: 'vault-delete',
    vaultRequests: 3,
    requestsPerCase: 2,
    run: judgeDelete,
  });

/** Defines the property over the pairs of an operation that changes nothing. */
function checkReads<S extends Exclude<Situation, VaultSituation>>(
  name: string,
  operation: S['operation'],
  makeSpace: MakeSpace<S>,
  what: string,
  needs: readonly Need[],
): GeneratedCheck {
  return checkCombinations<S>(makeSpace, 2, {
    name,
    title: `${what} gets what the document allows, whatever two things are wrong with it.`,
    decides: listRequirements(operation),
    needs,
    control: operation,
    vaultRequests: 0,
    run: judgeRead,
  });
}

/** The properties over combinations of inputs. */
export const situationProperties: readonly GeneratedCheck[] = [
  checkDeletes('vault-pairs', 2),
  checkDeletes('vault-triples', 3),
  checkReads('guardrail-pairs', 'guardrail-read', makeGuardrailSpace, 'A guardrail read', [
    'guardrail',
    'role:management',
  ]),
  checkReads('key-pairs', 'key-info', makeKeySpace, 'A key read', ['role:member']),
  ...(['free', 'paid'] as const).map((kind) =>
    checkReads(
      kind === 'free' ? 'inference-pairs' : 'inference-pairs-paid',
      'inference',
      (words) => makeInferenceSpace(words, kind),
      `An inference request to a ${kind} model`,
      [`inference:${kind}`, 'role:member'],
    ),
  ),
];
