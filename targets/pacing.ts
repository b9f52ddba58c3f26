import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { getOrInsert } from '../spec/maps.js';
import type { ReportedSlowDown } from '../spec/report.js';
import type { Operation } from '../spec/vocabulary.js';

/** What a request counts toward: its host and its operation. */
export interface PacedRequest {
  readonly base: string;
  /** Absent for other requests, such as calls of the control protocol. */
  readonly operation?: Operation;
}

interface Refused {
  /** By `performance.now()`. */
  readonly sentAt: number;
  readonly status: number;
  /** Whether this refusal alone slows the run down: something in front of the service refused, and requests are scarce. */
  readonly slowsAtOnce?: boolean;
}

// Other requests served after an operation's first refusal that show that it alone is limited.
const othersServed = 30;

/** One pace for each host, and one for an operation once it turns out to be limited alone. */
export class Pacing {
  readonly #hosts = new Map<string, HostPacing>();
  readonly #byBase = new Map<string, HostPacing>();

  /** Waits until a request may leave. Rejects when the signal is aborted before. */
  waitForTurn(load: PacedRequest, signal?: AbortSignal): Promise<void> {
    return this.#host(load).choosePace(load).waitForTurn(signal);
  }

  /** Notes a request that was served, or refused as expected. */
  noteServed(load: PacedRequest, sentAt: number): void {
    this.#host(load).noteServed(load, sentAt);
  }

  noteRefused(load: PacedRequest, refused: Refused): void {
    this.#host(load).noteRefused(load, refused);
  }

  get slowDowns(): readonly ReportedSlowDown[] {
    return [...this.#hosts].flatMap(([host, pacing]) =>
      pacing.slowDowns.map((slowDown) => ({ host, ...slowDown })),
    );
  }

  #host({ base }: PacedRequest): HostPacing {
    return getOrInsert(this.#byBase, base, () =>
      getOrInsert(this.#hosts, new URL(base).origin, () => new HostPacing()),
    );
  }
}

class HostPacing {
  #all = new AdaptivePace();
  /** The only operation that was ever refused, and its own pace, once others were served meanwhile. */
  #alone: { readonly operation: PacedRequest['operation']; readonly pace: AdaptivePace } | undefined;
  /** For each operation that was refused: how many requests of others were served since. */
  readonly #othersSince = new Map<PacedRequest['operation'], number>();

  choosePace({ operation }: PacedRequest): AdaptivePace {
    return this.#alone !== undefined && this.#alone.operation === operation ? this.#alone.pace : this.#all;
  }

