import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { areaOf, type RequirementId, requirement } from '../spec/ledger.js';
import { makeReason, type Reason, reportReason } from '../spec/reasons.js';
import { messageOf } from '../spec/thrown.js';
import type { Operation } from '../spec/vocabulary.js';
import { UnusableControl } from '../targets/control-client.js';
import type { Target } from '../targets/target.js';
import { type AttemptMeans, ExclusiveGate, stopReason, type Trial } from './attempt.js';
import { type Check, type Judgement, undecided } from './check.js';
import { ConfirmedRows } from './confirmation-history.js';
import type { Violation } from './finding.js';
import { examineWithoutKeys, judgeWithoutKeys, type KeylessAddress } from './keyless-checks.js';
import { PassiveJudge } from './passive.js';
import { depths, type Plan, type ReplayedCase, type Selection, type Shard, wholeRun } from './plan.js';
import { Controls } from './positive-controls.js';
import { RateLimits } from './rate-limits.js';
import type { TrafficKeeper } from './recorder.js';
import { runCheck, shownBy } from './run-check.js';
import type { RunRecord } from './run-record.js';
import { isLast, type Part, partOf, shareOf } from './shard-plan.js';
import { WorldAudit } from './world-audit.js';
import { WorldPool } from './world-pool.js';

/** How far a run has come. */
interface Progress {
  readonly done: number;
  readonly total: number;
  readonly requests: number;
  /** Requirements seen violated so far. */
  readonly violations: number;
}

/** What a run works with. */
export interface RunOptions {
  readonly selection: Selection;
  readonly plan: Plan;
  /** Which part of the run is judged; the whole where absent. */
  readonly shard?: Shard;
  /** Checks at once. */
  readonly concurrency: number;
  /** Aborted when the run is to end: interrupted, or out of time. */
  readonly signal: AbortSignal;
  /** Milliseconds until then; any number where absent. */
  readonly msLeft?: (() => number) | undefined;
  readonly onProgress?: (progress: Progress) => void;
  /** Told of every check as it is judged. */
  readonly onJudged?: (judgement: Judgement) => void;
  /** Keeps what is sent. */
  readonly keeper?: TrafficKeeper;
}

const triesOfAControl = 3;
const openingConcurrency = 4;

/** Judges one target: the positive controls first, then every selected check. */
export class Run {
  readonly #means: AttemptMeans;
  /** What the opening of the plan is judged with. */
  readonly #openingMeans: AttemptMeans;
  readonly #controls: Controls;
  readonly #options: RunOptions;
  readonly #faults: string[] = [];
  readonly #judgements = new Map<Check, Judgement>();
  /** What the opening did not decide, to be judged again. */
  readonly #leftOpen = new Set<Check>();
  /** Checks that are to be judged, as far as is known. */
  #total = 0;
  readonly #start = performance.now();
  #unusable: UnusableControl | undefined;
  /** Who answers, where no operation can be tried; undefined where one can. */
  #keyless: KeylessAddress | undefined;

