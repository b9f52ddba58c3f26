import { setTimeout as sleep } from 'node:timers/promises';
import type { Operation } from '../spec/vocabulary.js';
import { type AttemptMeans, attempt, type Trial } from './attempt.js';
import type { Controls } from './controls.js';
import { Course } from './course.js';
import type { Attempt } from './finding.js';

const backoffAtMostMs = 400;
const pauseAtMostMs = 10_000;

/**
 * Repeats what did not hold, from arranging to asserting, beside its positive control, until it settles.
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
  const { confirmedRows, plan, signal } = means;
  const course = new Course(first, plan.depth === 'quick');
  let verifiesClaims = mayRestOnClaims(first);
  const repeat = async (): Promise<void> => {
    while (!course.settled && !signal.aborted) {
      await pause(course, signal);
      await shiftPhase(
        course.length - 1,
        () =>
          // Where every request is dear its positive control shifts as well, in a world that others share.
          plan.depth === 'quick' ? controls.try(beside) : attempt({ ...trial, exchangesAtMost: 1 }, means),
        signal,
      );
      const { succeeded } = await controls.try(beside);
      const made = await attempt(trial, { ...means, verifiesClaims });
      course.add(succeeded, made);
      // Once it came again although everything was arranged as the control protocol said, it does not rest on that.
      if (made.contradicted === undefined && made.findings.length > 0) verifiesClaims = false;
    }
  };
  if (confirmedRows === undefined || course.settled) await repeat();
  else await confirmedRows.inTurn(first, course, repeat, subject);
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

/**
 * Sends something more each time. A server that fails every so many requests would otherwise fail the same one at every
 * repetition, since each asks the same number, and would look wrong every time.
 */
async function shiftPhase(times: number, send: () => Promise<Attempt>, signal: AbortSignal): Promise<void> {
  for (let time = 0; time < times && !signal.aborted; time++) await send();
}

/** Waits after a disturbance: what the server asked for, or a little longer each time. */
async function pause(course: Course, signal: AbortSignal): Promise<void> {
  if (!course.disturbed) return;
  const backoffMs = Math.min(25 * 2 ** course.length, backoffAtMostMs) * (0.5 + Math.random());
  const waitMs = Math.min(Math.max(course.retryAfterMs, backoffMs), pauseAtMostMs);
  await sleep(waitMs, undefined, { signal }).catch(() => undefined);
}
