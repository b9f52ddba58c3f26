import { setTimeout as sleep } from 'node:timers/promises';
import type { RequirementId } from '../spec/ledger.js';
import type { Operation } from '../spec/vocabulary.js';

/** What tells requests apart where a server refuses some of them for their number. */
export interface RequestIdentity {
  readonly operation: Operation;
  /** The requirement that says which answer is due; absent where none is. */
  readonly rule: RequirementId | undefined;
  /** The answers that are due, in words. */
  readonly due: string;
  /** The request without what differs from run to run. */
  readonly request: string;
  /** The same with the names of secrets in it: what depends on a name is no rate limit. */
  readonly exactRequest: string;
}

/** A request that was refused for a rate limit, or for trouble that looks like one (429, 503). */
export interface LimitRefusal {
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
const examplesAsked = 4;
// Rules whose requests are refused slow a run down before it is clear that a rate limit is at work, each once.
const rulesHeeded = 12;

/** What a run knows of the rate limits that it met. */
export class RateLimits<Case = unknown> {
  readonly #msLeft: () => number;
  readonly #answered = new Set<string>();
  readonly #answeredExactly = new Set<string>();
  readonly #disregarded = new Set<Operation>();
  readonly #served = new Set<Operation>();
  readonly #refused = new Set<string>();
  /** For what is due: the last case of each rule in which it was answered. */
  readonly #examples = new Map<string, Map<string, Case>>();
  readonly #refusedRules = new Set<string>();
  readonly #confirmed = new Set<string>();
  readonly #ended = new Map<Operation, string>();
  #isAtWork = false;

  /** @param msLeft milliseconds until the run ends */
  constructor(msLeft: () => number = () => Number.POSITIVE_INFINITY) {
    this.#msLeft = msLeft;
  }

  /** What is refused of an operation is from now on no sign of a rate limit: it never succeeded. */
  disregard(operation: Operation): void {
    this.#disregarded.add(operation);
  }

  /** A request got the answer that was due. */
  answer(kind: RequestIdentity): void {
    const exactly = nameOf(kind, kind.exactRequest);
    this.#answered.add(nameOf(kind, kind.request));
    this.#answeredExactly.add(exactly);
    this.#served.add(kind.operation);
    this.#isAtWork ||= this.#refused.has(exactly);
  }

  /**
   * A request got a 429 or 503 where another answer was due. Returns whether that is reason to slow down: what is always
   * answered so, or asks to wait beyond the end of the run, would otherwise slow down everything else.
   */
  refuse(kind: RequestIdentity, resetMs = 0): boolean {
    if (this.#disregarded.has(kind.operation)) return false;
    const exactly = nameOf(kind, kind.exactRequest);
    const rule = `${kind.operation} ${kind.rule ?? ''}`;
    // What never succeeded so far is down rather than limited.
    const isNew =
      !this.#refusedRules.has(rule) &&
      this.#refusedRules.size < rulesHeeded &&
      this.#served.has(kind.operation);
    this.#refused.add(exactly);
    this.#refusedRules.add(rule);
    this.#isAtWork ||= this.#answeredExactly.has(exactly);
    return (isNew || this.#isAtWork) && resetMs <= this.#msLeft();
  }

  /** Whether a request of this kind got the answer that was due. */
  hasAnswered(kind: RequestIdentity): boolean {
    return this.#answered.has(nameOf(kind, kind.request));
  }

  /** Whether a rate limit is at work: a request was refused that was answered another time. */
  get isAtWork(): boolean {
    return this.#isAtWork;
  }

  /** Keeps a case in which requests were answered as they were to be. */
  keep(example: Case, kinds: readonly RequestIdentity[]): void {
    for (const kind of kinds) {
      const known = this.#examples.get(dueOf(kind)) ?? new Map<string, Case>();
      this.#examples.set(dueOf(kind), known.set(kind.rule ?? '', example));
    }
  }

  /**
   * Whether a rate limit may have refused a request. Where other kinds were refused too, cases with the same answer due
   * that were answered before are asked again: they are refused now where a limit is at work.
   */
  async suspects(kind: RequestIdentity, ask: (example: Case) => Promise<unknown>): Promise<boolean> {
    if (this.#isAtWork) return true;
    if (this.#refused.size < 2) return false;
    const examples = this.#examplesFor(kind).slice(-examplesAsked);
    for (const example of examples) if (!this.#isAtWork) await ask(example);
    return this.#isAtWork || (examples.length === 0 && this.#refusedRules.size > 1);
  }

  /** Cases that were due the same answers as this request; where there are none, those that were due one of them. */
  #examplesFor(kind: RequestIdentity): readonly Case[] {
    const same = this.#examples.get(dueOf(kind));
    const others = same === undefined ? kind.due.split(' or ').map((due) => dueOf({ ...kind, due })) : [];
    return [same, ...others.map((due) => this.#examples.get(due))].flatMap((byRule) => [
      ...(byRule?.values() ?? []),
    ]);
  }

  /** Whether it was confirmed that requests like this are refused with a status all the time. */
  isConfirmed({ operation }: RequestIdentity, status: number): boolean {
    return !this.#isAtWork && this.#confirmed.has(`${operation} ${status}`);
  }

  /** It was confirmed, after a pause, that requests like this are refused with a status all the time. */
  confirm({ operation }: RequestIdentity, status: number): void {
    this.#confirmed.add(`${operation} ${status}`);
  }

  /** Milliseconds to wait before a refusal tells something; undefined where that is longer than the run may take. */
  pauseMs(refusal: LimitRefusal | undefined): number | undefined {
    const pauseMs = refusal?.resetMs ?? usualWindowMs;
    return pauseMs < this.#msLeft() ? pauseMs : undefined;
  }

  /** Waits before an attempt that was refused is made again. Returns false where it is not to be made. */
  async wait(refusal: LimitRefusal, tries: number, signal: AbortSignal): Promise<boolean> {
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

function dueOf({ operation, due }: RequestIdentity): string {
  return `${operation} ${due}`;
}

function nameOf({ operation, rule }: RequestIdentity, request: string): string {
  return `${operation} ${rule ?? ''} ${request}`;
}
