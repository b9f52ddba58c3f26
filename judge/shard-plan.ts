import { type RequirementId, requirement } from '../spec/ledger.js';
import type { Check } from './check.js';
import { goesBeyondOpening, type Plan, type Shard, wholeRun } from './plan.js';
import type { Selection } from './selection.js';

/** The requirements that other shards decide. */
export interface Division {
  /** Only checks of other shards decide them. */
  readonly ofOtherShards: ReadonlySet<RequirementId>;
  /** Checks of this shard may decide them too; where they do not, those of another shard may. */
  readonly shared: ReadonlySet<RequirementId>;
}

/** The checks that a shard judges. */
export interface ShardPlan {
  /** The checks of the whole run that decide something selected, in the order of the plan. */
  readonly chosen: readonly Check[];
  /** The checks that go first, since they decide the most per request. */
  readonly opening: ReadonlySet<Check>;
  readonly own: readonly Check[];
  /** Large checks that every shard judges, each with an equal part of their cases. */
  readonly divided: ReadonlySet<Check>;
  readonly division: Division | undefined;
}

/** What a run is to judge: equal for all of its shards but for the shard itself. */
export interface RunScope {
  readonly selection: Selection;
  readonly plan: Plan;
  readonly shard?: Shard | undefined;
}

type DecidableRows = (check: Check) => readonly RequirementId[] | undefined;

/**
 * Plans the part of a run that one shard judges. All shards choose the same checks before they divide them.
 * @param decidableRows lists what a check can decide on the target, undefined where nothing
 */
export function planShard(
  checks: readonly Check[],
  { selection, plan, shard = wholeRun }: RunScope,
  decidableRows: DecidableRows = ({ decides }) => decides,
): ShardPlan {
  const candidates = checks.filter(
    (check) => check.decides.some((id) => selection.has(id)) && decidableRows(check)?.length !== 0,
  );
  const opening = chooseOpening(candidates, selection, decidableRows);
  const others = candidates.filter(
    (check) => !opening.has(check) && (goesBeyondOpening(plan.depth) || check.kind !== 'written'),
  );
  const chosen = [...opening, ...others];
  const divided = chooseDivided(chosen, shard, plan);
  const own = assignToShard(chosen, shard, plan, divided);
  const division = shard.of === 1 ? undefined : divideRows({ chosen, own, divided }, decidableRows);
  return { chosen, opening, own, divided, division };
}

function divideRows(
  { chosen, own, divided }: Pick<ShardPlan, 'chosen' | 'own' | 'divided'>,
  decidableRows: DecidableRows,
): Division {
  const here = new Set(own.flatMap(({ decides }) => decides));
  const firstOf = new Map<RequirementId, Check>();
  const fromLast = chosen.toReversed();
  for (const check of fromLast) for (const id of check.decides) firstOf.set(id, check);
  // A check that could decide a row, but not on this target, leaves it to others.
  for (const check of fromLast) for (const id of decidableRows(check) ?? []) firstOf.set(id, check);
  // The one case that decides a row may be in any part of a divided check, so no shard answers for the row alone.
  const others = [...firstOf]
    .filter(([, first]) => !own.includes(first) || divided.has(first))
    .map(([id]) => id);
  return {
    ofOtherShards: new Set(others.filter((id) => !here.has(id))),
    shared: new Set(others.filter((id) => here.has(id))),
  };
}

function chooseOpening(
  checks: readonly Check[],
  selection: Selection,
  decidableRows: DecidableRows,
): ReadonlySet<Check> {
  const decided = new Set<RequirementId>();
  const opening = checks.filter((check) => {
    if (check.kind !== 'written') return false;
    const decidable = decidableRows(check);
    // A check that cannot be judged here costs nothing and says what it lacks; others decide its requirements.
    const isNew = (decidable ?? [check.requirement]).some(
      (id) => selection.has(id) && !decided.has(id) && requirement(id).level !== 'silent',
    );
    if (isNew) for (const id of decidable ?? []) decided.add(id);
    return isNew;
  });
  return new Set(opening);
}

// The average requests of a written check, including its worlds.
const requestsOfWritten = 12;

/** Estimates the requests of a check, calls of the control protocol included. */
export function estimateRequests(check: Check, plan: PlannedCases): number {
  if (check.kind === 'final') return 0;
  return check.kind === 'generated' ? check.estimateOwnRequests(plan) : requestsOfWritten;
}

type PlannedCases = Pick<Plan, 'depth' | 'cases'>;

/** Chooses the checks that would make shards unequal: those of more than a quarter of one shard's requests. */
function chooseDivided(checks: readonly Check[], { of }: Shard, plan: PlannedCases): ReadonlySet<Check> {
  if (of === 1) return new Set();
  const all = checks.reduce((sum, check) => sum + estimateRequests(check, plan), 0);
  const isLarge = (check: Check) => 4 * estimateRequests(check, plan) > all / of;
  return new Set(checks.filter((check) => check.kind === 'generated' && isLarge(check)));
}

/**
 * Assigns checks to a shard. The result follows from the checks and the plan alone, so that machines agree without talking:
 * the largest go first, each to the shard with the fewest requests so far.
 */
export function assignToShard(
  checks: readonly Check[],
  { index, of }: Shard,
  plan: PlannedCases,
  divided: ReadonlySet<Check> = new Set(),
): readonly Check[] {
  if (of === 1) return checks;
  const loads = Array.from({ length: of }, () => 0);
  const own = new Set(divided);
  // Those that use chosen names stay together: in a tenant that all shards share they would collide.
  const named = checks.filter(({ sideEffects }) => sideEffects === 'names');
  const others = checks.filter((check) => !named.includes(check) && !divided.has(check));
  const bundles = [named, ...others.map((check) => [check])].flatMap((bundled) => {
    const load = bundled.reduce((sum, check) => sum + estimateRequests(check, plan), 0);
    return bundled.slice(0, 1).map(({ id }) => ({ id, bundled, load }));
  });
  bundles.sort((one, other) => other.load - one.load || (one.id < other.id ? -1 : 1));
  for (const { bundled, load } of bundles) {
    const place = loads.indexOf(Math.min(...loads));
    loads[place] = (loads[place] ?? 0) + load;
    if (place === index - 1) for (const check of bundled) own.add(check);
  }
  return checks.filter((check) => own.has(check) || check.kind === 'final');
}
