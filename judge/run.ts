import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { areaOf, type RequirementId, requirement } from '../spec/ledger.js';
import { makeReason, type Reason, reportReason } from '../spec/reasons.js';
import { messageOf } from '../spec/thrown.js';
import type { Operation } from '../spec/vocabulary.js';
import { UnusableControl } from '../targets/control-client.js';
import type { Target } from '../targets/target.js';
import { type AttemptSpec, awaitAll, explainAbort, type RunContext } from './attempt.js';
import { plainRequests } from './call.js';
import { type Check, type Judgement, makeJudgement } from './check.js';
import { ConfirmedRows } from './confirmation-history.js';
import type { Violation } from './finding.js';
import { examineWithoutKeys, judgeWithoutKeys, type KeylessAddress } from './keyless-checks.js';
import { PassiveJudge } from './passive.js';
import { goesBeyondOpening, type Shard, wholeRun } from './plan.js';
import { PositiveControls } from './positive-controls.js';
import { RateLimits } from './rate-limits.js';
import { findDecidableRows, runCheck } from './run-check.js';
import type { Limits, RunDeadline } from './run-limits.js';
import type { RunRecord } from './run-record.js';
import { assignToShard, estimateRequests, planShard, type RunScope, type ShardPlan } from './shard-plan.js';
import { SharedLock } from './shared-lock.js';
import type { TrafficLog } from './traffic-log.js';
import { WorldAudit } from './world-audit.js';
import { WorldPool } from './world-pool.js';

/** What a run judges, how hard, and when it must stop. */
export interface RunOptions extends RunScope {
  readonly checks: readonly Check[];
  readonly limits: Pick<Limits, 'concurrency'>;
  readonly deadline: Pick<RunDeadline, 'signal'> & Partial<Pick<RunDeadline, 'msLeft'>>;
}

interface Progress extends Readonly<Record<'done' | 'total' | 'requests' | 'violations', number>> {
  /** Estimates how many requests the run will send in all. The first call takes time. */
  readonly expectedRequests: () => number;
}

/** The callbacks of a run, and the log to which it adds its traffic. */
export interface RunEvents {
  /** Called before anything is judged with what would become of each check if the process were killed. */
  readonly onBegin?: (forecast: readonly Judgement[]) => void;
  readonly onProgress?: (progress: Progress) => void;
  /** Called after each check; `seen` is what the rules for every response have seen so far. */
  readonly onJudged?: (judgement: Judgement, seen: Run['seen']) => void;
  /** Called with violations as soon as they are confirmed. */
  readonly onViolations?: (violations: readonly Violation[]) => void;
  readonly trafficLog?: TrafficLog;
}

const triesOfAControl = 3;
// Fewer checks at a time share more worlds, each of which costs two requests. A distant target needs more at a time.
const openingConcurrency = { nearby: 2, withLowBudget: 4 } as const;
const nearbyMs = 20;
const msBetweenAnswers = 5;

/** One run against a target: first its positive controls, then every selected check. */
export class Run {
  readonly #context: RunContext;
  readonly #openingContext: RunContext;
  readonly #controls: PositiveControls;
  readonly #plan: ShardPlan;
  readonly #faults: string[] = [];
  readonly #judgements = new Map<Check, Judgement>();
  readonly #violated = new Set<RequirementId>();
  /** Checks that the opening left inconclusive, to be judged again. */
  readonly #deferred = new Set<Check>();
  /** Checks that something hindered each time, with their judgements: an outage may be over by the end of the run. */
  readonly #hindered = new Map<Check, Judgement>();
  #isLastRound = false;
  #total = 0;
  #expectedRequests: number | undefined;
  readonly #start = performance.now();
  #unusable: UnusableControl | undefined;

