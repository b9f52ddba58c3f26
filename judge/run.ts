import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { Operation } from '../spec/vocabulary.js';
import type { Target } from '../targets/target.js';
import type { AttemptMeans } from './attempt.js';
import type { Check } from './check.js';
import { Controls } from './controls.js';
import { type Judgement, undecided } from './judgement.js';
import { judgeListed } from './listed.js';
import { PassiveJudge } from './passive.js';
import type { Plan, ReplayedCase } from './plan.js';
import type { Selection } from './selection.js';

/** How far a run has come. */
export interface Progress {
  readonly done: number;
  readonly total: number;
  readonly requests: number;
  readonly violations: number;
}

/** What a run works with. */
export interface RunOptions {
  readonly selection: Selection;
  readonly plan?: Plan;
  /** Checks at once. */
  readonly concurrency: number;
  /** Aborted when the run is to end: interrupted, or out of time. */
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

/** Everything that a run found out, before it is summed up. */
export interface RunRecord {
  readonly judgements: readonly Judgement[];
  readonly passive: PassiveJudge;
  /** Why nothing could be judged; undefined where a positive control held. */
  readonly unjudged: string | undefined;
  /** Errors of the suite itself. */
  readonly faults: readonly string[];
}

const standard: Plan = { seed: 0, depth: 'standard' };
const triesOfAControl = 3;

/** Judges one target: the positive controls first, then every selected check. */
export class Run {
  readonly #means: AttemptMeans;
  readonly #controls: Controls;
  readonly #options: RunOptions;
  readonly #faults: string[] = [];

  constructor(target: Target, options: RunOptions) {
    // Every request in flight listens to it.
    setMaxListeners(0, options.signal);
    this.#means = { target, passive: new PassiveJudge(target), signal: options.signal };
    this.#controls = new Controls(this.#means);
    this.#options = options;
  }

  /** Tries every positive control that the target gives the means for. Says why, where none held. */
  async prove(): Promise<string | undefined> {
    const { possible } = this.#controls;
    if (possible.length === 0)
      return 'no key is known for this target: give --control, or a profile with keys';
    await Promise.all(possible.map((operation) => this.#proveOne(operation)));
    if (this.#controls.anyHeld) return undefined;
    return `no positive control held: ${this.#controls.reason(possible[0] ?? 'key-info') ?? 'none could be tried'}`;
  }

  /** What the rules for every response have seen so far. */
  get passive(): PassiveJudge {
    return this.#means.passive;
  }

  /** Judges one check. Throws only what is the suite's own fault. */
  async judge(check: Check): Promise<Judgement> {
    const judgement = await this.#judgeIfPossible(check);
    for (const { subject } of judgement.passiveFailures) this.passive.confirm(subject);
    return judgement;
  }

  async #judgeIfPossible(check: Check): Promise<Judgement> {
    const { concurrency, plan = standard } = this.#options;
    const lacking = check.needs.flatMap((need) => this.#means.target.lacks(need) ?? []);
    if (lacking.length > 0) return undecided(check, 'skipped', `would take ${lacking.join('; ')}`);
    if (plan.replay !== undefined && !isReplayed(check, plan.replay)) {
      return undecided(check, 'skipped', 'the path names a case of another property');
    }
    return check.kind === 'listed'
      ? judgeListed(check, this.#means, this.#controls)
      : check.judge(this.#means, this.#controls, plan, concurrency);
  }

  /** Judges the checks that the selection asks for, side by side. */
  async judgeAll(checks: readonly Check[]): Promise<RunRecord> {
    const unjudged = await this.prove();
    const judgements = unjudged === undefined ? await this.#judgeSelected(checks) : [];
    return { judgements, passive: this.passive, unjudged, faults: this.#faults };
  }

  async #judgeSelected(checks: readonly Check[]): Promise<readonly Judgement[]> {
    const selected = selectedChecks(checks, this.#options.selection);
    const limit = pLimit(this.#options.concurrency);
    const judgements: Judgement[] = [];
    let done = 0;
    const judgeOne = async (check: Check): Promise<void> => {
      await this.judge(check).then(
        (judgement) => judgements.push(judgement),
        (error: unknown) => this.#faults.push(`${check.id}: ${messageOf(error)}`),
      );
      done += 1;
      this.#tell(done, selected.length, judgements);
    };
    await Promise.all(selected.map((check) => limit(judgeOne, check)));
    return checks.flatMap((check) => judgements.find((judgement) => judgement.check === check) ?? []);
  }

  #tell(done: number, total: number, judgements: readonly Judgement[]): void {
    const violations = judgements.reduce(
      (sum, { failures, passiveFailures }) => sum + failures.length + passiveFailures.length,
      0,
    );
    this.#options.onProgress?.({ done, total, requests: this.#means.target.client.sent, violations });
  }

  async #proveOne(operation: Operation): Promise<void> {
    for (let tries = 1; tries <= triesOfAControl && !this.#means.signal.aborted; tries++) {
      const { succeeded } = await this.#controls.try(operation);
      if (succeeded) return;
      await sleep(100 * tries, undefined, { signal: this.#means.signal }).catch(() => undefined);
    }
  }
}

/**
 * The checks that decide a selected requirement. Where only passive requirements are selected, every check
 * runs, since they are judged on whatever the others send.
 */
function selectedChecks(checks: readonly Check[], selection: Selection): readonly Check[] {
  const deciding = checks.filter((check) => check.decides.some((id) => selection.has(id)));
  const passiveOnly = deciding.length === 0 && PassiveJudge.requirements.some((id) => selection.has(id));
  return passiveOnly ? checks : deciding;
}

function isReplayed(check: Check, { property }: ReplayedCase): boolean {
  return check.kind === 'generated' && check.property === property;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
