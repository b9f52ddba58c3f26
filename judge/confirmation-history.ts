import pLimit from 'p-limit';
import type { RequirementId } from '../spec/ledger.js';
import { makeReason, type Reason } from '../spec/reasons.js';
import type { ReportedAttempt } from '../spec/report.js';
import type { Attempt, Evidence, Violation } from './finding.js';
import type { Refusal } from './rate-limits.js';

/** How often a finding must be seen again, its positive control holding beside it, before it counts. */
const repetitionsNeeded = 3;
const repetitionsAtMost = 9;

// Characters of bodies that the attempts of one check tell: later ones then tell in words alone what came.
const charactersReported = 60_000;

interface Repetition {
  readonly controlPassed: boolean;
  readonly attempt: Attempt;
}

/**
 * What speaks against a finding: nothing; that something else may have made it, so that it must be seen again; or that
 * something else did, so that it never counts.
 */
export type Doubt = 'none' | 'repeat' | 'never';

/**
 * The attempts of one check, from the first on, and what they prove together: wrong every time while the
 * control held every time is a violation; anything else is a disturbance until it settles.
 */
export class ConfirmationHistory {
  #first: Attempt;
  readonly #conclusiveRepetitions: number;
  readonly #doubt: (finding: Evidence) => Doubt;
  readonly #repetitions: Repetition[] = [];

  /** @param isDear whether every request is dear, so that as few repetitions as may be must do */
  constructor(first: Attempt, isDear = false, doubt: (finding: Evidence) => Doubt = () => 'none') {
    this.#first = first;
    this.#conclusiveRepetitions = isDear ? 1 : repetitionsNeeded;
    this.#doubt = doubt;
  }

  /** Begins again with another first attempt. */
  restart(first: Attempt): void {
    this.#first = first;
  }

  /** Takes in one more attempt, with what became of the positive control before it. */
  add(controlPassed: boolean, attempt: Attempt): void {
    this.#repetitions.push({ controlPassed, attempt });
  }

  /** Whether nothing more needs to be tried. */
  get isSettled(): boolean {
    if (this.#isContradicted) return true;
    if (this.#repetitions.length === 0) return isClean(this.#first);
    if (this.#repetitions.length < repetitionsNeeded) return this.#isConclusivelyProven;
    return this.#passedLately || this.confirmed.length > 0 || this.#isHopeless;
  }

  /** Whether the last attempts differed, so that it is better to wait before the next. */
  get isLastDisturbed(): boolean {
    return (
      this.#attempts.at(-1)?.disturbed !== undefined ||
      !this.#repetitions.every(({ controlPassed }) => controlPassed)
    );
  }

  /** The violations that count. */
  get confirmed(): readonly Violation[] {
    if (this.#repetitions.length < repetitionsNeeded && !this.#isConclusivelyProven) return [];
    return this.#distinctFindings.flatMap((finding) => {
      const seen = this.#repetitions.filter(({ attempt }) => hasFinding(attempt, finding.key)).length;
      if (this.#doubt(finding) === 'never') return [];
      const counts = this.#isConclusive(finding)
        ? this.#repetitions.some(({ controlPassed }) => controlPassed)
        : this.#isSeenAgain(finding);
      // What counts at once may not come again; then the first attempt is one of those told.
      const all = this.#repetitions.length;
      const told = seen === all ? `${seen}/${all}` : `${seen + 1}/${all + 1}`;
      return counts ? [{ ...finding, confirmed: told }] : [];
    });
  }

  /** What the control protocol said and did not do, in the last attempt that met it. */
  get #contradiction(): Reason | undefined {
    return this.#attempts.findLast(({ contradicted }) => contradicted !== undefined)?.contradicted;
  }

  /** Whether nothing but a claim of the control protocol is left to judge by. */
  get #isContradicted(): boolean {
    const last = this.#attempts.at(-1);
    if (last?.contradicted === undefined) return false;
    return last.findings.length === 0 || this.#repetitions.length >= repetitionsNeeded;
  }

  /** Whether so many of the last repetitions all showed a finding, the control holding beside each. */
  #isSeenAgain(finding: Evidence): boolean {
    const last = this.#last;
    return (
      last.length === repetitionsNeeded &&
      last.every(({ controlPassed, attempt }) => controlPassed && hasFinding(attempt, finding.key))
    );
  }

