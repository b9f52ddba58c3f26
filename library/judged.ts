import { redactReport } from '../judge/evidence.js';
import type { Policy } from '../judge/gate.js';
import { type Limits, RunDeadline, resolveLimits } from '../judge/run-limits.js';
import { Session } from '../judge/session.js';
import type { Report } from '../spec/report.js';
import { allChecks } from '../suites/all-checks.js';
import type { JudgeOptions } from './judge-options.js';
import type { TargetDescription } from './judged-target.js';
import { type JudgingPlan, policyOf } from './judging-plan.js';
import { type ReachedTarget, reached } from './reached-target.js';

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

const usualTimeoutSeconds = 10;

async function judgedAt(target: ReachedTarget, { options, plan, selection }: JudgingPlan): Promise<Judged> {
  const { address, profilePath, hint } = target;
  const { timeout = usualTimeoutSeconds, permissions } = options;
  const { destructive = false, inference = false } = permissions ?? {};
  const limits = limitsIn(options, plan.depth, target);
  const policy = policyOf(options, address.profile?.policy);
  const deadline = new RunDeadline(limits.maxTimeMs, options.signal);
  try {
    const session = await Session.open({
      address: { ...address, permissions: { destructive, inference } },
      checks: allChecks,
      ...{ selection, plan, limits, deadline },
      hint: `.${hint}`,
      timeoutMs: timeout * 1_000,
      facts: { baseUrl: address.baseUrl, controlUrl: address.control?.url, profilePath, policy },
    });
    const record = await session.judge();
    await session.close();
    return { report: redactReport(session.report(record), session.redactor), policy };
  } finally {
    deadline.release();
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
  return resolveLimits(bounds, address.profile);
}
