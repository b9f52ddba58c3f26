import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { areaOf, type RequirementId, requirement } from '../spec/ledger.js';
import { makeReason, type Reason, reportReason } from '../spec/reasons.js';
import { messageOf } from '../spec/thrown.js';
import type { Operation } from '../spec/vocabulary.js';
import type { Target } from '../targets/target.js';
import { UnusableControl } from '../targets/unusable-control.js';
import { type AttemptMeans, stopReason, type Trial } from './attempt.js';
import { type Check, type Judgement, undecided } from './check.js';
import { ConfirmedRows } from './confirmed-rows.js';
import { Controls } from './controls.js';
import { ExclusiveGate } from './exclusive-gate.js';
import type { Violation } from './finding.js';
import { judgeWithoutKeys } from './keyless.js';
import { judgeListed, shownBy } from './listed.js';
import type { Observed } from './observed/observed.js';
import { type Division, type Part, partOf } from './part.js';
import { PassiveJudge } from './passive.js';
import type { Plan, ReplayedCase } from './plan.js';
import { RateLimits } from './rate-limits.js';
import type { Selection } from './selection.js';
import { type Shard, wholeRun } from './shard.js';
import { isLast, shareOf } from './share.js';
import type { TrafficKeeper } from './traffic-keeper.js';
import { WorldAudit } from './world-audit.js';
import { WorldPool } from './world-pool.js';

/** How far a run has come. */
export interface Progress {
  readonly done: number;
  readonly total: number;
  readonly requests: number;
  /** Requirements seen violated so far. */
  readonly violations: number;
}

/** What a run works with. */
export interface RunOptions {
  readonly selection: Selection;
  readonly plan?: Plan;
  /** Which part of the run is judged; the whole where absent. */
  readonly shard?: Shard;
  /** Checks at once. */
  readonly concurrency: number;
  /** Requirements whose checks go before all others. */
  readonly first?: readonly RequirementId[];
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

/** Everything that a run found out, before it is summed up. */
export interface RunRecord {
  readonly judgements: readonly Judgement[];
  readonly passive: PassiveJudge;
  /** Why nothing could be judged; undefined where a positive control held. */
  readonly unjudged: string | undefined;
  /** What other shards answer for; absent where the run is not split. */
  readonly division?: Division | undefined;
  /** Why the run was stopped before its end; undefined where it was not. */
  readonly stopped: Reason | undefined;
  /** What the answers to positive controls showed. */
  readonly controlViolations: readonly Violation[];
  /** What failed positive controls showed that does not count, and why. */
  readonly controlUnsettled?: ReadonlyMap<RequirementId, Reason>;
  /** What a reader has to know of operations that never succeeded. */
  readonly notes?: readonly string[];
  /** Errors of the suite itself. */
  readonly faults: readonly string[];
  /** What recorded traffic showed, where some was given. */
  readonly observed?: Observed;
}

const standard: Plan = { seed: 0, depth: 'standard' };
const triesOfAControl = 3;

/** Judges one target: the positive controls first, then every selected check. */
export class Run {
  readonly #means: AttemptMeans;
  readonly #controls: Controls;
  readonly #options: RunOptions;
  readonly #faults: string[] = [];
  readonly #start = performance.now();
  #unusable: UnusableControl | undefined;

  constructor(target: Target, options: RunOptions) {
    // Every request in flight listens to it.
    setMaxListeners(0, options.signal);
    const { signal, plan = standard, keeper, msLeft } = options;
    const audit = new WorldAudit<Trial>(signal);
    const worlds = new WorldPool<Trial>(target, plan.depth, signal, audit.look);
    const confirmedRows = plan.depth === 'quick' ? new ConfirmedRows() : undefined;
    this.#means = {
      ...{ target, passive: new PassiveJudge(target), signal, plan, worlds, audit, confirmedRows, keeper },
      limits: new RateLimits(msLeft),
      gate: new ExclusiveGate(),
    };
    this.#controls = new Controls(this.#means);
    this.#options = options;
  }

