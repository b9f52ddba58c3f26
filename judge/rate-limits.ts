import { setTimeout as sleep } from 'node:timers/promises';
import type { RequirementId } from '../spec/ledger.js';
import type { Operation } from '../spec/vocabulary.js';

/** What tells requests apart where a server refuses some of them for their number. */
export interface RequestKind {
  readonly operation: Operation;
  /** The requirement that says which answer is due; absent where none is. */
  readonly rule: RequirementId | undefined;
  /** The request without what differs from run to run. */
  readonly request: string;
}

/** A request that was refused for a rate limit, or for trouble that looks like one (429, 503). */
export interface Refusal {
  readonly operation: Operation;
  /** What came, in words. */
  readonly came: string;
  /** Milliseconds until the limit is over, where the answer says so. */
  readonly resetMs: number | undefined;
}

// How often an attempt that met a rate limit is made again, after pauses that grow from the first by a factor.
const triesAtMost = 6;
const firstPauseMs = 50;
const pauseFactor = 3;
// A minute is the window of most limits; nothing says how long another is.
const usualWindowMs = 61_000;

/** What a run knows of the rate limits that it met. */
export class RateLimits {
  readonly #msLeft: () => number;
  readonly #answered = new Set<string>();
  readonly #answeredGroups = new Set<string>();
  readonly #refused = new Map<string, Set<string>>();
  readonly #confirmed = new Set<string>();
  readonly #ended = new Map<Operation, string>();
  #isAtWork = false;

  /** @param msLeft milliseconds until the run ends */
  constructor(msLeft: () => number = () => Number.POSITIVE_INFINITY) {
    this.#msLeft = msLeft;
  }

  /** A request got the answer that was due. */
  answer(kind: RequestKind): void {
    this.#answered.add(nameOf(kind));
    this.#answeredGroups.add(groupOf(kind));
  }

  /** A request got a 429 or 503 where another answer was due. */
  refuse(kind: RequestKind): void {
    const group = groupOf(kind);
    const refused = this.#refused.get(group) ?? new Set();
    this.#refused.set(group, refused.add(nameOf(kind)));
    this.#isAtWork ||= this.#isShown(kind, refused);
  }

  /** Whether a request of this kind got the answer that was due. */
  hasAnswered(kind: RequestKind): boolean {
    return this.#answered.has(nameOf(kind));
  }

  /** Whether refusals show that a rate limit is at work, and not that a kind of request is answered wrongly. */
  get isAtWork(): boolean {
    return this.#isAtWork;
  }

  /** A kind that is answered wrongly all the time is wrong for all requests of its rule. */
  #isShown(kind: RequestKind, refused: ReadonlySet<string>): boolean {
    if (this.#refused.size > 1 || this.hasAnswered(kind)) return true;
    return refused.size > 1 && this.#answeredGroups.has(groupOf(kind));
  }

  /** Whether it was confirmed that requests like this are refused all the time. */
  isConfirmed(kind: RequestKind): boolean {
    return this.#confirmed.has(groupOf(kind));
  }

  /** It was confirmed, after a pause, that requests like this are refused all the time. */
  confirm(kind: RequestKind): void {
    this.#confirmed.add(groupOf(kind));
  }

  /** Milliseconds to wait before a refusal tells something; undefined where that is longer than the run may take. */
  pauseMs(refusal: Refusal | undefined): number | undefined {
    const pauseMs = refusal?.resetMs ?? usualWindowMs;
    return pauseMs < this.#msLeft() ? pauseMs : undefined;
  }

  /** Waits before an attempt that was refused is made again. Returns false where it is not to be made. */
  async wait(refusal: Refusal, tries: number, signal: AbortSignal): Promise<boolean> {
    if (!this.#isAtWork || tries >= triesAtMost) return false;
    const { operation, came, resetMs = 0 } = refusal;
    if (resetMs > this.#msLeft()) {
      this.#ended.set(operation, `${came}, which asks to wait for ${Math.ceil(resetMs / 1_000)} s`);
      return false;
    }
    const pauseMs = Math.max(resetMs, firstPauseMs * pauseFactor ** (tries - 1) * (0.5 + Math.random()));
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    return !signal.aborted;
  }

  /** Why nothing more is asked of an operation; undefined where it is asked. */
  endOf(operation: Operation): string | undefined {
    return this.#ended.get(operation);
  }
}

function groupOf({ operation, rule }: RequestKind): string {
  return `${operation} ${rule ?? ''}`;
}

function nameOf(kind: RequestKind): string {
  return `${groupOf(kind)} ${kind.request}`;
}
