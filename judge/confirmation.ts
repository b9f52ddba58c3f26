import { setTimeout as sleep } from 'node:timers/promises';
import type { Operation } from '../spec/vocabulary.js';
import { type AttemptMeans, attempt, type Trial } from './attempt.js';
import { isLimitStatus, isRefusal } from './call.js';
import { Course, type Doubt } from './confirmation-history.js';
import type { Attempt, Evidence } from './finding.js';
import type { Controls } from './positive-controls.js';

const backoffAtMostMs = 400;
const pauseAtMostMs = 10_000;

/**
 * Repeats what did not hold, from arranging to asserting, beside its positive control, until it settles. What a service
 * in trouble, or a rate limit, answers too is repeated while nothing else of the run is in flight.
 * @param subject what alone the caller will tell of it; everything that was found where it is absent
 */
export async function confirm(
  first: Attempt,
  trial: Trial,
  beside: Operation,
  means: AttemptMeans,
  controls: Controls,
  subject?: string,
): Promise<Course> {
  const { opening, gate, limits } = means;
  const confirmation = new Confirmation(first, trial, beside, means, controls);
  const { course } = confirmation;
  const isTrouble = first.findings.some(({ trouble }) => trouble !== undefined);
  const repeat = async (): Promise<void> => {
    if (!isTrouble) await confirmation.repeat(opening !== undefined);
    else if (gate === undefined) await confirmation.repeatAlone();
    // Where every request is dear, none may be left by the time that nothing else is under way.
    else await gate.take(() => confirmation.repeatAlone(), opening !== undefined && !limits.isAtWork);
  };
  if (opening === undefined || course.settled) await repeat();
  else await opening.inTurn(first, course, repeat, subject);
  return course;
}

/**
 * Whether what an attempt came to may be due to something that the control protocol said it had arranged: a secret that is
 * not there makes a 404, a fault that is not set a success.
 */
function mayRestOnClaims({ findings }: Attempt): boolean {
  if (findings.length === 0) return true;
  return findings.some(({ exchanges }) => {
    const last = exchanges.at(-1);
    if (last === undefined) return true;
    const { status = 0 } = last.response ?? {};
    return status === 404 || (status >= 200 && status < 300);
  });
}

/** The repetitions of one case. */
class Confirmation {
  readonly course: Course;
  readonly #trial: Trial;
  readonly #beside: Operation;
  readonly #means: AttemptMeans;
  readonly #controls: Controls;
  /** Findings of which a pause showed that a rate limit made them. */
  readonly #refuted = new Set<string>();
  #verifiesClaims: boolean;

  constructor(first: Attempt, trial: Trial, beside: Operation, means: AttemptMeans, controls: Controls) {
    this.#trial = trial;
    this.#beside = beside;
    this.#means = means;
    this.#controls = controls;
    this.#verifiesClaims = mayRestOnClaims(first);
    this.course = new Course(first, means.opening !== undefined, (finding) => this.#doubt(finding));
  }

  /** @param isDear where every request is dear the positive control shifts the phase too, in a world that others share */
  async repeat(isDear: boolean): Promise<void> {
    const { course } = this;
    while (this.#shouldRepeat) {
      await this.#pause();
      await this.#shiftPhase(() =>
        isDear
          ? this.#controls.try(this.#beside, this.#means)
          : attempt({ ...this.#trial, exchangesAtMost: 1 }, this.#means),
      );
      const { succeeded } = await this.#controls.try(this.#beside, this.#means);
      course.add(succeeded, await this.#attempt(this.#means));
    }
  }

  /** Repeats it while nothing else is in flight, the positive control right after it. */
  async repeatAlone(): Promise<void> {
    const { course } = this;
    const { limits } = this.#means;
    const beside = { ...this.#means, gate: undefined };
    const alone = { ...beside, isAlone: true };
    // A refusal never counts once the same request is answered as it is to be.
    if (limits.isAtWork || course.refusal !== undefined) course.restart(await attempt(this.#trial, beside));
    while (this.#shouldRepeat) {
      await this.#pause();
      await this.#shiftPhase(() => this.#controls.try(this.#beside, beside));
      const made = await this.#attempt(alone);
      const { succeeded } = await this.#controls.try(this.#beside, beside);
      course.add(succeeded, made);
    }
    await this.#refute(alone);
  }

  async #attempt(means: AttemptMeans): Promise<Attempt> {
    const made = await attempt(this.#trial, { ...means, verifiesClaims: this.#verifiesClaims });
    // Once it came again although everything was arranged as the control protocol said, it does not rest on that.
    if (made.contradicted === undefined && made.findings.length > 0) this.#verifiesClaims = false;
    return made;
  }

  get #shouldRepeat(): boolean {
    const { signal, limits } = this.#means;
    return !this.course.settled && !signal.aborted && limits.endOf(this.#beside) === undefined;
  }

  /** Asks once more for what a rate limit may have refused, each request after a pause that outlasts the limit. */
  async #refute(alone: AttemptMeans): Promise<void> {
    const { limits, signal } = this.#means;
    const refused = this.course.confirmed.flatMap(({ key, exchanges, trouble }) => {
      const status = exchanges.at(-1)?.response?.status ?? 0;
      const isOpen =
        trouble !== undefined && isLimitStatus(status) && !limits.isConfirmed(trouble.kind, status);
      return isOpen ? [{ key, status, ...trouble }] : [];
    });
    const [first] = refused;
    if (first === undefined) return;
    if (!(await limits.suspects(first.kind, (example) => attempt(example, alone)))) return;
    const pauseMs = limits.pauseMs(this.course.refusal);
    const pauses = new Map(refused.map(({ ordinal }) => [ordinal, pauseMs ?? 0]));
    const made = pauseMs === undefined ? undefined : await attempt({ ...this.#trial, pauses }, alone);
    for (const { key, kind, status } of refused) {
      const isSeen = made?.findings.some((finding) => finding.key === key) === true && !signal.aborted;
      if (isSeen) limits.confirm(kind, status);
      else this.#refuted.add(key);
    }
  }

  #doubt(finding: Evidence): Doubt {
    const { limits } = this.#means;
    const { trouble, key } = finding;
    if (!isRefusal(finding)) return trouble === undefined ? 'none' : 'repeat';
    const isRefuted = this.#refuted.has(key) || (trouble !== undefined && limits.hasAnswered(trouble.kind));
    if (isRefuted) return 'never';
    return trouble !== undefined || limits.isAtWork ? 'repeat' : 'none';
  }

  /**
   * Sends something more each time. A server that fails every so many requests would otherwise fail the same one at every
   * repetition, since each asks the same number, and would look wrong every time.
   */
  async #shiftPhase(send: () => Promise<Attempt>): Promise<void> {
    const { signal } = this.#means;
    for (let time = 1; time < this.course.length && !signal.aborted; time++) await send();
  }

  /** Waits after a disturbance: what the server asked for, or a little longer each time. */
  async #pause(): Promise<void> {
    const { course } = this;
    if (!course.disturbed) return;
    const backoffMs = Math.min(25 * 2 ** course.length, backoffAtMostMs) * (0.5 + Math.random());
    const waitMs = Math.min(Math.max(course.retryAfterMs, backoffMs), pauseAtMostMs);
    await sleep(waitMs, undefined, { signal: this.#means.signal }).catch(() => undefined);
  }
}
