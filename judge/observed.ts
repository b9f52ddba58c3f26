import type { RequirementId } from '../spec/ledger.js';
import { makeReason, type ReportedReason, reportReason } from '../spec/reasons.js';
import {
  type ReportedCheck,
  type ReportedRecording,
  type ReportedRequirement,
  statuses,
} from '../spec/report.js';

/** What recorded traffic says of a requirement. */
export interface ObservedVote extends ReportedReason {
  readonly status: 'fail' | 'inconclusive' | 'pass';
}

/** What recorded traffic showed, as the ledger and the report take it in. */
export interface Observed {
  /** Whether nothing was sent beside it. */
  readonly alone: boolean;
  /** What it says of a requirement; undefined where it shows nothing of it. */
  say(id: RequirementId): ObservedVote | undefined;
  /** A check for every requirement that a recording can show; beside a run only those that it did show. */
  readonly checks: readonly ReportedCheck[];
  readonly notes: readonly string[];
  readonly recording: ReportedRecording;
}

/** The id of the check that looks at recorded traffic for a requirement. */
export function observedCheckId(id: RequirementId): string {
  return `${id}/observed`;
}

type Standing = Pick<ReportedRequirement, 'status' | 'reason' | 'reason_code' | 'observed'>;

/** What became of a requirement, recorded traffic taken in: of both what comes first in the order of statuses. */
export function withObserved(own: Standing, id: RequirementId, observed: Observed | undefined): Standing {
  if (observed === undefined || own.status === 'not-observable') return own;
  const say = observed.say(id);
  if (say !== undefined && statuses.indexOf(say.status) < statuses.indexOf(own.status))
    return { ...say, observed: true };
  const isSilent = observed.alone && own.status === 'not-exercised' && observed.recording.judged > 0;
  return isSilent ? { ...own, ...reportReason(makeReason('not-recorded')) } : own;
}