  #isConclusive(finding: Evidence): boolean {
    return finding.conclusive && this.#doubt(finding) === 'none' && this.#contradiction === undefined;
  }

  /** Whether a requirement held whenever it was asked; the last attempts need not have come to it once more. */
  hasPassed(requirement: RequirementId): boolean {
    const lately = this.#repetitions.length === 0 ? [this.#first] : this.#lately(repetitionsNeeded);
    const isUndisturbed = lately.every(
      ({ findings, disturbed }) =>
        disturbed === undefined && !findings.some((finding) => finding.requirement === requirement),
    );
    return isUndisturbed && this.#attempts.some(({ passed }) => passed.has(requirement));
  }

  /** Every requirement that held in some attempt. */
  get passedAnywhere(): readonly RequirementId[] {
    return [...new Set(this.#attempts.flatMap(({ passed }) => [...passed]))];
  }

  /** Requirements that something was found against which is neither confirmed nor settled. */
  get inconclusive(): ReadonlySet<RequirementId> {
    if (this.isSettled && this.#passedLately) return new Set();
    const confirmed = new Set(this.confirmed.map(({ requirement }) => requirement));
    const found = this.#distinctFindings.map(({ requirement }) => requirement);
    return new Set(found.filter((requirement) => !confirmed.has(requirement)));
  }

  /** What kept the attempts from holding; undefined where they held. */
  get trouble(): Reason | undefined {
    if (this.isSettled && this.#passedLately) return undefined;
    if (this.#contradiction !== undefined) return this.#contradiction;
    const said = this.#attempts.flatMap((attempt) => attempt.disturbed ?? attempt.findings[0]?.message ?? []);
    const last = said.at(-1);
    if (last === undefined) return makeReason('control-failed');
    const isSettling = this.#repetitions.length < repetitionsNeeded;
    if (this.#attempts.at(-1)?.isCutShort === true && (isSettling || said.length > 1))
      return makeReason('stopped', ...said.slice(-2).reverse());
    return isSettling
      ? makeReason('disturbed', last)
      : makeReason('intermittent', String(said.length), String(this.#attempts.length), last);
  }

  /** Every attempt that did not hold, with the exchanges that show why: what a failure or an open question rests on. */
  get reportedAttempts(): readonly ReportedAttempt[] {
    let left = charactersReported;
    const withinRoom = (exchanges: ReportedAttempt['exchanges']) => {
      left -= exchanges.reduce((sum, { response }) => sum + (response?.body.length ?? 0), 0);
      return left > 0 ? exchanges : [];
    };
    return this.#attempts.flatMap(({ findings, disturbed, exchanges }, at) => {
      const [finding] = findings;
      if (finding === undefined && disturbed === undefined) return [];
      return [
        {
          attempt: at + 1,
          came: finding?.message ?? disturbed ?? '',
          exchanges: withinRoom(finding?.exchanges ?? exchanges),
        },
      ];
    });
  }

  /** The longest wait that the last attempt was asked for, in milliseconds. */
  get retryAfterMs(): number {
    return this.#attempts.at(-1)?.retryAfterMs ?? 0;
  }

  /** What the last attempt that met a rate limit was told. */
  get refusal(): Refusal | undefined {
    return this.#attempts.findLast(({ refusal }) => refusal !== undefined)?.refusal;
  }

  /** Attempts made so far. */
  get length(): number {
    return this.#attempts.length;
  }

  /** Requests of all attempts. */
  get requests(): number {
    return this.#attempts.reduce((sum, { requests }) => sum + requests, 0);
  }

  /** Cases of the fullest attempt: one that stopped early saw fewer. */
  get cases(): number {
    return Math.max(...this.#attempts.map(({ cases }) => cases));
  }

  get #attempts(): readonly Attempt[] {
    return [this.#first, ...this.#repetitions.map(({ attempt }) => attempt)];
  }

  get #last(): readonly Repetition[] {
    return this.#repetitions.slice(-repetitionsNeeded);
  }

  get #passedLately(): boolean {
    return this.#repetitions.length === 0
      ? isClean(this.#first)
      : this.#repetitions.length >= repetitionsNeeded && this.#lately(repetitionsNeeded).every(isClean);
  }

  #lately(count: number): readonly Attempt[] {
    return this.#repetitions.slice(-count).map(({ attempt }) => attempt);
  }

  /** Whether all that was found counts at once, and was asked for again often enough beside a control that held. */
  get #isConclusivelyProven(): boolean {
    return (
      this.#repetitions.length >= this.#conclusiveRepetitions &&
      this.#repetitions.some(({ controlPassed }) => controlPassed) &&
      this.#attempts.every(({ disturbed }) => disturbed === undefined) &&
      this.#distinctFindings.length > 0 &&
      this.#distinctFindings.every((finding) => this.#isConclusive(finding))
    );
  }

  get #isHopeless(): boolean {
    const findings = this.#distinctFindings;
    return (
      this.#repetitions.length >= repetitionsAtMost ||
      this.#last.every(({ controlPassed }) => !controlPassed) ||
      (findings.length > 0 && findings.every((finding) => this.#doubt(finding) === 'never'))
    );
  }

  get #distinctFindings(): readonly Evidence[] {
    const byKey = new Map<string, Evidence>();
    for (const finding of this.#attempts.flatMap(({ findings }) => findings)) {
      if (!byKey.has(finding.key)) byKey.set(finding.key, finding);
    }
    return [...byKey.values()];
  }
}

/** Whether an attempt was made as intended and found nothing. */
export function isClean({ findings, disturbed }: Attempt): boolean {
  return findings.length === 0 && disturbed === undefined;
}

function hasFinding(attempt: Attempt, key: string): boolean {
  return attempt.findings.some((finding) => finding.key === key);
}

/**
 * The requirements of which a run that may send little has confirmed a violation. One trouble is confirmed at a time,
 * so that of many checks that see the same violation one alone spends requests on it.
 */
export class ConfirmedRows {
  readonly #turn = pLimit(1);
  readonly #rows = new Set<RequirementId>();
  readonly #urgent = new Set<Promise<void>>();

  /**
   * Confirms what a first attempt showed, unless everything that it showed was confirmed meanwhile.
   * @param subject what alone will be told of it; everything that was found where it is undefined
   */
  async confirmInTurn(
    first: Attempt,
    course: ConfirmationHistory,
    confirm: () => Promise<void>,
    subject: string | undefined,
  ): Promise<void> {
    const confirmed = this.#turn(async () => {
      if (this.#isKnown(first)) return;
      await confirm();
      for (const finding of course.confirmed)
        if (subject === undefined || finding.subject === subject) this.#rows.add(finding.requirement);
    });
    if (isUrgent(first)) this.#urgent.add(confirmed);
    await confirmed.finally(() => this.#urgent.delete(confirmed));
  }

  /** Waits for what is most likely a violation: it is worth more requests than what was not asked yet. */
  async waitForUrgent(): Promise<void> {
    await Promise.allSettled(this.#urgent);
  }

  #isKnown({ findings, disturbed }: Attempt): boolean {
    if (findings.length === 0 || disturbed !== undefined) return false;
    return findings.every(({ requirement }) => this.#rows.has(requirement));
  }
}

/** Whether an attempt shows an answer that a service in trouble does not give. */
function isUrgent({ findings }: Attempt): boolean {
  return findings.some(({ conclusive, trouble }) => conclusive || trouble === undefined);
}
