import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RequirementId } from '../spec/ledger.js';
import { getOrInsert } from '../spec/maps.js';
import type { Operation } from '../spec/vocabulary.js';

/** Tells requests apart where a rate limit refuses some of them. */
export interface RequestIdentity {
  readonly operation: Operation;
  /** The requirement that says which answer is due, if any. */
  readonly rule: RequirementId | undefined;
  /** The statuses of the expected answers. */
  readonly due: readonly number[];
  /** The request without what differs from run to run. */
  readonly request: string;
  /** The same with the names of secrets: what depends on a name is not a rate limit. */
  readonly exactRequest: string;
}

/** A refusal for a rate limit, or for trouble that looks like one (429, 503). */
export interface LimitRefusal {
  readonly operation: Operation;
  /** The request and its answer, in words. */
  readonly got: string;
  /** Milliseconds until the limit resets, where the answer says so. */
  readonly resetMs: number | undefined;
}

// Retries of an attempt that met a rate limit, after pauses that grow by a factor.
const maxTries = 6;
const firstPauseMs = 50;
const pauseFactor = 3;
// Most limits have a window of a minute.
const defaultWindowMs = 61_000;
const examplesAsked = 4;
// Until it is clear that a rate limit is at work, the first refusal of each of so many rules slows the run down.
const rulesHeeded = 12;
const statusesShown = 5;

/** The rate limits that a run has met, and its noise. */
export class RateLimits<Case = unknown> {
  /** Digests of the requests that got the expected answer, with and without what differs from run to run. */
  readonly #answered = new Set<string>();
  readonly #disregarded = new Set<Operation>();
  readonly #served = new Set<Operation>();
  readonly #refused = new Set<string>();
  /** The statuses that requests got in place of the expected answer, by their digests. */
  readonly #unexpected = new Map<string, (number | undefined)[]>();
  /** How often each operation gave an unexpected status that did not recur; a key is `inference 500`. */
  readonly #transientStatuses = new Map<string, number>();
  /** By the rule of the request: unexpected answers that did not recur, and expected ones. */
  readonly #transient = new Map<RequirementId | undefined, number>();
  readonly #expected = new Map<RequirementId | undefined, number>();
  /** The last answered case of each rule, by the answer that was due. */
  readonly #examples = new Map<string, Map<string, Case>>();
  readonly #refusedRules = new Set<string>();
  readonly #confirmed = new Set<string>();
  readonly #ended = new Map<Operation, string>();
  #isAtWork = false;

  /** @param msLeft milliseconds until the run ends */
  constructor(private readonly msLeft: () => number = () => Number.POSITIVE_INFINITY) {}

  /** Disregards refusals of an operation from now on: it never succeeded. */
  disregard(operation: Operation): void {
    this.#disregarded.add(operation);
  }

