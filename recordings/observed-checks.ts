import { PassiveJudge } from '../judge/passive.js';
import { reportFailure } from '../judge/report.js';
import { observedCheckId, type RecordedEvidence, type RecordedVote } from '../judge/run-record.js';
import { type RequirementId, requirement } from '../spec/ledger.js';
import { makeReason, type Reason, type ReportedReason, reportReason } from '../spec/reasons.js';
import type { ReportedCheck } from '../spec/report.js';
import type { ObservedJudge } from './observed-judge.js';
import type { ObservedRow } from './observed-rows.js';
import { observedIds, sharedConditions } from './observed-rules.js';

/** How what was observed is told. */
export interface ObservedFacts {
  readonly alone: boolean;
  readonly baseUrl: string | undefined;
  readonly files: readonly string[];
  /** The command that shows a violation again. */
  readonly command: (id: RequirementId) => string;
}

/** Every requirement that recorded traffic can show. */
const ids: readonly RequirementId[] = [...new Set([...PassiveJudge.requirements, ...observedIds])];

/** Sums up what recorded traffic showed. */
export function observedOf(judge: ObservedJudge, facts: ObservedFacts): RecordedEvidence {
  const says = new Map(ids.flatMap((id) => sayOf(id, judge.rows.row(id), facts.alone) ?? []));
  const { counts, entries } = judge;
  return {
    isOnly: facts.alone,
    vote: (id) => says.get(id),
    checks: judge.scrubbed(
      ids.flatMap((id) => {
        const row = judge.rows.row(id);
        return row === undefined && !facts.alone ? [] : [reportedObserved(id, row, says.get(id), facts)];
      }),
    ),
    notes: judge.notes,
    recording: { base_url: facts.baseUrl ?? null, files: facts.files, entries, ...counts },
  };
}

function sayOf(
  id: RequirementId,
  row: ObservedRow | undefined,
  alone: boolean,
): readonly [readonly [RequirementId, RecordedVote]] | undefined {
  if (row === undefined) return undefined;
  const { cases, violated, undecided, undecidedBy } = row;
  if (violated > 0) return [[id, { status: 'fail', reason: null }]];
  // An answer that decides nothing is no evidence against what a run has seen for itself.
  if (undecided > 0 && alone)
    return [[id, { status: 'inconclusive', ...reportReason(openReason(undecided, undecidedBy)) }]];
  return cases > undecided ? [[id, { status: 'pass', ...reportReason(shownReason(id, row)) }]] : undefined;
}

function openReason(undecided: number, by: string | undefined): Reason {
  const others = undecided === 1 ? '' : `, and ${undecided - 1} more like it`;
  return makeReason('recorded-unclear', by ?? 'no JSON', others);
}

function shownReason(id: RequirementId, { classes, cases, undecided }: ReportedSeen): Reason {
  const seen = Object.entries(classes).map(
    ([name, count]) => `${name} ${count === 1 ? 'once' : `${count} times`}`,
  );
  const told = seen.length > 3 || undecided > 0 ? counted(cases - undecided) : seen.join(', ');
  const condition = sharedConditions.has(id)
    ? '; which of the conditions of that status it was, a recording does not say'
    : '';
  return makeReason('recorded', told, condition);
}

type ReportedSeen = Pick<ObservedRow, 'classes' | 'cases' | 'undecided'>;

function reportedObserved(
  id: RequirementId,
  row: ObservedRow | undefined,
  say: RecordedVote | undefined,
  { command }: ObservedFacts,
): ReportedCheck {
  const [failure = null, ...further] = (row?.violations ?? []).map((violation) =>
    reportFailure(violation, violation.situation.exact, command(id)),
  );
  const untold = (row?.violated ?? 0) - (row?.violations.length ?? 0);
  return {
    id: observedCheckId(id),
    title: `${requirement(id).statement} (recorded traffic)`,
    requirements: [id],
    outcome: say?.status ?? 'skipped',
    ...explainOutcome(say, untold),
    cases: row?.cases ?? 0,
    classes: row?.classes ?? {},
    requests: 0,
    started_ms: 0,
    duration_ms: 0,
    failure,
    further_failures: further,
    attempts: [],
  };
}

function explainOutcome(say: RecordedVote | undefined, untold: number): ReportedReason {
  if (say === undefined) return reportReason(makeReason('not-recorded'));
  const { status: _, ...reason } = say;
  return reason.reason === null && untold > 0
    ? reportReason(makeReason('more-violations', String(untold)))
    : reason;
}

function counted(answers: number): string {
  return answers === 1 ? 'one answer' : `${answers} answers`;
}
