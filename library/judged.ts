import { stopReason } from '../judge/attempt.js';
import type { Policy } from '../judge/gate.js';
import { lookedThrough } from '../judge/last-look.js';
import { type Limits, limitsOf } from '../judge/limits.js';
import { nothingJudged } from '../judge/nothing-judged.js';
import { reportOf } from '../judge/report.js';
import { Run, type RunRecord } from '../judge/run.js';
import type { Report } from '../spec/report.js';
import { checksAt } from '../suites/all-checks.js';
import { ControlError } from '../targets/control-client.js';
import { Redactor } from '../targets/redaction.js';
import { openTarget, type Target, type TargetAddress } from '../targets/target.js';
import type { JudgeOptions } from './judge-options.js';
import type { TargetDescription } from './judged-target.js';
import { type JudgingPlan, policyOf } from './judging-plan.js';
import { type ReachedTarget, reached } from './reached-target.js';
import { RunEnd } from './run-end.js';

/** A report, and what its gate was decided by. */
export interface Judged {
  readonly report: Report;
  readonly policy: Policy;
}

/** Judges a target that was described, by options that were checked. */
export async function judged(description: TargetDescription, plan: JudgingPlan): Promise<Judged> {
  const target = await reached(description);
  try {
    return await judgedAt(target, plan);
  } finally {
    await target.close();
  }
}

async function judgedAt(
  reachedTarget: ReachedTarget,
  { options, plan, selection }: JudgingPlan,
): Promise<Judged> {
  const { address, profilePath } = reachedTarget;
  const limits = limitsIn(options, plan.depth, reachedTarget);
  const policy = policyOf(options, address.profile?.policy);
  const end = new RunEnd(limits.maxTimeMs, options.signal);
  const startedAt = new Date();
  const start = performance.now();
  try {
    const opened = await open(reachedTarget, options, limits, end);
    const target = 'target' in opened ? opened.target : undefined;
    const record =
      'unjudged' in opened
        ? nothingJudged(opened.unjudged)
        : await judgeAll(opened.target, { options, plan, selection }, limits, end);
    await target?.close();
    const report = reportOf(record, target, {
      startedAt,
      durationMs: performance.now() - start,
      complete: !end.signal.aborted,
      interrupted: end.interrupted,
      selection,
      baseUrl: address.baseUrl,
      controlUrl: address.control?.url,
      profilePath,
      seed: plan.seed,
      depth: plan.depth,
      policy,
    });
    return { report: lookedThrough(report, target?.redactor ?? new Redactor()), policy };
  } finally {
    end.release();
  }
}

function limitsIn(
  options: JudgeOptions,
  depth: JudgingPlan['plan']['depth'],
  { address }: ReachedTarget,
): Limits {
  const { concurrency, rate, maxRequests, maxTime } = options;
  const bounds = {
    depth,
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(rate === undefined ? {} : { rate }),
    ...(maxRequests === undefined ? {} : { maxRequests }),
    ...(maxTime === undefined ? {} : { maxTime: maxTime * 1_000 }),
  };
  return limitsOf(bounds, address.profile);
}

type Opened = { readonly target: Target } | { readonly unjudged: string };

const usualTimeoutSeconds = 10;

async function open(
  { address, hint }: ReachedTarget,
  { timeout = usualTimeoutSeconds, permissions }: JudgeOptions,
  { concurrency, rate, maxRequests }: Limits,
  end: RunEnd,
): Promise<Opened> {
  const { signal } = end;
  const { destructive = false, inference = false } = permissions ?? {};
  const asked: TargetAddress = {
    ...address,
    permissions: { destructive, inference },
    concurrency,
    ...(rate === undefined ? {} : { rate }),
    timeoutMs: timeout * 1_000,
    signal,
    ...(maxRequests === undefined
      ? {}
      : { maxRequests, onMaxRequests: () => end.end(`the ceiling of ${maxRequests} requests is reached`) }),
  };
  try {
    return { target: await openTarget(asked) };
  } catch (error) {
    if (signal.aborted) return { unjudged: stopReason(signal) };
    if (error instanceof ControlError) return { unjudged: `${error.message}.${hint}` };
    throw error;
  }
}

function judgeAll(
  target: Target,
  { plan, selection }: JudgingPlan,
  { concurrency }: Limits,
  { signal }: RunEnd,
): Promise<RunRecord> {
  return new Run(target, { selection, plan, concurrency, signal }).judgeAll(checksAt(plan.depth));
}
