import type { JsonObject } from './json.js';
import type { Key } from './world.js';

const DAY_MS = 86_400_000;

/** A request that a key has made; `at` is in milliseconds since 1970. */
export interface UsageRecord {
  readonly at: number;
  readonly credits: number;
  /** Usage on the caller's own provider keys. */
  readonly byok: number;
}

/** When the windows of usage began, in milliseconds since 1970. */
export interface UsageWindows {
  readonly daily: number;
  readonly weekly: number;
  readonly monthly: number;
}

/** The current UTC day, the UTC week from Monday and the UTC month (§2.2). */
export function usageWindows(now: number): UsageWindows {
  const daily = Math.floor(now / DAY_MS) * DAY_MS;
  const date = new Date(daily);
  return {
    daily,
    weekly: daily - ((date.getUTCDay() + 6) % 7) * DAY_MS,
    monthly: Date.UTC(date.getUTCFullYear(), date.getUTCMonth()),
  };
}

/** The usage figures of Key information (§2.2) that follow from records. */
export function usageFigures(
  records: readonly UsageRecord[],
  { daily, weekly, monthly }: UsageWindows,
): JsonObject {
  const sum = (kind: 'credits' | 'byok', from = Number.NEGATIVE_INFINITY): number =>
    records.filter(({ at }) => at >= from).reduce((total, record) => total + record[kind], 0);
  return {
    usage: sum('credits'),
    usage_daily: sum('credits', daily),
    usage_weekly: sum('credits', weekly),
    usage_monthly: sum('credits', monthly),
    byok_usage: sum('byok'),
    byok_usage_daily: sum('byok', daily),
    byok_usage_weekly: sum('byok', weekly),
    byok_usage_monthly: sum('byok', monthly),
  };
}

/** What the records of a key add up to where its limit is concerned (§2.2). */
export function limitUse({ records = [], information }: Key): number {
  const countsByok = information.include_byok_in_limit === true;
  return records.reduce((sum, { credits, byok }) => sum + credits + (countsByok ? byok : 0), 0);
}
