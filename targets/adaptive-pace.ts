import { Pace } from './pace.js';

// Refusals among the last answers that show a rate limit: one now and then is noise, which slowing down does not cure.
const answersLookedAt = 20;
const refusalsNeeded = 3;

const slowest = 0.2;
// Below it the first refusals would cost more time than requests.
const slowestAtFirst = 5;
// Above it a limit makes no difference any more.
const fastest = 2_000;

const windowMs = 1_000;
const timesKept = 4_096;
const restMs = 400;

/**
 * The rate that a target turns out to bear (additive increase, multiplicative decrease). Unlimited until refusals show
 * a limit; then a little less than what was served in the last second. It doubles every four seconds until it meets the
 * limit again, and from then on grows slowly.
 */
export class AdaptivePace {
  readonly #pace = new Pace();
  readonly #served: number[] = [];
  readonly #wasRefused: boolean[] = [];
  #changedAt = Number.NEGATIVE_INFINITY;
  #grownAt = 0;
  #hasMetLimit = false;

  /** Requests a second; unlimited where undefined. */
  get rate(): number | undefined {
    return this.#pace.rate;
  }

  /** Waits for the turn of one request. Rejects when the signal is aborted before it comes. */
  async turn(signal?: AbortSignal): Promise<void> {
    await this.#pace.turn(signal);
  }

  /** Takes note of a request that was served. */
  serve(sentAt: number): void {
    const now = performance.now();
    this.#note(false);
    this.#served.push(now);
    if (this.#served.length > timesKept) this.#served.splice(0, timesKept / 2);
    if (this.#pace.rate === undefined || sentAt < this.#changedAt) return;
    const seconds = Math.min(now - this.#grownAt, windowMs) / 1_000;
    this.#grownAt = now;
    const rate = this.#hasMetLimit
      ? this.#pace.rate + Math.max(0.1, this.#pace.rate * 0.01) * seconds
      : this.#pace.rate * 2 ** (seconds / 4);
    this.#pace.rate = rate > fastest ? undefined : rate;
  }

  /** Takes note of a request that was refused for a rate limit. */
  refuse(sentAt: number): void {
    this.#note(true);
    // What left before the last change says nothing about the rate since.
    if (sentAt < this.#changedAt) return;
    const now = performance.now();
    const { rate } = this.#pace;
    const servedLately = this.#served.filter((at) => now - at < windowMs).length;
    if (rate === undefined) {
      if (this.#wasRefused.filter(Boolean).length < refusalsNeeded) return;
      this.#pace.rate = Math.max(0.9 * servedLately, slowestAtFirst);
    } else {
      this.#hasMetLimit = true;
      this.#pace.rate = Math.max(0.6 * Math.min(rate, servedLately), rate / 2, slowest);
    }
    // A limit that was just used up refuses what follows at any rate.
    this.#pace.rest(restMs);
    this.#changedAt = now;
    this.#grownAt = now;
  }

  #note(isRefused: boolean): void {
    this.#wasRefused.push(isRefused);
    if (this.#wasRefused.length > answersLookedAt) this.#wasRefused.shift();
  }
}