  constructor(target: Target, options: RunOptions) {
    // Every request in flight listens to it.
    setMaxListeners(0, options.signal);
    const { signal, keeper, msLeft, plan } = options;
    // A listing for each world would leave the opening too few requests to confirm what it finds.
    const audit = depths[plan.depth].goesBeyondOpening ? new WorldAudit<Trial>(signal) : undefined;
    const worlds = new WorldPool<Trial>(target, signal, audit?.look);
    this.#means = {
      ...{ target, passive: new PassiveJudge(target), signal, worlds, audit, keeper },
      limits: new RateLimits(msLeft),
      gate: new ExclusiveGate(),
    };
    this.#openingMeans = { ...this.#means, opening: new ConfirmedRows() };
    this.#controls = new Controls(this.#means);
    this.#options = options;
  }

  /** Tries every positive control that the target gives the means for. Says why, where none held. */
  async prove(): Promise<string | undefined> {
    const { possible } = this.#controls;
    if (possible.length === 0) return this.#examineWithoutKeys();
    await Promise.all(possible.map((operation) => this.#proveOne(operation)));
    for (const operation of possible)
      if (this.#controls.excuse(operation) !== undefined) this.#means.limits.disregard(operation);
    if (!this.#means.signal.aborted) await this.#controls.diagnose();
    if (this.#controls.anyHeld) return undefined;
    if (this.#means.signal.aborted) return stopReason(this.#means.signal);
    const reasons = possible.map((operation) => reportReason(this.#controls.reason(operation)).reason);
    const notes = this.#controls.notes.map((note) => note.replace(/\.$/, ''));
    return `no positive control held: ${notes.length === 0 ? reasons[0] : notes.join('; ')}`;
  }

  async #examineWithoutKeys(): Promise<string> {
    const { target, signal } = this.#means;
    try {
      this.#keyless = await examineWithoutKeys(target, signal);
      return this.#keyless.unjudged;
    } catch (error) {
      if (!signal.aborted) throw error;
      return stopReason(signal);
    }
  }

  /** What the rules for every response have seen so far, in positive controls too. */
  get seen(): Pick<RunRecord, 'passive' | 'controlViolations' | 'controlUnsettled'> {
    const { violations, unsettled } = this.#controls;
    return { passive: this.#passive, controlViolations: violations, controlUnsettled: unsettled };
  }

  get #leaks(): readonly Violation[] {
    return this.#controls.violations.filter(({ requirement: violated }) => areaOf(violated) === 'secrecy');
  }

  get #passive(): PassiveJudge {
    return this.#means.passive;
  }

  /** Judges one check. Throws only what is the suite's own fault. */
  async judge(check: Check, means: AttemptMeans = this.#means): Promise<Judgement> {
    const startedMs = performance.now() - this.#start;
    const judgement = { ...(await this.#judgeIfPossible(check, means)), startedMs };
    for (const { subject } of judgement.passiveFailures) this.#passive.confirm(subject);
    return judgement;
  }

  async #judgeIfPossible(check: Check, means: AttemptMeans): Promise<Judgement> {
    const { concurrency, plan } = this.#options;
    const lacking = this.#lacking(check);
    if (lacking !== undefined) return undecided(check, 'skipped', lacking);
    const missing = this.#controls.missing(check.control);
    if (missing !== undefined) return undecided(check, 'skipped', missing);
    const ended = this.#means.limits.endOf(check.control);
    if (ended !== undefined) return undecided(check, 'inconclusive', makeReason('disturbed', ended));
    if (plan.replay !== undefined && !isReplayed(check, plan.replay)) {
      return undecided(check, 'skipped', makeReason('other-case'));
    }
    return check.kind === 'written'
      ? runCheck(check, means, this.#controls)
      : check.judge(means, this.#controls, plan, concurrency);
  }

  /** What would become of the checks if the run ended now, for a reason. */
  outlook(checks: readonly Check[], reason: Reason): readonly Judgement[] {
    const { own } = this.#part(checks);
    return own.map((check) => {
      const lacking = this.#lacking(check);
      return lacking === undefined
        ? undecided(check, 'inconclusive', reason)
        : undecided(check, 'skipped', lacking);
    });
  }

  /** What the target would have to give before a check can be judged; undefined where it gives all. */
  #lacking(check: Check): Reason | undefined {
    const needs = new Set([...check.needs, ...this.#controls.needs(check.control)]);
    const lacking = [...needs].flatMap((need) => this.#means.target.lacks(need) ?? []);
    return lacking.length === 0 ? undefined : makeReason('lacking', ...lacking);
  }

  /** What of the checks this run judges, and in which order. */
  #part(checks: readonly Check[]): Part {
    const { target } = this.#means;
    const shows = (check: Check) => (this.#lacking(check) === undefined ? shownBy(check, target) : undefined);
    return partOf(checks, { ...this.#options, shows });
  }

  /** Judges the checks that the selection asks for, side by side. Rejects with UnusableControl as the target does. */
  async judgeAll(checks: readonly Check[]): Promise<RunRecord> {
    const { signal } = this.#means;
    const part = this.#part(checks);
    const unjudged = await this.prove();
    if (part.own.some(({ control }) => control === 'vault-delete')) await this.#controls.trySibling();
    const judgements =
      unjudged === undefined ? await this.#judgePart(part, checks) : await this.#judgeWithoutKeys();
    if (this.#unusable !== undefined) throw this.#unusable;
    return {
      judgements,
      unjudged,
      division: part.division,
      stopped: signal.aborted ? makeReason('stopped', stopReason(signal)) : undefined,
      ...this.seen,
      // Where nothing succeeded a leak alone says something of the service.
      ...(unjudged === undefined ? {} : { controlViolations: this.#leaks }),
      notes: unjudged === undefined ? this.#controls.notes : [],
      faults: this.#faults,
    };
  }

  /** Judges what can be judged where no key is known; nothing where one is, or where another shard does. */
  async #judgeWithoutKeys(): Promise<readonly Judgement[]> {
    const { selection, shard = wholeRun, onJudged } = this.#options;
    if (this.#keyless === undefined || shard.index !== 1) return [];
    const judgements = await judgeWithoutKeys(this.#means, selection, this.#keyless);
    for (const judgement of judgements) onJudged?.(judgement);
    return judgements;
  }

  async #judgePart({ chosen, opening, own }: Part, checks: readonly Check[]): Promise<readonly Judgement[]> {
    const { selection, shard = wholeRun, plan } = this.#options;
    this.#total = own.length;
    const before = own.filter((check) => !isLast(check));
    await this.#judgeEach(
      before.filter((check) => opening.has(check)),
      this.#openingMeans,
    );
    // A run that ends with the opening has as few requests left for the rest.
    const means = depths[plan.depth].goesBeyondOpening ? this.#means : this.#openingMeans;
    const rest = before.filter((check) => !opening.has(check) || this.#leftOpen.has(check));
    await this.#judgeEach(rest, means);
    // A rule for every response is judged on what the others send; where they showed it nothing, all that can are sent.
    const unseen = PassiveJudge.requirements.filter(
      (id) => selection.has(id) && this.#passive.tally(id).size === 0 && this.#canBeShown(id),
    );
    // A shard does not know what the other shards saw: it sends no more than what was asked for.
    const isEnough = chosen.length > 0 && (!depths[plan.depth].goesBeyondOpening || shard.of > 1);
    const sought = this.#controls.possible.filter(
      (operation) =>
        this.#controls.held(operation) && unseen.some((id) => PassiveJudge.concerns(id, operation)),
    );
    const others = checks.filter((check) => !chosen.includes(check) && sought.includes(check.control));
    const more = shareOf(isEnough ? [] : others, shard, plan);
    this.#total += more.length;
    await this.#judgeEach(more, means);
    await this.#judgeEach(own.filter(isLast), means);
    await this.#means.worlds.giveBackIdle();
    return checks.flatMap((check) => this.#judgements.get(check) ?? []);
  }

  /** Whether the target gives the means to show a requirement: what it lacks no further request can make up for. */
  #canBeShown(id: RequirementId): boolean {
    const { needs = [] } = requirement(id);
    return needs.every((need) => this.#means.target.lacks(need) === undefined);
  }

  async #judgeEach(checks: readonly Check[], means: AttemptMeans): Promise<void> {
    const { concurrency } = this.#options;
    // Fewer at once share fewer worlds, each of which costs two requests.
    const limit = pLimit(
      means.opening === undefined ? concurrency : Math.min(concurrency, openingConcurrency),
    );
    const judgeOne = async (check: Check): Promise<void> => {
      await means.opening?.settled();
      if (this.#unusable !== undefined) return;
      await this.judge(check, means).then(
        (judgement) => this.#keep(judgement, means),
        (error: unknown) => {
          if (error instanceof UnusableControl) this.#unusable = error;
          else this.#faults.push(`${check.id}: ${messageOf(error)}`);
        },
      );
      this.#tell();
    };
    const isSerial = (check: Check) => check.kind === 'written' && check.serial;
    for (const check of checks.filter(isSerial)) await judgeOne(check);
    await Promise.all(checks.filter((check) => !isSerial(check)).map((check) => limit(judgeOne, check)));
  }

  /** Keeps what a check came to. What the opening left open is judged again with the checks after it, where there are any. */
  #keep(judgement: Judgement, { opening }: AttemptMeans): void {
    const { plan, onJudged } = this.#options;
    const isOver = opening === undefined || !depths[plan.depth].goesBeyondOpening;
    if (!isOver && isUnsettled(judgement)) {
      this.#leftOpen.add(judgement.check);
      return;
    }
    this.#judgements.set(judgement.check, judgement);
    onJudged?.(judgement);
  }

  #tell(): void {
    const judgements = [...this.#judgements.values()];
    const violated = new Set(
      judgements.flatMap(({ failures, passiveFailures }) =>
        [...failures, ...passiveFailures].map((violation) => violation.requirement),
      ),
    );
    const { sent } = this.#means.target.client;
    const [done, total] = [judgements.length, this.#total];
    this.#options.onProgress?.({ done, total, requests: sent, violations: violated.size });
  }

  async #proveOne(operation: Operation): Promise<void> {
    for (let tries = 1; tries <= triesOfAControl && !this.#means.signal.aborted; tries++) {
      const { succeeded } = await this.#controls.try(operation, this.#openingMeans);
      if (succeeded) return;
      await sleep(100 * tries, undefined, { signal: this.#means.signal }).catch(() => undefined);
    }
    if (!this.#means.signal.aborted) await this.#controls.tryOther(operation);
  }
}

/** Whether a check was not repeated, since what it found had been confirmed meanwhile by another. */
function isUnsettled({ outcome, reason, passiveFailures }: Judgement): boolean {
  return outcome === 'inconclusive' && passiveFailures.length === 0 && reason?.code === 'disturbed';
}

function isReplayed(check: Check, { property }: ReplayedCase): boolean {
  return isLast(check) || (check.kind === 'generated' && check.property === property);
}
