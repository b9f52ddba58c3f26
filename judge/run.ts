import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { areaOf, type RequirementId, requirement } from '../spec/ledger.js';
import { makeReason, type Reason, reportReason } from '../spec/reasons.js';
import { messageOf } from '../spec/thrown.js';
import type { Operation } from '../spec/vocabulary.js';
import { UnusableControl } from '../targets/control-client.js';
import type { Target } from '../targets/target.js';
import { type AttemptSpec, explainAbort, type RunContext, unlessAborted } from './attempt.js';
import { plainRequests } from './call.js';
import { type Check, type Judgement, makeJudgement } from './check.js';
import { ConfirmedRows } from './confirmation-history.js';
import type { Violation } from './finding.js';
import { examineWithoutKeys, judgeWithoutKeys, type KeylessAddress } from './keyless-checks.js';
import { PassiveJudge } from './passive.js';
import { depths, type ReplayedCase, wholeRun } from './plan.js';
import { PositiveControls } from './positive-controls.js';
import { RateLimits } from './rate-limits.js';
import { findDecidableRows, runCheck } from './run-check.js';
import type { RunRecord } from './run-record.js';
import { assignToShard, isLastCheck, planShard, type RunScope, type ShardPlan } from './shard-plan.js';
import { SharedLock } from './shared-lock.js';
import type { TrafficLog } from './traffic-log.js';
import { WorldAudit } from './world-audit.js';
import { WorldPool } from './world-pool.js';

interface Progress {
  readonly done: number;
  readonly total: number;
  readonly requests: number;
  /** Requirements that have failed so far. */
  readonly violations: number;
}

export interface RunOptions extends RunScope {
  readonly concurrency: number;
  /** Aborted when the run must stop: interrupted, or out of time. */
  readonly signal: AbortSignal;
  /** Milliseconds until the time is up; unlimited where absent. */
  readonly msLeft?: (() => number) | undefined;
  readonly onProgress?: (progress: Progress) => void;
  /** Receives every check once it is judged. */
  readonly onJudged?: (judgement: Judgement) => void;
  /** Receives violations as soon as they are confirmed. */
  readonly onViolations?: (violations: readonly Violation[]) => void;
  readonly trafficLog?: TrafficLog;
}

const triesOfAControl = 3;
// With fewer checks at once more of them share a world, and a world costs two requests. A distant target needs more at once.
const openingConcurrency = { nearby: 2, withLowBudget: 4 } as const;
const nearbyMs = 20;
const msBetweenAnswers = 5;

/** Judges one target: positive controls first, then every selected check. */
export class Run {
  readonly #context: RunContext;
  /** What the opening of the plan is judged with. */
  readonly #openingContext: RunContext;
  readonly #controls: PositiveControls;
  readonly #faults: string[] = [];
  readonly #judgements = new Map<Check, Judgement>();
  readonly #violated = new Set<RequirementId>();
  /** Checks that the opening left inconclusive, to be judged again. */
  readonly #deferred = new Set<Check>();
  #total = 0;
  readonly #start = performance.now();
  #unusable: UnusableControl | undefined;
  /** Who answers if no operation can be tried; undefined if one can. */
  #keyless: KeylessAddress | undefined;

