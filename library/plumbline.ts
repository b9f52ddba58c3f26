// What the package hands to those who import it: `import { conformance, judge } from 'plumbline-conformance'`.
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
export { conformance } from './conformance.js';
export type { InProcessApp } from './in-process.js';
export { judge } from './judge.js';
export type { JudgeOptions, JudgePermissions, JudgePolicy } from './judge-options.js';
export type { JudgedTarget, TargetControl, TargetDescription } from './judged-target.js';
export type { TestContext, TestFunction } from './test-runner.js';
