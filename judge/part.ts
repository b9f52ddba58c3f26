import { type RequirementId, requirement } from '../spec/ledger.js';
import type { Check } from './check.js';
import { depths, type Plan } from './plan.js';
import type { Selection } from './selection.js';
import { type Shard, wholeRun } from './shard.js';
import { shareOf } from './share.js';

/** Which requirements a shard does not answer for. */
export interface Division {
  /** Only checks of other shards decide them. */
  readonly elsewhere: ReadonlySet<RequirementId>;
  /** Checks of this shard may decide them too; where they do not come to them, that is for the shard of the first check. */
  readonly shared: ReadonlySet<RequirementId>;
}

/** What a run is to judge of all that the selection asks for. */
export interface Part {
  /** The checks of the whole run that decide something selected, in the order of the plan. */
  readonly chosen: readonly Check[];
  /** Those that go before all others: they decide the most for each request. */
  readonly opening: ReadonlySet<Check>;
  /** The chosen checks that this shard sends. */
  readonly own: readonly Check[];
  /** Undefined where the run is not split. */
  readonly division: Division | undefined;
}

/** What a part follows from: the same for every shard but the shard itself. */
export interface PartOptions {
  readonly selection: Selection;
  readonly plan: Plan;
  readonly shard?: Shard;
  /** What a check can show on the target, undefined where it cannot be judged there; all that it decides where absent. */
  readonly shows?: Shows;
}

type Shows = (check: Check) => readonly RequirementId[] | undefined;

/** The part of a run that one shard judges. What is sent at all is chosen before, so that the shards together are one run. */
export function partOf(
  checks: readonly Check[],
  { selection, plan, shard = wholeRun, shows = ({ decides }) => decides }: PartOptions,
): Part {
  const candidates = checks.filter(
    (check) => check.decides.some((id) => selection.has(id)) && shows(check)?.length !== 0,
  );
  const opening = openingOf(candidates, selection, shows);
  const { goesBeyondOpening } = depths[plan.depth];
  const others = candidates.filter(
    (check) => !opening.has(check) && (goesBeyondOpening || check.kind === 'generated'),
  );
  const chosen = [...opening, ...others];
  const own = shareOf(chosen, shard, plan);
  return { chosen, opening, own, division: shard.of === 1 ? undefined : dividedRows(chosen, own, shows) };
}

function dividedRows(chosen: readonly Check[], own: readonly Check[], shows: Shows): Division {
  const here = new Set(own.flatMap(({ decides }) => decides));
  const firstOf = new Map<RequirementId, Check>();
  const lastFirst = chosen.toReversed();
  for (const check of lastFirst) for (const id of check.decides) firstOf.set(id, check);
  // One that may decide a row, and cannot on this target, leaves it to those that can.
  for (const check of lastFirst) for (const id of shows(check) ?? []) firstOf.set(id, check);
  const others = [...firstOf].filter(([, first]) => !own.includes(first)).map(([id]) => id);
  return {
    elsewhere: new Set(others.filter((id) => !here.has(id))),
    shared: new Set(others.filter((id) => here.has(id))),
  };
}

/** The first listed check for each requirement. */
function openingOf(checks: readonly Check[], selection: Selection, shows: Shows): ReadonlySet<Check> {
  const decided = new Set<RequirementId>();
  const opening = checks.filter((check) => {
    if (check.kind === 'generated') return false;
    const shown = shows(check);
    // A check that cannot be judged here costs nothing and says what it would take; what it decides is left to others.
    const isNew = (shown ?? [check.requirement]).some(
      (id) => selection.has(id) && !decided.has(id) && requirement(id).level !== 'silent',
    );
    if (isNew) for (const id of shown ?? []) decided.add(id);
    return isNew;
  });
  return new Set(opening);
}