  constructor(
    target: Target,
    private readonly options: RunOptions,
  ) {
    // Every request in flight listens to it.
    setMaxListeners(0, options.signal);
    const { signal, trafficLog, msLeft } = options;
    // Listing each world would leave the opening too few requests to confirm what it finds.
    const audit = this.#goesBeyondOpening ? new WorldAudit<AttemptSpec>(signal) : undefined;
    const worlds = new WorldPool<AttemptSpec>(target, signal, audit?.audit);
    this.#context = {
      ...{ target, passive: new PassiveJudge(target), signal, worlds, audit, trafficLog },
      limits: new RateLimits(msLeft),
      settled: new Set(),
      lock: new SharedLock(),
    };
    this.#openingContext = { ...this.#context, opening: new ConfirmedRows() };
    this.#controls = new PositiveControls(this.#context);
  }

  /** What the rules for every response have seen so far, including positive controls. */
  get seen(): Pick<RunRecord, 'passive' | 'controlViolations' | 'controlInconclusive'> {
    const { passive } = this.#context;
    const { violations: controlViolations, inconclusive: controlInconclusive } = this.#controls;
    return { passive, controlViolations, controlInconclusive };
  }

  /** Says what would become of the checks if the run ended now for a reason. */
  forecast(checks: readonly Check[], reason: Reason): readonly Judgement[] {
    const { own } = this.#planShard(checks);
    return own.map((check) => {
      const lacking = this.#findLacking(check);
      return makeJudgement(check, lacking === undefined ? 'inconclusive' : 'skipped', lacking ?? reason);
    });
  }

  /** Judges the selected checks side by side. Rejects with UnusableControl as the target does. */
  async judgeAll(checks: readonly Check[]): Promise<RunRecord> {
    const { signal } = this.#context;
    const shardPlan = this.#planShard(checks);
    const unjudged = await this.#tryControls();
    if (shardPlan.own.some(({ control }) => control === 'vault-delete'))
      await this.#controls.withdrawWrongSibling();
    // Where nothing succeeded, only a leak says something of the service.
    const findControlViolations = () =>
      this.#controls.violations.filter(
        (violation) => unjudged === undefined || areaOf(violation.requirement) === 'secrecy',
      );
    this.#announce(findControlViolations());
    const judgements =
      unjudged === undefined ? await this.#judgeShard(shardPlan, checks) : await this.#judgeWithoutKeys();
    if (this.#unusable !== undefined) throw this.#unusable;
    return {
      judgements,
      unjudged,
      division: shardPlan.division,
      stopped: signal.aborted ? makeReason('stopped', explainAbort(signal)) : undefined,
      ...this.seen,
      controlViolations: findControlViolations(),
      notes: unjudged === undefined ? this.#controls.notes : [],
      faults: this.#faults,
    };
  }

  /** Plans which checks this run judges, and in which order. */
  #planShard(checks: readonly Check[]): ShardPlan {
    const { target } = this.#context;
    const decidableRows = (check: Check) =>
      this.#findLacking(check) === undefined ? findDecidableRows(check, target) : undefined;
    return planShard(checks, { ...this.options, decidableRows });
  }

  /** Tries every positive control that the target gives the means for. Says why, where none passed. */
  async #tryControls(): Promise<string | undefined> {
    const { possible } = this.#controls;
    if (possible.length === 0) return this.#examineWithoutKeys();
    await Promise.all(possible.map((operation) => this.#tryControl(operation)));
    for (const operation of possible)
      if (this.#controls.excuse(operation) !== undefined) this.#context.limits.disregard(operation);
    if (!this.#context.signal.aborted) await this.#controls.diagnose();
    if (this.#controls.isAnyServed) return undefined;
    if (this.#context.signal.aborted) return explainAbort(this.#context.signal);
    const reasons = possible.map(
      (operation) => reportReason(this.#controls.explainFailure(operation)).reason,
    );
    const notes = this.#controls.notes.map((note) => note.replace(/\.$/, ''));
    return `no positive control passed: ${notes.length === 0 ? reasons[0] : notes.join('; ')}`;
  }

  async #tryControl(operation: Operation): Promise<void> {
    for (let tries = 1; tries <= triesOfAControl && !this.#context.signal.aborted; tries++) {
      const { succeeded } = await this.#controls.try(operation, this.#openingContext);
      if (succeeded) return;
      await sleep(100 * tries, undefined, { signal: this.#context.signal }).catch(() => undefined);
    }
    if (operation === 'inference' && !this.#context.signal.aborted) await this.#controls.tryPaidModel();
  }

  async #examineWithoutKeys(): Promise<string> {
    const { target, signal } = this.#context;
    this.#keyless = await unlessAborted(signal, () => examineWithoutKeys(target, signal));
    return this.#keyless?.unjudged ?? explainAbort(signal);
  }

  /** Judges what can be judged where no key is known; nothing where one is, or where another shard does. */
  async #judgeWithoutKeys(): Promise<readonly Judgement[]> {
    const { selection, shard = wholeRun, onJudged } = this.options;
    if (this.#keyless === undefined || shard.index !== 1) return [];
    const judgements = await judgeWithoutKeys(this.#context, selection, this.#keyless);
    for (const judgement of judgements) {
      onJudged?.(judgement);
      this.#announce(violationsOf(judgement));
    }
    return judgements;
  }

  async #judgeShard(shardPlan: ShardPlan, checks: readonly Check[]): Promise<readonly Judgement[]> {
    const { opening, own } = shardPlan;
    this.#total = own.length;
    const before = own.filter((check) => !isLastCheck(check));
    await this.#judgeEach(
      before.filter((check) => opening.has(check)),
      this.#openingContext,
    );
    // A run that ends with the opening has a low budget throughout.
    const context = this.#goesBeyondOpening ? this.#context : this.#openingContext;
    const rest = before.filter((check) => !opening.has(check) || this.#deferred.has(check));
    await this.#judgeEach(rest, context);
    const further = this.#chooseFurther(shardPlan, checks);
    this.#total += further.length;
    await this.#judgeEach(further, context);
    await this.#judgeEach(own.filter(isLastCheck), context);
    await this.#context.worlds.giveBackIdle();
    return checks.flatMap((check) => this.#judgements.get(check) ?? []);
  }

  /** Chooses checks that were not selected, for the rules for every response to which the selected ones showed nothing. */
  #chooseFurther({ chosen }: ShardPlan, checks: readonly Check[]): readonly Check[] {
    const { selection, shard = wholeRun, plan } = this.options;
    // A shard does not know what the other shards saw, so it adds nothing.
    if (chosen.length > 0 && (!this.#goesBeyondOpening || shard.of > 1)) return [];
    const unseen = PassiveJudge.requirements.filter(
      (id) => selection.has(id) && this.#context.passive.tally(id).size === 0 && this.#canBeShown(id),
    );
    const sought = this.#controls.possible.filter(
      (operation) =>
        this.#controls.hasSucceeded(operation) && unseen.some((id) => PassiveJudge.concerns(id, operation)),
    );
    const others = checks.filter((check) => !chosen.includes(check) && sought.includes(check.control));
    return assignToShard(others, shard, plan);
  }

  get #goesBeyondOpening(): boolean {
    return depths[this.options.plan.depth].goesBeyondOpening;
  }

  /** Whether the target lacks nothing to show a requirement. */
  #canBeShown(id: RequirementId): boolean {
    const { needs = [] } = requirement(id);
    return needs.every((need) => this.#context.target.lacks(need) === undefined);
  }

  async #judgeEach(checks: readonly Check[], context: RunContext): Promise<void> {
    const { concurrency } = this.options;
    const limit = pLimit(context.opening === undefined ? concurrency : this.#openingConcurrency);
    const judgeOne = async (check: Check): Promise<void> => {
      await context.opening?.waitForUrgent();
      if (this.#unusable !== undefined) return;
      await this.#judge(check, context).then(
        (judgement) => this.#addJudgement(judgement, context),
        (error: unknown) => {
          if (error instanceof UnusableControl) this.#unusable = error;
          else this.#faults.push(`${check.id}: ${messageOf(error)}`);
        },
      );
      this.#reportProgress();
    };
    const isSerial = (check: Check) => check.kind === 'written' && check.serial === true;
    for (const check of checks.filter(isSerial)) await judgeOne(check);
    await Promise.all(checks.filter((check) => !isSerial(check)).map((check) => limit(judgeOne, check)));
  }

  /** How many checks of the opening are judged at once. */
  get #openingConcurrency(): number {
    const { nearby, withLowBudget } = openingConcurrency;
    const { concurrency } = this.options;
    const { fastestMs } = this.#context.target.client;
    if (fastestMs <= nearbyMs) return Math.min(nearby, concurrency);
    const atMost = this.#goesBeyondOpening ? concurrency : Math.min(concurrency, withLowBudget);
    return Math.min(Math.ceil(fastestMs / msBetweenAnswers), atMost);
  }

  async #judge(check: Check, context: RunContext): Promise<Judgement> {
    const startedMs = performance.now() - this.#start;
    const judgement = { ...(await this.#judgeIfPossible(check, context)), startedMs };
    for (const { subject } of judgement.passiveFailures) context.passive.confirm(subject);
    return judgement;
  }

  async #judgeIfPossible(check: Check, context: RunContext): Promise<Judgement> {
    const { concurrency, plan } = this.options;
    const lacking = this.#findLacking(check);
    if (lacking !== undefined) return makeJudgement(check, 'skipped', lacking);
    const missing = this.#controls.findMissing(check.control);
    if (missing !== undefined) return makeJudgement(check, 'skipped', missing);
    const ended = this.#context.limits.endOf(check.control);
    if (ended !== undefined) return makeJudgement(check, 'inconclusive', makeReason('disturbed', ended));
    if (plan.replay !== undefined && !hasCase(check, plan.replay)) {
      return makeJudgement(check, 'skipped', makeReason('other-case'));
    }
    const means = { context, controls: this.#controls, plan, concurrency };
    return check.kind === 'written' ? runCheck(check, means) : check.judge(means);
  }

  /** Finds what the target lacks for a check; undefined where it lacks nothing. */
  #findLacking(check: Check): Reason | undefined {
    const needs = new Set([...check.needs, ...plainRequests[check.control].needs]);
    const lacking = [...needs].flatMap((need) => this.#context.target.lacks(need) ?? []);
    return lacking.length === 0 ? undefined : makeReason('lacking', ...lacking);
  }

  /** Adds a judgement. What the opening left inconclusive is judged again after it. */
  #addJudgement(judgement: Judgement, { opening }: RunContext): void {
    const isJudgedAgain = opening !== undefined && this.#goesBeyondOpening;
    if (isJudgedAgain && isUnrepeated(judgement)) {
      this.#deferred.add(judgement.check);
      return;
    }
    this.#judgements.set(judgement.check, judgement);
    this.options.onJudged?.(judgement);
    this.#announce(violationsOf(judgement));
  }

  #announce(violations: readonly Violation[]): void {
    const { selection, onViolations } = this.options;
    const selected = violations.filter((violation) => selection.has(violation.requirement));
    for (const violation of selected) this.#violated.add(violation.requirement);
    if (selected.length > 0) onViolations?.(selected);
  }

  #reportProgress(): void {
    const { sent } = this.#context.target.client;
    const [done, total] = [this.#judgements.size, this.#total];
    this.options.onProgress?.({ done, total, requests: sent, violations: this.#violated.size });
  }
}

function violationsOf({ failures, passiveFailures }: Judgement): readonly Violation[] {
  return [...failures, ...passiveFailures];
}

/** Whether a check was not repeated, since another one had confirmed its findings meanwhile. */
function isUnrepeated({ outcome, reason, passiveFailures }: Judgement): boolean {
  return outcome === 'inconclusive' && passiveFailures.length === 0 && reason?.code === 'disturbed';
}

function hasCase(check: Check, { property }: ReplayedCase): boolean {
  return isLastCheck(check) || (check.kind === 'generated' && check.property === property);
}