  noteServed(load: PacedRequest, sentAt: number): void {
    this.choosePace(load).noteServed(sentAt);
    for (const [operation, served] of this.#othersSince)
      if (operation !== load.operation) this.#othersSince.set(operation, served + 1);
  }

  noteRefused(load: PacedRequest, refused: Refused): void {
    const { operation } = load;
    const others = getOrInsert(this.#othersSince, operation, () => 0);
    if (this.#othersSince.size > 1 && this.#alone !== undefined) {
      // Not only the one operation is limited: its pace applies to all.
      this.#all = this.#alone.pace;
      this.#alone = undefined;
    } else if (this.#othersSince.size === 1 && this.#alone === undefined && others >= othersServed) {
      this.#alone = { operation, pace: this.#all };
      this.#all = new AdaptivePace();
    }
    this.choosePace(load).noteRefused(refused);
  }

  get slowDowns(): readonly Omit<ReportedSlowDown, 'host'>[] {
    const paces = [{ operation: undefined, pace: this.#all }, ...(this.#alone ? [this.#alone] : [])];
    return paces.flatMap(({ operation = null, pace: { slowDown } }) =>
      slowDown === undefined ? [] : [{ operation, ...slowDown }],
    );
  }
}

// Refusals among the last answers that show a rate limit: one now and then is noise, which slowing down does not cure.
const answersLookedAt = 20;
const refusalsNeeded = 3;
// The same once refusals turned out to be noise: a real limit refuses most of what an unpaced run sends.
const refusalsNeededInNoise = 8;
// So many single refusals in a row, at less than half of an earlier rate, are noise. One may not be: on a busy machine
// requests leave unevenly, so that a limit may refuse one below its rate.
const refusalsOfNoise = 3;

const slowest = 0.2;
// The first refusals say too little to go slower than this: waiting would cost more than being refused again.
const slowestAtFirst = 5;
// Above it, a limit makes no difference.
const fastest = 2_000;

// A timer is rarely later than this.
const latenessMs = 20;

// Waits are short, since the rate may rise meanwhile; a timer of Node holds 31 bits of milliseconds anyway.
const longestSleepMs = 250;

/** Spreads requests evenly over time. The rate may change at any time. */
export class Pace {
  readonly #line = pLimit(1);
  #lastAt = Number.NEGATIVE_INFINITY;
  #restsUntil = Number.NEGATIVE_INFINITY;

  /** @param rate requests a second; unlimited where undefined */
  constructor(public rate?: number) {}

  /** Waits for the turn of one request. Rejects when the signal is aborted before the turn comes. */
  async waitForTurn(signal?: AbortSignal): Promise<void> {
    if (this.rate === undefined && this.#line.pendingCount + this.#line.activeCount === 0) return;
    await this.#line(() => this.#wait(signal));
  }

  rest(ms: number): void {
    this.#restsUntil = Math.max(this.#restsUntil, performance.now() + ms);
  }

  async #wait(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    for (let left = this.#leftMs; left > 0; left = this.#leftMs)
      await sleep(Math.min(left, longestSleepMs), undefined, { signal });
    const now = performance.now();
    const dueAt = this.#lastAt + this.#intervalMs;
    // A timer that fires late must not slow down the rest; a longer idle time is not made up for.
    this.#lastAt = now - dueAt > latenessMs ? now : dueAt;
  }

  get #leftMs(): number {
    return Math.max(this.#lastAt + this.#intervalMs, this.#restsUntil) - performance.now();
  }

  get #intervalMs(): number {
    return this.rate === undefined ? 0 : 1_000 / this.rate;
  }
}

// A limit that was met refuses again within this time, however slowly the rate grows; a service that was down does not.
const calmMs = 30_000;

const windowMs = 1_000;
const timesKept = 4_096;
const restMs = 400;

/**
 * Finds the rate that a target can bear (additive increase, multiplicative decrease). It is unlimited until refusals show a
 * limit; then a little less than what was served in the last second. It doubles every four seconds until it meets the
 * limit again, and grows slowly from then on, until nothing was refused for half a minute.
 */
export class AdaptivePace extends Pace {
  readonly #served: number[] = [];
  readonly #wasRefused: boolean[] = [];
  #changedAt = Number.NEGATIVE_INFINITY;
  #grownAt = 0;
  #hasMetLimit = false;
  #isNoisy = false;
  /** The highest rate with single refusals since several came together. */
  #highestIsolated = 0;
  /** Single refusals in a row at less than half of that rate. */
  #isolatedBelow = 0;
  readonly #refusedBy = new Set<number>();
  #refused = 0;
  #lowest = Number.POSITIVE_INFINITY;

  noteServed(sentAt: number): void {
    const now = performance.now();
    this.#note(false);
    this.#served.push(now);
    if (this.#served.length > timesKept) this.#served.splice(0, timesKept / 2);
    if (this.rate === undefined || sentAt < this.#changedAt) return;
    const seconds = Math.min(now - this.#grownAt, windowMs) / 1_000;
    this.#grownAt = now;
    if (now - this.#changedAt > calmMs) this.#hasMetLimit = false;
    const rate = this.#hasMetLimit
      ? this.rate + Math.max(0.1, this.rate * 0.01) * seconds
      : this.rate * 2 ** (seconds / 4);
    this.rate = rate > fastest ? undefined : rate;
  }

  noteRefused({ sentAt, status, slowsAtOnce = false }: Refused): void {
    this.#refusedBy.add(status);
    this.#refused += 1;
    this.#slowDown(sentAt, slowsAtOnce);
    this.#lowest = Math.min(this.#lowest, this.rate ?? Number.POSITIVE_INFINITY);
  }

  /** The slow-down for the report; undefined where there was none. */
  get slowDown(): Omit<ReportedSlowDown, 'host' | 'operation'> | undefined {
    if (this.#lowest === Number.POSITIVE_INFINITY) return undefined;
    const by = [...this.#refusedBy].sort((one, other) => one - other).join(' and ');
    return { by, refused: this.#refused, rate: Math.round(this.#lowest * 10) / 10 };
  }

  #slowDown(sentAt: number, slowsAtOnce: boolean): void {
    this.#note(true);
    // A request sent before the last change says nothing about the rate since.
    if (sentAt < this.#changedAt) return;
    const now = performance.now();
    const { rate } = this;
    const servedLately = this.#served.filter((at) => now - at < windowMs).length;
    const refusedLately = this.#wasRefused.filter(Boolean).length;
    const isIsolated = refusedLately < (this.#isNoisy ? refusalsNeededInNoise : refusalsNeeded);
    if (rate === undefined) {
      if (isIsolated && (!slowsAtOnce || this.#isNoisy)) return;
      // One refusal may mean that a limit's burst is used up, which says little of its rate.
      this.rate = Math.max((slowsAtOnce ? 0.5 : 0.9) * servedLately, slowestAtFirst);
      this.#hasMetLimit ||= slowsAtOnce;
    } else if (this.#showsNoise(rate, isIsolated)) {
      this.#isNoisy = true;
      this.rate = undefined;
      return;
    } else {
      this.#hasMetLimit = true;
      this.rate = Math.max(0.6 * Math.min(rate, servedLately), rate / 2, slowest);
    }
    // A limit that was just used up refuses what follows at any rate.
    this.rest(restMs);
    this.#changedAt = now;
    this.#grownAt = now;
  }

  /** Counts a refusal at a rate. Returns whether single refusals keep coming however slowly requests leave. */
  #showsNoise(rate: number, isIsolated: boolean): boolean {
    this.#highestIsolated = isIsolated ? Math.max(rate, this.#highestIsolated) : 0;
    const isBelow = rate < this.#highestIsolated / 2;
    this.#isolatedBelow = isBelow ? this.#isolatedBelow + 1 : 0;
    return this.#isolatedBelow === refusalsOfNoise;
  }

  #note(isRefused: boolean): void {
    this.#wasRefused.push(isRefused);
    if (this.#wasRefused.length > answersLookedAt) this.#wasRefused.shift();
  }
}
