import pLimit from 'p-limit';
import type { RequirementId } from '../spec/ledger.js';
import { makeReason, type Reason } from '../spec/reasons.js';
import type { ReportedAttempt } from '../spec/report.js';
import type { Attempt, Evidence, ForeignAnswer, Violation } from './finding.js';
import type { LimitRefusal } from './rate-limits.js';

/** Repetitions required to confirm a finding, each with a passing positive control. */
const repetitionsNeeded = 3;
const repetitionsOfLost = 5;
const maxRepetitions = 9;
// The accepted probability that noise confirms a finding: a run repeats thousands of requests that noise may hit.
const coincidence = 1e-6;

// The most characters of bodies that the attempts of one check report; later attempts report their messages alone.
const charactersReported = 60_000;

interface Repetition {
  readonly controlPassed: boolean;
  readonly attempt: Attempt;
}

/**
 * Whether something else may have caused a finding. `none`: nothing can. `repeat`: something may, so it must be seen again.
 * `lags`: the target may not have applied yet what was arranged. `lags-as-before`: nor had it in an earlier case.
 * `lags-or-intermittent`: it may not have, or it is wrong only now and then. `never`: the finding does not count.
 */
export type Doubt = 'none' | 'repeat' | 'lags' | 'lags-as-before' | 'lags-or-intermittent' | 'never';

/**
 * The attempts of one check and what they prove together. A repetition is an attempt with its positive control.
 *
 * - A conclusive finding without doubt need not recur. It is confirmed after three repetitions, or after one where few
 *   requests are left, provided that at least one control passed.
 * - Any other finding is confirmed if each of the last three showed it while their controls passed; five where a connection
 *   was lost, up to nine where answers are noisy. What looks like trouble is not confirmed once a repetition was clean.
 * - Findings are refuted if the last three repetitions found nothing; after nine of them, where the fault may be
 *   intermittent; after one, where none of them counts or the target is known to be late.
 * - After nine repetitions, or three in a row whose control failed or got a foreign answer, all else is inconclusive.
 */
export class ConfirmationHistory {
  readonly #conclusiveRepetitions: number;
  readonly #repetitions: Repetition[] = [];
  /** Why findings that never count do not, where a profile may be wrong. */
  wrongProfile: Reason | undefined;

  /**
   * @param hasLowBudget whether few requests are left, so that one repetition must do
   * @param noiseExcept returns the share of answers that were unexpected and did not recur, leaving out those of one rule
   */
  constructor(
    private first: Attempt,
    hasLowBudget: boolean,
    private readonly doubt: (finding: Evidence) => Doubt,
    private readonly noiseExcept: (rule: RequirementId) => number,
  ) {
    this.#conclusiveRepetitions = hasLowBudget ? 1 : repetitionsNeeded;
  }

  /** Forgets what it has, and begins with another first attempt. */
  restart(first: Attempt): void {
    this.first = first;
    this.#repetitions.length = 0;
  }

  add(controlPassed: boolean, attempt: Attempt): void {
    this.#repetitions.push({ controlPassed, attempt });
  }

  /** Whether the next attempt must give the target time to apply what was arranged, since it may settle the result. */
  get needsSettling(): boolean {
    return (
      this.#repetitions.length + 1 >= this.#conclusiveRepetitions ||
      this.#hasDoubt('lags-as-before') ||
      this.#hasDoubt('lags-or-intermittent')
    );
  }

  get isDecided(): boolean {
    if (this.#isContradicted || this.#isRefuted) return true;
    if (this.#repetitions.length < repetitionsNeeded) return this.#isConclusivelyProven;
    return this.confirmed.length > 0 || this.#isHopeless;
  }

  /** Whether the last attempt was disturbed or a control failed, so that it is better to wait before the next attempt. */
  get wasDisturbed(): boolean {
    return (
      this.attempts.at(-1)?.disturbed !== undefined ||
      !this.#repetitions.every(({ controlPassed }) => controlPassed)
    );
  }

  get confirmed(): readonly Violation[] {
    if (this.#repetitions.length < repetitionsNeeded && !this.#isConclusivelyProven) return [];
    return this.findings.flatMap((finding) => {
      const seen = this.#repetitions.filter(({ attempt }) => hasFinding(attempt, finding.key)).length;
      const doubt = this.doubt(finding);
      if (doubt !== 'none' && doubt !== 'repeat') return [];
      const counts = this.#isConclusive(finding)
        ? this.#repetitions.some(({ controlPassed }) => controlPassed)
        : this.#isSeenAgain(finding);
      // A conclusive finding need not recur; then the first attempt is counted too.
      const all = this.#repetitions.length;
      const ratio = seen === all ? `${seen}/${all}` : `${seen + 1}/${all + 1}`;
      return counts ? [{ ...finding, confirmed: ratio }] : [];
    });
  }

  /** What the control protocol claimed and had not done, in the last attempt that met it. */
  get #contradiction(): Reason | undefined {
    return this.attempts.findLast(({ contradicted }) => contradicted !== undefined)?.contradicted;
  }

  /** Whether there is nothing to judge by but a false claim of the control protocol. */
  get #isContradicted(): boolean {
    const last = this.attempts.at(-1);
    if (last?.contradicted === undefined) return false;
    return last.findings.length === 0 || this.#repetitions.length >= repetitionsNeeded;
  }

  /** Whether all of the last repetitions showed a finding while their controls passed; of trouble, none may be clean. */
  #isSeenAgain(finding: Evidence): boolean {
    const needed = this.#repetitionsFor(finding);
    const isClear =
      finding.trouble === undefined || !this.#repetitions.some(({ attempt }) => isClean(attempt));
    return (
      isClear &&
      this.#repetitions.length >= needed &&
      this.#repetitions
        .slice(-needed)
        .every(({ controlPassed, attempt }) => controlPassed && hasFinding(attempt, finding.key))
    );
  }