  /** Tries every positive control that the target gives the means for. Says why, where none held. */
  async prove(): Promise<string | undefined> {
    const { possible } = this.#controls;
    if (possible.length === 0)
      return 'no key is known for this target: give --control, or a profile with keys';
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
  async judge(check: Check): Promise<Judgement> {
    const startedMs = performance.now() - this.#start;
    const judgement = { ...(await this.#judgeIfPossible(check)), startedMs };
    for (const { subject } of judgement.passiveFailures) this.#passive.confirm(subject);
    return judgement;
  }

  async #judgeIfPossible(check: Check): Promise<Judgement> {
    const { concurrency } = this.#options;
    const { plan } = this.#means;
    const lacking = this.#lacking(check);
    if (lacking !== undefined) return undecided(check, 'skipped', lacking);
    const missing = this.#controls.missing(check.control);
    if (missing !== undefined) return undecided(check, 'skipped', missing);
    const ended = this.#means.limits.endOf(check.control);
    if (ended !== undefined) return undecided(check, 'inconclusive', makeReason('disturbed', ended));
    if (plan.replay !== undefined && !isReplayed(check, plan.replay)) {
      return undecided(check, 'skipped', makeReason('other-case'));
    }
    return check.kind === 'listed'
      ? judgeListed(check, this.#means, this.#controls)
      : check.judge(this.#means, this.#controls, plan, concurrency);
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

  /** What of the checks this run judges: where every request is dear, as many as it takes on this target. */
  #part(checks: readonly Check[]): Part {
    const { plan, target } = this.#means;
    const shows = (check: Check) => (this.#lacking(check) === undefined ? shownBy(check, target) : undefined);
    return partOf(checks, { ...this.#options, plan, shows });
  }

  /** Judges the checks that the selection asks for, side by side. Rejects with UnusableControl as the target does. */
  async judgeAll(checks: readonly Check[]): Promise<RunRecord> {
    const { signal } = this.#means;
    const part = this.#part(checks);
    const unjudged = await this.prove();
    if (part.own.some(({ control }) => control === 'vault-delete')) await this.#controls.trySibling();
    const judgements =
      unjudged === undefined ? await this.#judgePart(part, checks) : await this.#judgeWithoutKeys(unjudged);
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
  async #judgeWithoutKeys(unjudged: string): Promise<readonly Judgement[]> {
    const { selection, shard = wholeRun, onJudged } = this.#options;
    if (this.#controls.possible.length > 0 || shard.index !== 1) return [];
    const judgements = await judgeWithoutKeys(this.#means, selection, makeReason('unjudged', unjudged));
    for (const judgement of judgements) onJudged?.(judgement);
    return judgements;
  }

  async #judgePart({ chosen, own }: Part, checks: readonly Check[]): Promise<readonly Judgement[]> {
    const { selection, shard = wholeRun } = this.#options;
    const { plan } = this.#means;
    const judgements = await this.#judgeEach(own);
    // A rule for every response is judged on what the others send; where they showed it nothing, all that can are sent.
    const unseen = PassiveJudge.requirements.filter(
      (id) => selection.has(id) && this.#passive.tally(id).size === 0 && this.#canBeShown(id),
    );
    // A shard does not know what the other shards saw: it sends no more than what was asked for.
    const isEnough = chosen.length > 0 && (plan.depth === 'quick' || shard.of > 1);
    const sought = this.#controls.possible.filter(
      (operation) =>
        this.#controls.held(operation) && unseen.some((id) => PassiveJudge.concerns(id, operation)),
    );
    const others = checks.filter((check) => !chosen.includes(check) && sought.includes(check.control));
    return [...judgements, ...(await this.#judgeEach(shareOf(isEnough ? [] : others, shard, plan)))];
  }

  /** Whether the target gives the means to show a requirement: what it lacks no further request can make up for. */
  #canBeShown(id: RequirementId): boolean {
    const { needs = [] } = requirement(id);
    return needs.every((need) => this.#means.target.lacks(need) === undefined);
  }

  async #judgeEach(checks: readonly Check[]): Promise<readonly Judgement[]> {
    // Fewer at once share fewer worlds, each of which costs two requests.
    const { concurrency, first = [] } = this.#options;
    const limit = pLimit(this.#means.plan.depth === 'quick' ? Math.min(concurrency, 4) : concurrency);
    const judgements: Judgement[] = [];
    let done = 0;
    const judgeOne = async (check: Check): Promise<void> => {
      await this.#means.confirmedRows?.settled();
      if (this.#unusable !== undefined) return;
      await this.judge(check).then(
        (judgement) => {
          judgements.push(judgement);
          this.#options.onJudged?.(judgement);
        },
        (error: unknown) => {
          if (error instanceof UnusableControl) this.#unusable = error;
          else this.#faults.push(`${check.id}: ${messageOf(error)}`);
        },
      );
      done += 1;
      this.#tell(done, checks.length, judgements);
    };
    // What is written out tells most for its requests, so it goes first; what is generated fills the rest of the time.
    const listedFirst = [...checks].sort((one, other) => other.kind.localeCompare(one.kind));
    const isAlone = (check: Check) => check.kind === 'listed' && check.alone;
    const isFirst = (check: Check) => first.some((id) => canShow(check, id));
    const due = listedFirst.filter(isFirst);
    const batches = [
      // A run that ends once these rows are decided need not have begun what is generated.
      due.filter(({ kind }) => kind === 'listed'),
      due.filter(({ kind }) => kind === 'generated'),
      listedFirst.filter((check) => !isFirst(check)),
    ].map((batch) => batch.filter((check) => !isLast(check)));
    batches.push(listedFirst.filter(isLast));
    for (const batch of batches) {
      for (const check of batch.filter(isAlone)) await judgeOne(check);
      await Promise.all(batch.filter((check) => !isAlone(check)).map((check) => limit(judgeOne, check)));
    }
    await this.#means.worlds.giveBackIdle();
    return checks.flatMap((check) => judgements.find((judgement) => judgement.check === check) ?? []);
  }

  #tell(done: number, total: number, judgements: readonly Judgement[]): void {
    const violated = new Set(
      judgements.flatMap(({ failures, passiveFailures }) =>
        [...failures, ...passiveFailures].map((violation) => violation.requirement),
      ),
    );
    const { sent } = this.#means.target.client;
    this.#options.onProgress?.({ done, total, requests: sent, violations: violated.size });
  }

  async #proveOne(operation: Operation): Promise<void> {
    for (let tries = 1; tries <= triesOfAControl && !this.#means.signal.aborted; tries++) {
      const { succeeded } = await this.#controls.try(operation);
      if (succeeded) return;
      await sleep(100 * tries, undefined, { signal: this.#means.signal }).catch(() => undefined);
    }
    if (!this.#means.signal.aborted) await this.#controls.tryOther(operation);
  }
}

/** Whether a check decides a requirement; where a rule for every response does, whether it is of the same area. */
function canShow({ requirement: own, decides }: Check, id: RequirementId): boolean {
  return PassiveJudge.requirements.includes(id) ? areaOf(own) === areaOf(id) : decides.includes(id);
}

function isReplayed(check: Check, { property }: ReplayedCase): boolean {
  return isLast(check) || (check.kind === 'generated' && check.property === property);
}
