import { makeReport, type RunFacts, reportFailure } from '../judge/report.js';
import {
  makeObservedCheckId,
  type RecordedEvidence,
  type RecordedVote,
  type RunRecord,
} from '../judge/run-record.js';
import { type RequirementId, requirement } from '../spec/ledger.js';
import { makeReason, type Reason, reportReason } from '../spec/reasons.js';
import type { Report, ReportedCheck } from '../spec/report.js';
import type { ObservedJudge } from './observed-judge.js';
import { type ObservedRow, recordableIds } from './observed-rows.js';
import { sharedConditions } from './observed-rules.js';
import { describePlace } from './recorded-exchange.js';
import type { DeletedAgain } from './repetition-rules.js';

/** Facts for the report on recorded traffic. */
export interface ObservedFacts {
  readonly isOnly: boolean;
  readonly files: readonly string[];
  /** Returns the command that reproduces a violation. */
  readonly command: (id: RequirementId) => string;
}

/** Sums up what recorded traffic showed. */
export function summarizeObserved(judge: ObservedJudge, facts: ObservedFacts): RecordedEvidence {
  const deletedAgain = summarizeRepeatedDeletes(judge.deletes.found);
  const shown = recordableIds.map((id) => {
    const row = id === 'vault-delete.204.takes-effect' ? deletedAgain : judge.rows.row(id);
    return { id, row, vote: row && castVote(id, row, facts.isOnly) };
  });
  const votes = new Map(shown.map(({ id, vote }) => [id, vote]));
  const reported = shown.filter(({ row }) => row !== undefined || facts.isOnly);
  const { counts, entries } = judge;
  // In a run, which may have decided the requirement itself, an undecided row is only a note.
  const undecided = [reportReason(deletedAgain?.undecidedBy).reason ?? []].flat();
  return {
    isOnly: facts.isOnly,
    vote: (id) => votes.get(id),
    checks: judge.redact(reported.map(({ id, row, vote }) => toCheck(id, row, vote, facts))),
    notes: [...judge.notes, ...(facts.isOnly ? judge.hints : undecided)],
    recording: { base_url: judge.baseUrl ?? null, files: facts.files, entries, ...counts },
  };
}

/** Makes the report on traffic alone, redacted last: a key of one exchange may be repeated in an earlier one. */
export function makeObservedReport(
  judge: ObservedJudge,
  { files, command, unjudged, faults = [], notes = [], ...run }: ObservedRun,
): Report {
  const record: RunRecord = {
    judgements: [],
    passive: judge.rows.passive,
    unjudged: judge.counts.judged === 0 ? unjudged : undefined,
    stopped: undefined,
    controlViolations: [],
    observed: summarizeObserved(judge, { files, command, isOnly: true }),
    ...{ faults, notes },
  };
  const usual = { complete: true, interrupted: false, controlUrl: undefined, seed: 0 };
  return judge.redact(makeReport(record, undefined, { ...usual, ...run, baseUrl: judge.baseUrl }));
}

interface ObservedRun
  extends Omit<ObservedFacts, 'isOnly'>,
    Partial<Pick<RunRecord, 'faults' | 'notes'>>,
    Pick<RunFacts, 'startedAt' | 'durationMs' | 'selection' | 'insecure'>,
    Partial<Pick<RunFacts, 'complete' | 'interrupted'>> {
  readonly unjudged: string;
}

/** Sums up repeated deletes: a 404 shows that the secret was gone; a second 204 leaves that open. */
function summarizeRepeatedDeletes(again: readonly DeletedAgain[]): ObservedRow | undefined {
  const twice = again.filter(({ status }) => status === 204);
  const [shown] = twice;
  const cases = twice.length || again.length;
  if (cases === 0) return undefined;
  const places = [shown?.first, shown?.second].flatMap((one) => (one ? [describePlace(one.place)] : []));
  return {
    classes: { [`vault-delete.${shown?.status ?? 404}`]: cases },
    ...{ cases, violated: 0, violations: [], undecided: twice.length },
    undecidedBy: shown && makeReason('recorded-repeated', ...places),
  };
}

function castVote(id: RequirementId, row: ObservedRow, isOnly: boolean): RecordedVote | undefined {
  const { cases, violated, undecided, undecidedBy } = row;
  if (violated > 0) return { status: 'fail', reason: null };
  // An answer that decides nothing does not outweigh what a run has seen itself.
  if (undecidedBy !== undefined && isOnly) {
    const { code, details = [] } = undecidedBy;
    const others = undecided === 1 ? '' : `, and ${undecided - 1} more like it`;
    return { status: 'inconclusive', ...reportReason(makeReason(code, ...details, others)) };
  }
  return cases > undecided ? { status: 'pass', ...reportReason(describeShown(id, row)) } : undefined;
}

function describeShown(id: RequirementId, { classes, cases, undecided }: ObservedRow): Reason {
  const seen = Object.entries(classes).map(
    ([name, count]) => `${name} ${count === 1 ? 'once' : `${count} times`}`,
  );
  const answers = cases - undecided === 1 ? 'one answer' : `${cases - undecided} answers`;
  const condition = sharedConditions.has(id)
    ? '; which of the conditions of that status it was, a recording does not say'
    : '';
  return makeReason('recorded', seen.length > 3 || undecided > 0 ? answers : seen.join(', '), condition);
}

function toCheck(
  id: RequirementId,
  row: ObservedRow | undefined,
  vote: RecordedVote | undefined,
  { command }: ObservedFacts,
): ReportedCheck {
  const { violated = 0, violations = [], cases = 0, classes = {} } = row ?? {};
  const [failure = null, ...further] = violations.map((violation) =>
    reportFailure(violation, violation.situation.exact, { command: command(id) }),
  );
  const more = violated - violations.length;
  const { status: outcome, ...reason } = vote ?? {
    status: 'skipped' as const,
    ...reportReason(makeReason('not-recorded')),
  };
  return {
    id: makeObservedCheckId(id),
    title: `${requirement(id).statement} (recorded traffic)`,
    requirements: [id],
    outcome,
    ...(reason.reason === null && more > 0
      ? reportReason(makeReason('more-violations', String(more)))
      : reason),
    cases,
    classes,
    requests: 0,
    started_ms: 0,
    duration_ms: 0,
    failure,
    further_failures: further,
    attempts: [],
  };
}
