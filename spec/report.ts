import type {
  Failure,
  Mismatch,
  Report,
  ReportedCheck,
  ReportedCoverage,
  ReportedRequirement,
} from './generated/report.js';
import type { ReportedReason } from './reasons.js';

export type {
  Failure,
  Mismatch,
  Policy,
  Report,
  ReportedAttempt,
  ReportedCheck,
  ReportedCoverage,
  ReportedExchange,
  ReportedOrigin,
  ReportedRecording,
  ReportedRequirement,
  ReportedSilence,
  ReportedSlowDown,
  ReportedVote,
  ReportedWaiver,
} from './generated/report.js';
export type { GateGround } from './reasons.js';

/** The words a run ends with, before waivers and policy. */
export const verdicts = ['conformant', 'non-conformant', 'incomplete', 'unjudged'] as const;
export type Verdict = (typeof verdicts)[number];

/** The statuses of a requirement after a run, the worst first. */
export const statuses = ['fail', 'inconclusive', 'pass', 'not-exercised', 'not-observable'] as const;
export type Status = (typeof statuses)[number];

/** The outcome of a check in a run. */
export type Outcome = ReportedCheck['outcome'];

/** What kinds of things are wrong with an answer. */
export type Wrong = Mismatch['wrong'];

/** The parts of a request that tell faults apart. */
export type AskedWith = NonNullable<Mismatch['asked']>;

/** Adds up the combinations of so many inputs that checks judged; undefined where none is about such combinations. */
export function sumCoverage(
  checks: readonly Pick<ReportedCheck, 'coverage'>[],
  strength: ReportedCoverage['strength'],
): ReportedCoverage | undefined {
  const all = checks.flatMap(({ coverage }) => (coverage?.strength === strength ? [coverage] : []));
  const sum = (of: 'seen' | 'possible') => all.reduce((total, one) => total + one[of], 0);
  return all.length === 0 ? undefined : { strength, seen: sum('seen'), possible: sum('possible') };
}

/** Lists the flags that select the requirements of a run. */
export function listSelectionFlags({ only, skip }: Report['run']['selection']): readonly string[] {
  return [...only.map((glob) => `--only ${glob}`), ...skip.map((glob) => `--skip ${glob}`)];
}

/** Whether the selection left a requirement out, so that it counts for nothing. */
export function isLeftOut({ reason_code: code }: ReportedReason): boolean {
  return code === 'not-selected';
}

/** Whether a requirement is a selected `must` that neither passed nor failed, and is not optional for the target. */
export function isUnproven(row: ReportedRequirement): boolean {
  const isOpen = row.status === 'inconclusive' || (row.status === 'not-exercised' && row.optional !== true);
  return row.level === 'must' && isOpen && !isLeftOut(row);
}

/** Lists the violations that a check found. */
export function listFailures({ failure, further_failures: further }: ReportedCheck): readonly Failure[] {
  return failure === null ? further : [failure, ...further];
}

/** Counts the requirements of each status. */
export function countStatuses(requirements: readonly ReportedRequirement[]): Report['totals'] {
  return Object.fromEntries(
    statuses.map((status) => [status, requirements.filter((row) => row.status === status).length]),
  ) as Record<Status, number>;
}
