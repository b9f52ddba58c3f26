import { PassiveJudge } from '../judge/passive.js';
import type { Selection } from '../judge/plan.js';
import { passiveCheckId } from '../judge/requirement-results.js';
import { allChecks } from '../suites/all-checks.js';
import type { JudgeOptions } from './judge-options.js';
import { type Judged, judged } from './judged.js';
import { described, type JudgedTarget, type TargetDescription } from './judged-target.js';
import { planned } from './judging-plan.js';
import { type Ending, endingOfCheck, endingOfRun } from './test-ending.js';
import { register, type TestFunction } from './test-runner.js';

/** The name of the last test: it ends as the gate of the run does. */
const verdictTest = 'the verdict';

/**
 * Registers every selected check as a test of its own, and a last one for the verdict. The first test that runs
 * starts one run of them all, side by side, and each test tells what became of its check; so they may run in any
 * order, or at once. A server of this process listens for as long as the run takes.
 *
 * A test fails where its check found a violation that decides, or left a `must` undecided; it is skipped, with the
 * reason, where the target gave no means to see it. Throws TypeError where the target or the options are wrong.
 * @param test the `test` of vitest (3 or 4) or of node:test
 */
export function conformance(test: TestFunction, target: JudgedTarget, options: JudgeOptions = {}): void {
  const plan = planned(options);
  const description = described(target);
  const timeout = timeoutMs(options, description);
  const stop = new AbortController();
  const signal = options.signal === undefined ? stop.signal : AbortSignal.any([stop.signal, options.signal]);
  let run: Promise<Judged> | undefined;
  const ended = (): Promise<Judged> => {
    run ??= judged(description, { ...plan, options: { ...options, signal } });
    return run;
  };
  const add = (name: string, ending: (judged: Judged) => Ending): void =>
    register(test, name, timeout, async (skip, testSignal) => {
      const abort = () => stop.abort();
      testSignal.addEventListener('abort', abort, { once: true });
      try {
        settle(ending(await ended()), skip);
      } finally {
        testSignal.removeEventListener('abort', abort);
      }
    });
  for (const id of checkIds(plan.selection)) add(id, (result) => endingOfCheck(id, result));
  add(verdictTest, endingOfRun);
}

const usualMaxTimeSeconds = 240;
// Past its time a run still gives its worlds back and sums up.
const secondsToClose = 30;
const longestTimerMs = 2 ** 31 - 1;

/** Milliseconds that a test may take: each may be the one that waits for the whole run, which ends by itself. */
function timeoutMs({ maxTime }: JudgeOptions, { profile }: TargetDescription): number {
  // A profile may say how long; it is read when the run begins.
  if (maxTime === undefined && profile !== undefined) return longestTimerMs;
  return Math.min(longestTimerMs, ((maxTime ?? usualMaxTimeSeconds) + secondsToClose) * 1_000);
}

function checkIds(selection: Selection): readonly string[] {
  const active = allChecks.filter(({ decides }) => decides.some((id) => selection.has(id)));
  const passive = PassiveJudge.requirements.filter((id) => selection.has(id));
  return [...active.map(({ id }) => id), ...passive.map(passiveCheckId)];
}

function settle(ending: Ending, skip: (reason: string) => void): void {
  if ('skipped' in ending) skip(ending.skipped);
  if ('failed' in ending) throw failure(ending.failed);
}

/** An error that tells what the target did; where in this code it was noticed tells nobody anything. */
function failure(message: string): Error {
  const error = new Error(message);
  error.stack = `Error: ${message}`;
  return error;
}
