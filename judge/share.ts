import type { Check } from './check.js';
import type { Plan } from './plan.js';
import type { Shard } from './shard.js';

/** Checks that must not be parted, and about how many requests they send. */
interface Bundle {
  readonly id: string;
  readonly checks: readonly Check[];
  readonly requests: number;
}

// What a check that is written out sends on average, the worlds it takes included.
const requestsOfListed = 6;

/**
 * The checks of one shard, in their order. Which they are follows from the checks and the plan alone, so that machines
 * that know nothing of one another agree: the largest go first, each to the shard that has least to send so far.
 */
export function shareOf(
  checks: readonly Check[],
  { index, of }: Shard,
  plan: Pick<Plan, 'depth' | 'cases'>,
): readonly Check[] {
  if (of === 1) return checks;
  const loads = Array.from({ length: of }, () => 0);
  const own = new Set<Check>();
  for (const { checks: bundled, requests } of largestFirst(bundles(checks, plan))) {
    const place = loads.indexOf(Math.min(...loads));
    loads[place] = (loads[place] ?? 0) + requests;
    if (place === index - 1) for (const check of bundled) own.add(check);
  }
  return checks.filter((check) => own.has(check) || isLast(check));
}

/** Checks that use names of their own choice would meet in a tenant that all shards use: they stay together. */
function bundles(checks: readonly Check[], plan: Pick<Plan, 'depth' | 'cases'>): readonly Bundle[] {
  const named = checks.filter(usesChosenNames);
  const others = checks.filter((check) => !usesChosenNames(check));
  return [named, ...others.map((check) => [check])].flatMap((bundled) => {
    const [first] = bundled;
    const requests = bundled.reduce((sum, check) => sum + requestsOf(check, plan), 0);
    return first === undefined ? [] : [{ id: first.id, checks: bundled, requests }];
  });
}

/** Whether a check judges what the others of its shard left. */
export function isLast(check: Check): boolean {
  return check.kind === 'generated' && check.isLast === true;
}

function usesChosenNames(check: Check): boolean {
  return check.kind === 'written' && check.sideEffects === 'names';
}

function requestsOf(check: Check, plan: Pick<Plan, 'depth' | 'cases'>): number {
  return check.kind === 'generated' ? check.requestsAbout(plan) : requestsOfListed;
}

function largestFirst(all: readonly Bundle[]): readonly Bundle[] {
  return [...all].sort((one, other) => other.requests - one.requests || (one.id < other.id ? -1 : 1));
}