  noteExpected(identity: RequestIdentity): void {
    const exactly = digest(identity, identity.exactRequest);
    if (!this.#answered.has(exactly))
      for (const status of this.#unexpected.get(exactly) ?? []) this.#noteTransient(identity, status);
    add(this.#expected, identity.rule);
    this.#answered.add(digest(identity, identity.request)).add(exactly);
    this.#served.add(identity.operation);
    this.#isAtWork ||= this.#refused.has(exactly);
  }

  /**
   * Notes a 429 or 503 where another answer was due. Returns whether to slow down for it: not if the request always gets it,
   * nor if it asks to wait beyond the end of the run.
   */
  noteRefusal(identity: RequestIdentity, resetMs = 0): boolean {
    if (this.#disregarded.has(identity.operation)) return false;
    const exactly = digest(identity, identity.exactRequest);
    const rule = `${identity.operation} ${identity.rule ?? ''}`;
    // What never succeeded is down rather than limited.
    const isNew =
      !this.#refusedRules.has(rule) &&
      this.#refusedRules.size < rulesHeeded &&
      this.#served.has(identity.operation);
    this.#refused.add(exactly);
    this.#refusedRules.add(rule);
    this.#isAtWork ||= this.#answered.has(exactly);
    return (isNew || this.#isAtWork) && resetMs <= this.msLeft();
  }

  /** Notes that a request got another answer than the expected one, or none, without a status. */
  noteUnexpected(identity: RequestIdentity, status?: number): void {
    // Which of several answers is due depends on what was sent before, and so may an answer that is wrong.
    if (identity.due.length > 1) return;
    const exactly = digest(identity, identity.exactRequest);
    if (this.#answered.has(exactly)) this.#noteTransient(identity, status);
    else getOrInsert(this.#unexpected, exactly, () => []).push(status);
  }

  #noteTransient({ rule, operation }: RequestIdentity, status: number | undefined): void {
    add(this.#transient, rule);
    // Any network loses a connection now and then.
    if (status !== undefined) add(this.#transientStatuses, `${operation} ${status}`);
  }

  /** Notes for the report, in sentences. */
  get notes(): readonly string[] {
    const kinds = [...this.#transientStatuses].sort(([, one], [, other]) => other - one);
    const count = kinds.reduce((sum, [, times]) => sum + times, 0);
    if (count === 0) return [];
    const shown = kinds.slice(0, statusesShown).map(([kind, times]) => `${kind} (${times})`);
    const more = kinds.length > statusesShown ? ', and others' : '';
    return [
      `${count} ${count === 1 ? 'answer was' : 'answers were'} unexpected, though the same request was answered correctly another time: ${shown.join(', ')}${more}. This alone fails no requirement.`,
    ];
  }

  /**
   * Returns the share of answers that were unexpected although the same request got the expected one another time. Leaves
   * out one rule: a race in the service, which only that rule shows, would pass for noise.
   */
  noiseExcept(rule: RequirementId): number {
    const transient = sumExcept(this.#transient, rule);
    return transient / Math.max(1, transient + sumExcept(this.#expected, rule));
  }

  /** Whether some request got an unexpected answer, and the expected one another time. */
  get isNoisy(): boolean {
    return this.#transient.size > 0;
  }

  /** Whether a request like this got the expected answer, perhaps for a secret of another name. */
  hasAnswered(identity: RequestIdentity): boolean {
    return this.#answered.has(digest(identity, identity.request));
  }

  /** Whether this very request got the expected answer, for a secret of the same name. */
  hasAnsweredExactly(identity: RequestIdentity): boolean {
    return this.#answered.has(digest(identity, identity.exactRequest));
  }

  /** Whether a rate limit is at work: a request was refused that got its answer another time. */
  get isAtWork(): boolean {
    return this.#isAtWork;
  }

  /** Keeps a case whose requests got the expected answers. */
  keepExample(example: Case, identities: readonly RequestIdentity[]): void {
    for (const identity of identities)
      getOrInsert(this.#examples, makeDueKey(identity), () => new Map()).set(identity.rule ?? '', example);
  }

  /** Whether a rate limit may have refused a request. Repeats cases that passed: a limit at work refuses them now. */
  async suspects(identity: RequestIdentity, ask: (example: Case) => Promise<unknown>): Promise<boolean> {
    if (this.#isAtWork) return true;
    if (this.#refused.size < 2) return false;
    const examples = this.#examplesFor(identity).slice(-examplesAsked);
    for (const example of examples) if (!this.#isAtWork) await ask(example);
    return this.#isAtWork || (examples.length === 0 && this.#refusedRules.size > 1);
  }

  /** Lists cases with the same answers due as this request or, failing that, with one of them. */
  #examplesFor(identity: RequestIdentity): readonly Case[] {
    const ofDue = (due: readonly number[]) => this.#examples.get(makeDueKey({ ...identity, due }));
    const same = ofDue(identity.due);
    const alike = same === undefined ? identity.due.map((status) => ofDue([status])) : [same];
    return alike.flatMap((byRule) => [...(byRule?.values() ?? [])]);
  }

  /** Whether requests like this are confirmed to be refused with a status every time. */
  isConfirmed({ operation }: RequestIdentity, status: number): boolean {
    return !this.#isAtWork && this.#confirmed.has(`${operation} ${status}`);
  }

  /** Notes that requests like this are refused with a status every time, even after a pause. */
  confirm({ operation }: RequestIdentity, status: number): void {
    this.#confirmed.add(`${operation} ${status}`);
  }

  /** Milliseconds to wait before a refusal proves something; undefined where the run has less time left. */
  pauseMs(refusal: LimitRefusal | undefined): number | undefined {
    const pauseMs = refusal?.resetMs ?? defaultWindowMs;
    return pauseMs < this.msLeft() ? pauseMs : undefined;
  }

  /** Waits before a refused attempt is retried. Returns false where it must not be. */
  async wait(refusal: LimitRefusal, tries: number, signal: AbortSignal): Promise<boolean> {
    if (!this.#isAtWork || tries >= maxTries) return false;
    const { operation, got, resetMs = 0 } = refusal;
    if (resetMs > this.msLeft()) {
      this.#ended.set(operation, `${got}, which asks to wait for ${Math.ceil(resetMs / 1_000)} s`);
      return false;
    }
    const pauseMs = Math.max(resetMs, firstPauseMs * pauseFactor ** (tries - 1) * (0.5 + Math.random()));
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    return !signal.aborted;
  }

  /** Explains why nothing more is sent to an operation; undefined where it is. */
  explainEnd(operation: Operation): string | undefined {
    return this.#ended.get(operation);
  }
}

function add<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function sumExcept<Key>(counts: ReadonlyMap<Key, number>, key: Key): number {
  let sum = 0 - (counts.get(key) ?? 0);
  for (const count of counts.values()) sum += count;
  return sum;
}

function makeDueKey({ operation, due }: RequestIdentity): string {
  return `${operation} ${due.join()}`;
}

/** Digests a request of an identity and the answer due to it: a run may send a hundred thousand that differ in a name. */
function digest({ operation, rule, due }: RequestIdentity, request: string): string {
  return hash('sha1', `${operation} ${rule ?? ''} ${due.join()} ${request}`, 'base64');
}