  constructor(
    target: Target,
    private readonly options: RunOptions,
    private readonly events: RunEvents,
  ) {
    const { signal, msLeft } = options.deadline;
    const { trafficLog } = events;
    // Every request in flight listens to it.
    setMaxListeners(0, signal);
    // Listing each world would leave the opening too few requests to confirm what it finds.
    const audit = this.#goesBeyondOpening ? new WorldAudit<AttemptSpec>(signal) : undefined;
    const worlds = new WorldPool<AttemptSpec>(target, signal, audit?.audit);
    this.#context = {
      ...{ target, passive: new PassiveJudge(target), signal, worlds, audit, trafficLog },
      rateLimits: new RateLimits(msLeft),
      arrangements: new Map(),
      wrongInOneWorld: new Map(),
      lock: new SharedLock(),
    };
    this.#openingContext = { ...this.#context, opening: new ConfirmedRows() };
    this.#controls = new PositiveControls(this.#context);
    const decidableRows = (check: Check) =>
      this.#findLacking(check) === undefined ? findDecidableRows(check, target) : undefined;
    this.#plan = planShard(options.checks, options, decidableRows);
  }

  /** What the rules for every response have seen so far, including positive controls. */
  get seen(): Pick<RunRecord, 'passive' | 'controlViolations' | 'controlInconclusive'> {
    const { violations: controlViolations, inconclusive: controlInconclusive } = this.#controls;
    return { passive: this.#context.passive, controlViolations, controlInconclusive };
  }

  /** Judges the selected checks side by side. Rejects with UnusableControl as the target does. */
  async judge(): Promise<RunRecord> {
    const { target, signal } = this.#context;
    const { own, division } = this.#plan;
    this.events.onBegin?.(own.map((check) => this.#forecast(check)));
    const hasControls = this.#controls.possible.length > 0;
    const keyless = hasControls ? undefined : await examineWithoutKeys(target, signal);
    const unjudged = keyless === undefined ? await this.#tryPositiveControls() : keyless.unjudged;
    if (own.some(({ control }) => control === 'vault-delete')) await this.#controls.withdrawWrongSibling();
    // Where nothing succeeded, only a leak says something of the service.
    const findControlViolations = () =>
      this.#controls.violations.filter(
        (violation) => unjudged === undefined || areaOf(violation.requirement) === 'secrecy',
      );
    this.#announce(findControlViolations());
    const judgements =
      unjudged === undefined ? await this.#judgeShard() : await this.#judgeWithoutKeys(keyless);
    if (this.#unusable !== undefined) throw this.#unusable;
    return {
      judgements,
      unjudged,
      division,
      stopped: signal.aborted ? makeReason('stopped', explainAbort(signal)) : undefined,
      ...this.seen,
      controlViolations: findControlViolations(),
      // Taken before the run cleans up: a server that answers nothing only then was not down.
      notes:
        unjudged === undefined
          ? [...this.#controls.notes, ...target.client.notes, ...this.#context.rateLimits.notes]
          : [],
      faults: this.#faults,
    };
  }

  /** Says what would become of a check if the process were killed now. */
  #forecast(check: Check): Judgement {
    const lacking = this.#findLacking(check);
    return lacking === undefined
      ? makeJudgement(check, 'inconclusive', makeReason('killed'))
      : makeJudgement(check, 'skipped', lacking);
  }

  /** Tries every positive control that the target gives the means for. Says why, where none passed. */
  async #tryPositiveControls(): Promise<string | undefined> {
    const { signal, rateLimits } = this.#context;
    const { possible } = this.#controls;
    await awaitAll(possible.map((operation) => this.#tryPositiveControl(operation)));
    for (const operation of possible)
      if (this.#controls.excuse(operation) !== undefined) rateLimits.disregard(operation);
    if (!signal.aborted) await this.#controls.diagnose();
    if (this.#controls.isAnyServed) return undefined;
    if (signal.aborted) return explainAbort(signal);
    const [first] = possible.map((one) => reportReason(this.#controls.explainFailure(one)).reason);
    const notes = this.#controls.notes.map((note) => note.replace(/\.$/, ''));
    return `no positive control passed: ${notes.length === 0 ? first : notes.join('; ')}`;
  }

  async #tryPositiveControl(operation: Operation): Promise<void> {
    const { signal } = this.#context;
    for (let tries = 1; tries <= triesOfAControl && !signal.aborted; tries++) {
      // The first try shares a world. Later ones open their own, since a server may refuse the IDs of one world.
      const context = tries === 1 ? this.#openingContext : this.#context;
      const { succeeded } = await this.#controls.try(operation, context);
      if (succeeded) return;
      await sleep(100 * tries, undefined, { signal }).catch(() => undefined);
    }
    if (!signal.aborted) await this.#controls.tryOtherRequests(operation);
  }

  /** Judges a target of which no key is known. Does nothing if a key is known, or if another shard does it. */
  async #judgeWithoutKeys(keyless: KeylessAddress | undefined): Promise<readonly Judgement[]> {
    const { selection, shard = wholeRun } = this.options;
    if (keyless === undefined || shard.index !== 1) return [];
    const judgements = await judgeWithoutKeys(this.#context, selection, keyless);
    for (const judgement of judgements) this.#publish(judgement);
    return judgements;
  }

  async #judgeShard(): Promise<readonly Judgement[]> {
    const { opening, own } = this.#plan;
    this.#total = own.length;
    const before = own.filter(({ kind }) => kind !== 'final');
    const last = own.filter(({ kind }) => kind === 'final');
    await this.#judgeEach(
      before.filter((check) => opening.has(check)),
      this.#openingContext,
    );
    // A run that ends with the opening has a low budget throughout.
    const context = this.#goesBeyondOpening ? this.#context : this.#openingContext;
    const rest = before.filter((check) => !opening.has(check) || this.#deferred.has(check));
    await this.#judgeEach(rest, context);
    const further = this.#chooseFurther();
    this.#total += further.length;
    await this.#judgeEach(further, context);
    await this.#judgeHindered();
    await this.#judgeEach(last, context);
    await this.#context.worlds.closeUnused();
    return this.options.checks.flatMap((check) => this.#judgements.get(check) ?? []);
  }

  /** Judges once more what something hindered each time. What still hinders it then stays. */
  async #judgeHindered(): Promise<void> {
    this.#isLastRound = true;
    if (!this.#context.signal.aborted) await this.#judgeEach([...this.#hindered.keys()], this.#context);
    for (const judgement of this.#hindered.values()) this.#publish(judgement);
  }

  /** Chooses checks beyond the selected ones, for selected passive rules that no response has shown yet. */
  #chooseFurther(): readonly Check[] {
    const { checks, selection, shard = wholeRun, plan } = this.options;
    const { chosen } = this.#plan;
    // A shard does not know what the other shards saw, so it adds nothing.
    if (chosen.length > 0 && (!this.#goesBeyondOpening || shard.of > 1)) return [];
    const { target, passive } = this.#context;
    const unseen = PassiveJudge.requirements.filter((id) => {
      const lacksNothing = requirement(id).needs?.every((need) => target.lacks(need) === undefined) ?? true;
      return selection.has(id) && passive.tally(id).size === 0 && lacksNothing;
    });
    const sought = this.#controls.possible.filter(
      (operation) =>
        this.#controls.hasSucceeded(operation) && unseen.some((id) => PassiveJudge.concerns(id, operation)),
    );
    const others = checks.filter((check) => !chosen.includes(check) && sought.includes(check.control));
    return assignToShard(others, shard, plan);
  }

  get #goesBeyondOpening(): boolean {
    return goesBeyondOpening(this.options.plan.depth);
  }

  async #judgeEach(checks: readonly Check[], context: RunContext): Promise<void> {
    const { concurrency } = this.options.limits;
    const limit = pLimit(context.opening === undefined ? concurrency : this.#openingConcurrency);
    const judgeOne = async (check: Check): Promise<void> => {
      await context.opening?.waitForUrgent();
      if (this.#unusable !== undefined) return;
      await this.#judge(check, context).then(
        (judgement) => this.#keep(check, judgement, context),
        (error: unknown) => {
          if (error instanceof UnusableControl) this.#unusable = error;
          else this.#faults.push(`${check.id}: ${messageOf(error)}`);
        },
      );
      this.#reportProgress();
    };
    for (const check of checks) if (check.serial === true) await judgeOne(check);
    const others = checks.filter(({ serial }) => serial !== true);
    await Promise.all(others.map((check) => limit(judgeOne, check)));
  }

  get #openingConcurrency(): number {
    const { nearby, withLowBudget } = openingConcurrency;
    const { concurrency } = this.options.limits;
    const { fastestMs } = this.#context.target.client;
    if (fastestMs <= nearbyMs) return Math.min(nearby, concurrency);
    const atMost = this.#goesBeyondOpening ? concurrency : Math.min(concurrency, withLowBudget);
    return Math.min(Math.ceil(fastestMs / msBetweenAnswers), atMost);
  }

  async #judge(check: Check, context: RunContext): Promise<Judgement> {
    const start = performance.now();
    const judgement = await this.#judgeUnlessLacking(check, context);
    for (const { subject } of judgement.passiveFailures) context.passive.confirm(subject);
    return { ...judgement, durationMs: performance.now() - start, startedMs: start - this.#start };
  }

  /**
   * Keeps a judgement. What the opening left inconclusive is judged again after it; what was hindered, at the end.
   * @param check as it was planned; that of the judgement may decide more
   */
  #keep(check: Check, judgement: Judgement, { opening }: RunContext): void {
    const isJudgedAgain = opening !== undefined && this.#goesBeyondOpening;
    if (isJudgedAgain && isUnrepeated(judgement)) {
      this.#deferred.add(check);
      return;
    }
    const before = this.#hindered.get(check);
    // A second judgement that was cut short says less than the first one.
    if (before !== undefined && this.#context.signal.aborted) return;
    this.#judgements.set(check, judgement);
    this.#hindered.delete(check);
    if (this.#goesBeyondOpening && !this.#isLastRound && wasHindered(judgement))
      this.#hindered.set(check, judgement);
    else this.#publish(judgement);
  }

  async #judgeUnlessLacking(check: Check, context: RunContext): Promise<Judgement> {
    const { plan, limits } = this.options;
    const lacking = this.#findLacking(check) ?? this.#controls.findMissing(check.control);
    if (lacking !== undefined) return makeJudgement(check, 'skipped', lacking);
    const ended = this.#context.rateLimits.explainEnd(check.control);
    if (ended !== undefined) return makeJudgement(check, 'inconclusive', makeReason('disturbed', ended));
    const { replay } = plan;
    if (replay !== undefined && check.kind !== 'final' && check.property !== replay.property)
      return makeJudgement(check, 'skipped', makeReason('other-case'));
    const shared = { context, controls: this.#controls, violated: this.#violated };
    const means = { ...shared, plan, shard: this.#shardOf(check), concurrency: limits.concurrency };
    return check.kind === 'written' ? runCheck(check, means) : check.judge(means);
  }

  #shardOf(check: Check): Shard {
    return this.#plan.divided.has(check) ? (this.options.shard ?? wholeRun) : wholeRun;
  }

  /** Finds what the target lacks for a check; undefined where it lacks nothing. */
  #findLacking(check: Check): Reason | undefined {
    const needs = new Set([...check.needs, ...plainRequests[check.control].needs]);
    const lacking = [...needs].flatMap((need) => this.#context.target.lacks(need) ?? []);
    return lacking.length === 0 ? undefined : makeReason('lacking', ...lacking);
  }

  #publish(judgement: Judgement): void {
    this.events.onJudged?.(judgement, this.seen);
    this.#announce([...judgement.failures, ...judgement.passiveFailures]);
  }

  #announce(violations: readonly Violation[]): void {
    const { selection } = this.options;
    const selected = violations.filter((violation) => selection.has(violation.requirement));
    for (const violation of selected) this.#violated.add(violation.requirement);
    if (selected.length > 0) this.events.onViolations?.(selected);
  }

  #estimateRequests(): number {
    return this.#plan.own
      .filter((check) => this.#findLacking(check) === undefined)
      .reduce((sum, check) => sum + estimateRequests(check, this.options.plan) / this.#shardOf(check).of, 0);
  }

  #reportProgress(): void {
    const { sent } = this.#context.target.client;
    this.events.onProgress?.({
      done: this.#judgements.size,
      total: this.#total,
      requests: sent,
      expectedRequests: () => (this.#expectedRequests ??= this.#estimateRequests()),
      violations: this.#violated.size,
    });
  }
}

/** Whether a check was not repeated, since another one had confirmed its findings meanwhile. */
function isUnrepeated({ outcome, reason, passiveFailures }: Judgement): boolean {
  return outcome === 'inconclusive' && passiveFailures.length === 0 && reason?.code === 'disturbed';
}

/** Whether every attempt of a check failed, without a violation to show for it. */
function wasHindered({ outcome, reason, failures, passiveFailures }: Judgement): boolean {
  const [failed, attempts] = reason?.code === 'intermittent' ? (reason.details ?? []) : [];
  const failedThroughout = failed === attempts && (failed !== undefined || reason?.code === 'control-failed');
  return outcome === 'inconclusive' && failures.length + passiveFailures.length === 0 && failedThroughout;
}
