import { setTimeout as sleep } from 'node:timers/promises';

/** The longest that everything is held back at once, in milliseconds. */
const holdAtMostMs = 10_000;

// A timer of Node counts milliseconds in 31 bits, and is over at once where they are more.
const longestSleepMs = 2_147_483_647;

/** Spreads requests over time: so many a second, and none while the target has asked to wait. */
export class Pace {
  readonly #intervalMs: number;
  #nextAt = 0;
  #heldUntil = 0;

  /** @param rate requests a second; as many as come where absent */
  constructor(rate?: number) {
    this.#intervalMs = rate === undefined ? 0 : 1_000 / rate;
  }

  /** Waits for the turn of one request. Rejects when the signal is aborted before it comes. */
  async turn(signal?: AbortSignal): Promise<void> {
    const now = performance.now();
    const at = Math.max(now, this.#nextAt, this.#heldUntil);
    if (this.#intervalMs > 0) this.#nextAt = at + this.#intervalMs;
    for (let left = at - now; left > 0; left = at - performance.now())
      await sleep(Math.min(left, longestSleepMs), undefined, signal === undefined ? {} : { signal });
    // Somebody may have been asked to wait while this one waited for its turn.
    if (this.#heldUntil > performance.now()) await this.turn(signal);
  }

  /** Holds everything back for a time, within bounds. */
  hold(ms: number): void {
    this.#heldUntil = Math.max(this.#heldUntil, performance.now() + Math.min(ms, holdAtMostMs));
  }
}
