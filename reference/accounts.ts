import type { JsonObject } from './vocabulary.js';

/** The balance of an account in USD (§8.1.1). */
export interface Balance {
  amount: number;
  /** Whether it was negative and has not been above zero since. */
  isOwed: boolean;
}

/** Sets a balance; a negative one is owed until it is above zero. */
export function setBalance(balance: Balance, amount: number): void {
  balance.amount = amount;
  balance.isOwed = amount < 0 || (amount === 0 && balance.isOwed);
}

export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;

/** The requests of an account to free models (§8.2). Every `now` is in milliseconds since 1970. */
export class FreeUsage {
  #batches: { readonly at: number; readonly count: number }[] = [];
  #day = 0;
  #countOfDay = 0;

  /** Sets what has been used: `minute` requests, all of them just now, and `day` in this UTC day. */
  set(minute: number, day: number, now: number): void {
    this.#batches = minute > 0 ? [{ at: now, count: minute }] : [];
    this.#day = dayOf(now);
    this.#countOfDay = day;
  }

  /** Counts one request. */
  add(now: number): void {
    this.#countOfDay = this.inDay(now) + 1;
    this.#day = dayOf(now);
    this.#batches.push({ at: now, count: 1 });
  }

  /** Requests in the last 60 seconds, or in as many milliseconds as a minute has. */
  inMinute(now: number, minuteMs = MINUTE_MS): number {
    this.#batches = this.#batches.filter((batch) => batch.at > now - minuteMs);
    return this.#batches.reduce((sum, batch) => sum + batch.count, 0);
  }

  /** Requests in the current UTC day. */
  inDay(now: number): number {
    return this.#day === dayOf(now) ? this.#countOfDay : 0;
  }

  /** Milliseconds until the oldest request leaves the window; 0 when there is none. */
  minuteFreesIn(now: number): number {
    const oldest = this.#batches[0];
    return oldest === undefined ? 0 : Math.max(0, oldest.at + MINUTE_MS - now);
  }

  /** Milliseconds until the next UTC day. */
  dayEndsIn(now: number): number {
    return (dayOf(now) + 1) * DAY_MS - now;
  }
}

function dayOf(now: number): number {
  return Math.floor(now / DAY_MS);
}

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
export function sumUsage(records: readonly UsageRecord[], windows: UsageWindows): JsonObject {
  const { daily, weekly, monthly } = windows;
  return {
    usage: addUp(records, 'credits'),
    usage_daily: addUp(records, 'credits', daily),
    usage_weekly: addUp(records, 'credits', weekly),
    usage_monthly: addUp(records, 'credits', monthly),
    byok_usage: addUp(records, 'byok'),
    byok_usage_daily: addUp(records, 'byok', daily),
    byok_usage_weekly: addUp(records, 'byok', weekly),
    byok_usage_monthly: addUp(records, 'byok', monthly),
  };
}

/** Adds up one figure of the records: of all, or of those since an instant in milliseconds since 1970. */
export function addUp(
  records: readonly UsageRecord[],
  figure: 'credits' | 'byok',
  from = Number.NEGATIVE_INFINITY,
): number {
  return records.filter(({ at }) => at >= from).reduce((sum, record) => sum + record[figure], 0);
}
