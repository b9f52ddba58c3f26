import { createHash } from 'node:crypto';
import fc from 'fast-check';
import type { RequirementId } from '../spec/ledger.js';
import type { Need } from '../spec/need.js';
import type { Operation } from '../spec/vocabulary.js';
import type { CheckContext } from './api.js';
import { type Depth, goesBeyondOpening, type Plan, type ReplayedCase, type Shard, wholeRun } from './plan.js';
import type { Pool } from './world-pool.js';

/** Returns the seed of one block of a property's cases, so that any block can be drawn without those before it. */
export function blockSeed(seed: number, property: string, block: number): number {
  return createHash('sha256').update(`${seed}:${property}:${block}`).digest().readInt32BE();
}

/** A generated case and its place. */
export interface GeneratedCase<Case> {
  readonly value: Case;
  readonly place: ReplayedCase;
  /** The numbers of the combinations that a row of a covering array covers. */
  readonly covers?: readonly number[];
}

/** The cases of a property: drawn, or the rows of a covering array. */
export type Cases<Case> = DrawnCases<Case> | ArrayCases<Case>;

/** Cases in which every combination of some values occurs, the most informative first. */
export interface ArrayCases<Case> {
  readonly strength: 2 | 3;
  /** Makes the rows for a seed, which together cover every possible combination. */
  readonly rows: (seed: number) => readonly { readonly value: Case; readonly covers: readonly number[] }[];
  /** Whether every seed makes a case like this one. */
  readonly isInEveryRun: (value: Case) => boolean;
  /** Lists cases with one deviation less. */
  readonly simpler: (value: Case, seed: number) => readonly Case[];
}

interface DrawnCases<Case> {
  /** Cases that are all sent beyond the opening. */
  readonly walk: readonly Case[];
  readonly arbitrary: fc.Arbitrary<Case>;
}

// Large enough to cost little, small enough for memory.
const blockSize = 1_000;

/** Generates the cases of a property in order, or those of one shard. */
export function* generateCases<Case>(
  property: string,
  cases: Cases<Case>,
  plan: Plan,
  count: number,
  shard = wholeRun,
): Generator<GeneratedCase<Case>> {
  if (plan.replay !== undefined) {
    const value = findCase(cases, plan.seed, plan.replay);
    if (value !== undefined) yield { value, place: plan.replay };
    return;
  }
  const all =
    'rows' in cases ? generateRows(property, cases, plan, count) : drawCases(property, cases, plan, count);
  let at = 0;
  for (const placed of all) if (isInShard(at++, shard)) yield placed;
}

/** Whether the case with this index is in a shard: shards take turns, so that each has some of the most informative cases. */
function isInShard(at: number, { index, of }: Shard): boolean {
  return at % of === index - 1;
}

function* drawCases<Case>(
  property: string,
  cases: DrawnCases<Case>,
  plan: Plan,
  count: number,
): Generator<GeneratedCase<Case>> {
  if (goesBeyondOpening(plan.depth))
    for (const [at, value] of cases.walk.entries())
      yield { value, place: { property, block: 'walk', path: String(at) } };
  for (let block = 0; block * blockSize < count; block++) {
    const seed = blockSeed(plan.seed, property, block);
    const numRuns = Math.min(blockSize, count - block * blockSize);
    for (const [at, value] of fc.sample(cases.arbitrary, { seed, numRuns }).entries())
      yield { value, place: { property, block, path: String(at) } };
  }
}

function* generateRows<Case>(
  property: string,
  cases: ArrayCases<Case>,
  { seed }: Plan,
  count: number,
): Generator<GeneratedCase<Case>> {
  let sent = 0;
  for (let block = 0; sent < count; block++) {
    const rows = cases.rows(blockSeed(seed, property, block));
    if (rows.length === 0 || (block > 0 && count === wholeArray)) return;
    for (const [at, row] of rows.slice(0, count - sent).entries())
      yield { ...row, place: { property, block, path: String(at) } };
    sent += rows.length;
  }
}

function findCase<Case>(
  cases: Cases<Case>,
  planSeed: number,
  { property, block, path }: ReplayedCase,
): Case | undefined {
  if (block === 'walk') return 'rows' in cases ? undefined : cases.walk[Number(path)];
  const seed = blockSeed(planSeed, property, block);
  if (!('rows' in cases)) return fc.sample(cases.arbitrary, { seed, path, numRuns: 1 })[0];
  const [row = 0, ...steps] = path.split(':').map(Number);
  let value = cases.rows(seed)[row]?.value;
  for (const step of steps) value = value && cases.simpler(value, seed)[step];
  return value;
}