  /** Whether noise is likely enough for more repetitions than usual. */
  get mayBeNoise(): boolean {
    return this.findings.some((finding) => this.#repetitionsFor(finding) > repetitionsNeeded);
  }

  /** Whether a finding recurred although noise is likely. Its positive controls may fail for the same reason, as in a race. */
  get recursInNoise(): boolean {
    const keys = this.#repetitions.flatMap(({ attempt }) => attempt.findings.map(({ key }) => key));
    return !this.isDecided && this.mayBeNoise && this.first.findings.some(({ key }) => keys.includes(key));
  }

  /** Enough repetitions that noise is unlikely to hit them all; more for a lost connection, which any network can cause. */
  #repetitionsFor({ requirement, exchanges }: Evidence): number {
    const isLost = exchanges.at(-1)?.response === null;
    const atRandom = Math.ceil(
      Math.log(coincidence) / Math.log(Math.min(this.noiseExcept(requirement), 0.9)),
    );
    const needed = Math.max(isLost ? repetitionsOfLost : repetitionsNeeded, atRandom);
    return Math.min(needed, maxRepetitions);
  }

  #isConclusive(finding: Evidence): boolean {
    return finding.conclusive && this.doubt(finding) === 'none' && this.#contradiction === undefined;
  }

  /** Whether a requirement passed whenever it was decided; the last attempts need not have reached it again. */
  hasPassed(requirement: RequirementId): boolean {
    const isUndisturbed = this.#lastUnlimited.every(
      ({ findings, disturbed, foreign }) =>
        (disturbed === undefined || leavesAlone(foreign, requirement)) &&
        !findings.some((finding) => finding.requirement === requirement),
    );
    return isUndisturbed && this.attempts.some(({ passed }) => passed.has(requirement));
  }

  /** Requirements with findings that are neither confirmed nor refuted. */
  get inconclusive(): ReadonlySet<RequirementId> {
    if (this.#isRefuted) return new Set();
    const confirmed = new Set(this.confirmed.map(({ requirement }) => requirement));
    const found = this.findings.map(({ requirement }) => requirement);
    return new Set(found.filter((requirement) => !confirmed.has(requirement)));
  }

  /** Why the attempts did not pass; undefined where they did. */
  get inconclusiveReason(): Reason | undefined {
    if (this.#isRefuted) return undefined;
    if (this.#contradiction !== undefined) return this.#contradiction;
    if (this.wrongProfile !== undefined) return this.wrongProfile;
    const said = this.attempts.flatMap((attempt) => attempt.disturbed ?? attempt.findings[0]?.message ?? []);
    const last = said.at(-1);
    if (last === undefined) return makeReason('control-failed');
    const areFew = this.#repetitions.length < repetitionsNeeded;
    if (this.attempts.at(-1)?.isCutShort === true && (areFew || said.length > 1))
      return makeReason('stopped', ...said.slice(-2).reverse());
    return areFew
      ? makeReason('disturbed', last)
      : makeReason('intermittent', String(said.length), String(this.attempts.length), last);
  }

  /** Whether an attempt ended with a request that got no answer, for example because its connection was lost. */
  get hasLostConnection(): boolean {
    const said = this.attempts.flatMap((attempt) => [attempt, ...attempt.findings]);
    return said.some(({ exchanges }) => exchanges.at(-1)?.response === null);
  }

  get refusal(): LimitRefusal | undefined {
    return this.attempts.findLast(({ refusal }) => refusal !== undefined)?.refusal;
  }

  get attempts(): readonly Attempt[] {
    return [this.first, ...this.#repetitions.map(({ attempt }) => attempt)];
  }

  get #isRefuted(): boolean {
    const { length } = this.#repetitions;
    const needed = this.#hasDoubt('lags-or-intermittent') ? maxRepetitions : repetitionsNeeded;
    const isEnough = length >= needed || this.#areAll('never') || this.#areAll('lags-as-before');
    return (
      (this.findings.length === 0 || isEnough) &&
      this.#lastUnlimited.length > 0 &&
      this.#lastUnlimited.every(isClean)
    );
  }

  #hasDoubt(doubt: Doubt): boolean {
    return this.findings.some((finding) => this.doubt(finding) === doubt);
  }

  /** The last three repetitions that no rate limit refused; the last attempt alone if nothing was found. */
  get #lastUnlimited(): readonly Attempt[] {
    if (this.#repetitions.length === 0 || this.findings.length === 0) return this.attempts.slice(-1);
    return this.#repetitions
      .slice(-repetitionsNeeded)
      .map(({ attempt }) => attempt)
      .filter(({ findings, disturbed }) => disturbed !== undefined || !this.#areAll('never', findings));
  }

  #areAll(doubt: Doubt, findings = this.findings): boolean {
    return findings.length > 0 && findings.every((finding) => this.doubt(finding) === doubt);
  }

  /** Whether every finding is conclusive and was repeated often enough with a passing control. */
  get #isConclusivelyProven(): boolean {
    return (
      this.#repetitions.length >= this.#conclusiveRepetitions &&
      this.#repetitions.some(({ controlPassed }) => controlPassed) &&
      this.attempts.every(({ disturbed }) => disturbed === undefined) &&
      this.findings.length > 0 &&
      this.findings.every((finding) => this.#isConclusive(finding))
    );
  }

  get #isHopeless(): boolean {
    return (
      this.#repetitions.length >= maxRepetitions ||
      this.#repetitions
        .slice(-repetitionsNeeded)
        .every(({ controlPassed, attempt }) => !controlPassed || attempt.foreign !== undefined) ||
      this.#areAll('never')
    );
  }

  get findings(): readonly Evidence[] {
    const byKey = new Map<string, Evidence>();
    for (const finding of this.attempts.flatMap(({ findings }) => findings))
      if (!byKey.has(finding.key)) byKey.set(finding.key, finding);
    return [...byKey.values()];
  }
}

