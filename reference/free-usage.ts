const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

interface Batch {
  readonly at: number;
  readonly count: number;
}

/**
 * The requests that one account has made to free models (§8.2): a sliding window of 60 seconds and
 * the current UTC day. Every `now` is in milliseconds since 1970.
 */
export class FreeUsage {
  #batches: Batch[] = [];
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

  /** Requests in the last 60 seconds. */
  inMinute(now: number): number {
    this.#batches = this.#batches.filter((batch) => batch.at > now - MINUTE_MS);
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