/** The count of a property that sends a whole covering array. */
export const wholeArray = Number.POSITIVE_INFINITY;

/** Counts all cases of a property. A covering array needs the seed of its first block: the number of rows depends on it. */
export function countCases<Case>(cases: Cases<Case>, count: number, seed: number): number {
  if (!('rows' in cases)) return count + cases.walk.length;
  return count === wholeArray ? cases.rows(seed).length : count;
}

/** Lists the combinations that the rows of one shard are the first to cover. */
export function listOwnCombinations<Case>(
  { rows }: ArrayCases<Case>,
  seed: number,
  shard: Shard,
): ReadonlySet<number> {
  const [before, own] = [new Set<number>(), new Set<number>()];
  for (const [at, { covers }] of rows(seed).entries()) {
    if (isInShard(at, shard)) for (const number of covers) if (!before.has(number)) own.add(number);
    for (const number of covers) before.add(number);
  }
  return own;
}

/**
 * Finds the smallest case that still fails, as a sequential fast-check run from the same seed would. A case that is
 * replayed, or of the walk, stays as it is.
 */
export async function shrinkCase<Case>(
  failing: GeneratedCase<Case>,
  cases: Cases<Case>,
  { seed, replay }: Pick<Plan, 'seed' | 'replay'>,
  fails: (value: Case) => Promise<boolean>,
): Promise<GeneratedCase<Case>> {
  const { property, block, path } = failing.place;
  if (block === 'walk' || replay !== undefined) return failing;
  if ('rows' in cases) return shrinkRow(failing, cases, blockSeed(seed, property, block), fails);
  const details = await fc.check(
    fc.asyncProperty(cases.arbitrary, async (value) => !(await fails(value))),
    { seed: blockSeed(seed, property, block), path, numRuns: 1 },
  );
  const value = details.counterexample?.[0];
  if (value === undefined || details.counterexamplePath === null) return failing;
  return { value, place: { property, block, path: details.counterexamplePath } };
}

async function shrinkRow<Case>(
  failing: GeneratedCase<Case>,
  cases: ArrayCases<Case>,
  seed: number,
  fails: (value: Case) => Promise<boolean>,
): Promise<GeneratedCase<Case>> {
  const { place } = failing;
  for (const [step, value] of cases.simpler(failing.value, seed).entries())
    if (await fails(value)) {
      const smaller = { value, place: { ...place, path: `${place.path}:${step}` } };
      return await shrinkRow(smaller, cases, seed, fails);
    }
  return failing;
}

/** A rule about every case that can be generated. */
export interface Property<Case> {
  /** The operation whose plain success is its positive control. */
  readonly control: Operation;
  /** Its name in paths: `valid-names`. */
  readonly name: string;
  readonly title: string;
  readonly decides: readonly [RequirementId, ...RequirementId[]];
  readonly needs: readonly Need[];
  /** How many cases are generated at each depth; `wholeArray` for every row of a covering array. */
  readonly count: Readonly<Record<Depth, number>>;
  readonly vaultRequests: number;
  /** Estimates the requests of one case, including its world and what it stores; `vaultRequests` and one where absent. */
  readonly requestsPerCase?: number;
  readonly cases: (offers: (need: Need) => boolean) => Cases<Case>;
  readonly classOf: (value: Case) => string;
  /** The pool of a case; `plain` where absent. */
  readonly pool?: (value: Case) => Pool | undefined;
  readonly run: (value: Case, context: CheckContext) => Promise<unknown>;
}

/** Estimates the requests of a property whose cases are given. */
export function estimatePropertyRequests<Case>(
  definition: Property<Case>,
  plan: Pick<Plan, 'depth' | 'cases'>,
  cases: Cases<Case>,
): number {
  const perCase = definition.requestsPerCase ?? definition.vaultRequests + 1;
  const count = countDrawnCases(definition, plan);
  const isWalked = goesBeyondOpening(plan.depth) || 'rows' in cases;
  return (isWalked ? countCases(cases, count, 0) : count) * perCase;
}

/** Counts the cases to draw. `--cases` does not raise the count of a property that draws none at depth standard. */
export function countDrawnCases<Case>(
  { count }: Property<Case>,
  { depth, cases }: Pick<Plan, 'depth' | 'cases'>,
): number {
  const own = count[depth];
  return count.standard === 0 ? Math.min(cases ?? own, own) : (cases ?? own);
}