/** Reports every attempt that did not pass, with the exchanges that show why. */
export function reportAttempts(attempts: readonly Attempt[]): readonly ReportedAttempt[] {
  let left = charactersReported;
  const withinRoom = (exchanges: ReportedAttempt['exchanges']) => {
    left -= exchanges.reduce((sum, { response }) => sum + (response?.body.length ?? 0), 0);
    return left > 0 ? exchanges : [];
  };
  return attempts.flatMap(({ findings: [finding], disturbed, exchanges }, at) => {
    const came = finding?.message ?? disturbed;
    if (came === undefined) return [];
    return [{ attempt: at + 1, came, exchanges: withinRoom(finding?.exchanges ?? exchanges) }];
  });
}

export function sumRequests(attempts: readonly Pick<Attempt, 'requests'>[]): number {
  return attempts.reduce((sum, { requests }) => sum + requests, 0);
}

/** Whether an attempt was undisturbed and found nothing. */
export function isClean({ findings, disturbed }: Attempt): boolean {
  return findings.length === 0 && disturbed === undefined;
}

/** Whether a foreign answer stands in place of one that was to decide another requirement. */
export function leavesAlone(foreign: ForeignAnswer | undefined, requirement: RequirementId): boolean {
  return foreign?.inPlaceOf !== undefined && foreign.inPlaceOf !== requirement;
}

export function hasFinding(attempt: Attempt, key: string): boolean {
  return attempt.findings.some((finding) => finding.key === key);
}

/** Confirms findings one at a time, so that with a low budget only one of many checks spends requests on a violation. */
export class ConfirmedRows {
  readonly #turn = pLimit(1);
  readonly #rows = new Set<RequirementId>();
  readonly #urgent = new Set<Promise<void>>();

  /** Confirms the findings of a first attempt, those of the subject if one is given, unless all are confirmed by now. */
  async confirmInTurn(
    first: Attempt,
    history: ConfirmationHistory,
    confirm: () => Promise<void>,
    subject: string | undefined,
  ): Promise<void> {
    const { findings, disturbed } = first;
    const confirmed = this.#turn(async () => {
      const isKnown = findings.length > 0 && findings.every(({ requirement }) => this.#rows.has(requirement));
      if (isKnown && disturbed === undefined) return;
      await confirm();
      for (const finding of history.confirmed)
        if (subject === undefined || finding.subject === subject) this.#rows.add(finding.requirement);
    });
    // A service in trouble cannot cause such findings.
    if (findings.some(({ conclusive, trouble }) => conclusive || trouble === undefined))
      this.#urgent.add(confirmed);
    await confirmed.finally(() => this.#urgent.delete(confirmed));
  }

  /** Waits until the most likely violations are confirmed: they are worth more requests than new checks. */
  async waitForUrgent(): Promise<void> {
    await Promise.allSettled(this.#urgent);
  }
}
