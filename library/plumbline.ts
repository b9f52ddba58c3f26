import type { Report } from '../spec/report.js';
import type { JudgeOptions } from './judge-options.js';
import { judgeTarget } from './judge-target.js';
import { checkTarget, type JudgedTarget } from './judged-target.js';
import { planJudging } from './judging-plan.js';

// The exports of the package: `import { conformance, judge } from 'plumbline-conformance'`.
export type { Level, RequirementId } from '../spec/ledger.js';
export type {
  Failure,
  Outcome,
  Report,
  ReportedAttempt,
  ReportedCheck,
  ReportedExchange,
  ReportedRequirement,
  ReportedSilence,
  Status,
  Verdict,
} from '../spec/report.js';
export { conformance, type TestContext, type TestFunction } from './conformance.js';
export type { InProcessApp } from './in-process.js';
export type { JudgeOptions, JudgePermissions, JudgePolicy } from './judge-options.js';
export { type JudgedApp, judgeTraffic, type TrafficFinding, type TrafficOptions } from './judge-traffic.js';
export type { JudgedTarget, TargetControl, TargetDescription } from './judged-target.js';

/**
 * Judges a target as `plumbline run` does and resolves with the report, whatever the verdict: prints nothing, writes
 * nothing and leaves the process alone. Rejects with TypeError if the target or the options are wrong, and with
 * the faults of a profile.
 */
export async function judge(target: JudgedTarget, options: JudgeOptions = {}): Promise<Report> {
  return await judgeTarget(checkTarget(target), planJudging(options));
}
