import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';

// The rate may rise while somebody waits, so that waits are short; a timer of Node holds 31 bits of milliseconds anyway.
const longestSleepMs = 250;

/** Spreads requests over time: so many a second, one after another. The rate may change at any time. */
export class Pace {
  /** Requests a second; unlimited where undefined. */
  rate: number | undefined;
  readonly #line = pLimit(1);
  #lastAt = Number.NEGATIVE_INFINITY;
  #restsUntil = Number.NEGATIVE_INFINITY;

  constructor(rate?: number) {
    this.rate = rate;
  }

  /** Waits for the turn of one request. Rejects when the signal is aborted before it comes. */
  async turn(signal?: AbortSignal): Promise<void> {
    if (this.rate === undefined && this.#line.pendingCount + this.#line.activeCount === 0) return;
    await this.#line(() => this.#wait(signal));
  }

  /** Lets nothing go for a time. */
  rest(ms: number): void {
    this.#restsUntil = Math.max(this.#restsUntil, performance.now() + ms);
  }

  async #wait(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    for (let left = this.#leftMs; left > 0; left = this.#leftMs)
      await sleep(Math.min(left, longestSleepMs), undefined, signal === undefined ? {} : { signal });
    const now = performance.now();
    const dueAt = this.#lastAt + this.#intervalMs;
    // A timer that fires late must not slow down the rest; what was not used for long is not made up for.
    this.#lastAt = now - dueAt > latenessMs ? now : dueAt;
  }

  get #leftMs(): number {
    return Math.max(this.#lastAt + this.#intervalMs, this.#restsUntil) - performance.now();
  }

  get #intervalMs(): number {
    return this.rate === undefined ? 0 : 1_000 / this.rate;
  }
}

// A timer is rarely later than this.
const latenessMs = 20;
