import { longestTimerMs } from '../judge/plan.js';
import { defaultMaxTimeMs } from '../judge/run-limits.js';
import { renderEvidence } from '../reports/causes.js';
import type { KnownTest } from '../reports/report-view.js';
import { buildVerdictTest, explainUnsent } from '../reports/test-case-view.js';
import {
  type Failure,
  isUnproven,
  listFailures,
  type Report,
  type ReportedCheck,
  type ReportedRequirement,
} from '../spec/report.js';
import { allTests } from '../suites/all-checks.js';
import type { JudgeOptions } from './judge-options.js';
import { judgeTarget } from './judge-target.js';
import { type CheckedTarget, checkTarget, type JudgedTarget } from './judged-target.js';
import { planJudging } from './judging-plan.js';

/** The context that a test runner passes to a test. */
export interface TestContext {
  /** Marks the test as skipped. */
  skip(reason?: string): void;
  /** Aborted when the test must end; vitest has it since 3.2. */
  readonly signal?: AbortSignal;
}

/** A test runner's `test`: that of vitest 3 or 4, or of node:test. */
export type TestFunction = (
  name: string,
  options: { readonly timeout: number },
  body: (context: TestContext) => Promise<void>,
) => unknown;

/**
 * Registers every selected check as a test, and a last one for the verdict. The first test that runs starts one run of
 * all checks, and each test reports the outcome of its check; so they may run in any order, or concurrently. A server
 * of this process listens for as long as the run takes.
 *
 * A test fails if its check found a violation that decides, or left a `must` inconclusive; it is skipped, with the
 * reason, if the target does not offer what the check needs. Throws TypeError if the target or the options are wrong.
 * @param test the `test` of vitest (3 or 4) or of node:test
 */
export function conformance(test: TestFunction, target: JudgedTarget, options: JudgeOptions = {}): void {
  const plan = planJudging(options);
  const description = checkTarget(target);
  const timeout = timeoutMs(options, description);
  const stop = new AbortController();
  const signal = options.signal === undefined ? stop.signal : AbortSignal.any([stop.signal, options.signal]);
  let run: Promise<Report> | undefined;
  const ended = (): Promise<Report> => {
    run ??= judgeTarget(description, { ...plan, options: { ...options, signal } });
    return run;
  };
  const add = (name: string, end: (report: Report, skip: Skip) => void): void =>
    register(test, name, timeout, async (skip, testSignal) => {
      const abort = () => stop.abort();
      testSignal?.addEventListener('abort', abort, { once: true });
      try {
        end(await ended(), skip);
      } finally {
        testSignal?.removeEventListener('abort', abort);
      }
    });
  const tests = allTests.filter(({ requirements }) => requirements.some((id) => plan.selection.has(id)));
  for (const known of tests) add(known.id, (report, skip) => endCheck(known, report, skip));
  // The last test ends as the gate does.
  add('the verdict', (report) => {
    const { result, message, detail } = buildVerdictTest(report);
    if (result !== 'pass') fail([message, ...detail].join('\n  '));
  });
}

// After its time is up, a run still deletes its worlds and writes its report.
const closingMs = 30_000;

/** Milliseconds that a test may take: each may have to wait for the whole run, which has limits of its own. */
function timeoutMs({ maxTime }: JudgeOptions, { profile }: CheckedTarget): number {
  // A profile may set the time; it is read when the run begins.
  if (maxTime === undefined && profile !== undefined) return longestTimerMs;
  const maxTimeMs = maxTime === undefined ? defaultMaxTimeMs : maxTime * 1_000;
  return Math.min(longestTimerMs, maxTimeMs + closingMs);
}

/** Marks a test as skipped; some runners throw to do so. */
type Skip = (reason: string) => void;

/** Fails a test by an error about the target, without a stack trace of this package. */
function fail(words: string): never {
  throw Object.assign(new Error(words), { stack: `Error: ${words}` });
}

/**
 * Reports the outcome of a check to its test. Requirements that do not affect the gate (advisory, excused) never fail a test, and inconclusive
 * ones never pass one.
 */
function endCheck({ id, requirements }: KnownTest, report: Report, skip: Skip): void {
  const check = report.checks.find((candidate) => candidate.id === id);
  if (check === undefined) skip(`not sent: ${explainUnsent(requirements, report)}`);
  else if (check.outcome === 'fail') endFailed(check, report, skip);
  else if (check.outcome === 'inconclusive') endInconclusive(check, report, skip);
  else if (check.outcome === 'skipped') skip(`not exercised: ${check.reason ?? 'no response showed it'}`);
}

function endFailed(check: ReportedCheck, { requirements, gate }: Report, skip: Skip): void {
  const failures = listFailures(check);
  const deciding = failures.flatMap((failure) => {
    const row = requirements.find(({ id }) => id === failure.requirement);
    const decides = row !== undefined && gate.policy?.decides.includes(row.level);
    return decides ? [describeFailure(failure, row)] : [];
  });
  if (deciding.length > 0) fail(deciding.join('\n\n'));
  skip(`failed, but does not decide: ${failures.map(({ message }) => message).join('; ')}`);
}

function endInconclusive(check: ReportedCheck, report: Report, skip: Skip): void {
  const reason = `inconclusive: ${check.reason ?? 'no reason was recorded'}`;
  const isOwed = report.requirements.some(
    (row) => check.requirements.includes(row.id) && isUnproven(row) && !report.gate.excused.includes(row.id),
  );
  if (isOwed) fail(reason);
  skip(reason);
}

/** A violation, and how to reproduce it. */
function describeFailure(failure: Failure, { section, level, statement }: ReportedRequirement): string {
  const rule = `§${section}, ${level}: ${statement}`;
  return [rule, ...renderEvidence({ failure, replay: undefined }), failure.reproduce.curl].join('\n  ');
}

/** Registers one test with either runner. */
function register(
  test: TestFunction,
  name: string,
  timeout: number,
  body: (skip: Skip, signal: AbortSignal | undefined) => Promise<void>,
): void {
  // vitest reads from the parameters of a body which fixtures to pass; the context of node:test cannot be destructured.
  const ofVitest = ({ skip, signal }: TestContext) => body((reason) => skip(reason), signal);
  const ofNode = (context: TestContext) => body((reason) => context.skip(reason), context.signal);
  test(name, { timeout }, 'extend' in test ? ofVitest : ofNode);
}
