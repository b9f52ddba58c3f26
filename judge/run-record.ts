import type { RequirementId } from '../spec/ledger.js';
import type { Reason, ReportedReason } from '../spec/reasons.js';
import type { ReportedCheck, ReportedRecording } from '../spec/report.js';
import type { Judgement } from './check.js';
import type { Violation } from './finding.js';
import type { PassiveJudge } from './passive.js';
import type { Division } from './shard-plan.js';

/** Everything that a run found out, before it is summarized. */
export interface RunRecord {
  readonly judgements: readonly Judgement[];
  readonly passive: PassiveJudge;
  /** Why nothing could be judged; undefined where a positive control passed. */
  readonly unjudged?: string | undefined;
  /** What other shards decide; absent where the run is not split. */
  readonly division?: Division | undefined;
  /** Why the run was stopped before its end; undefined where it was not. */
  readonly stopped?: Reason | undefined;
  /** Violations that the answers to positive controls showed. */
  readonly controlViolations: readonly Violation[];
  /** What failed positive controls showed and does not count, and why. */
  readonly controlInconclusive?: ReadonlyMap<RequirementId, Reason>;
  /** Notes for readers about operations that never succeeded. */
  readonly notes?: readonly string[];
  readonly faults: readonly string[];
  readonly observed?: RecordedEvidence;
}

/** What recorded traffic says of a requirement. */
export interface RecordedVote extends ReportedReason {
  readonly status: 'fail' | 'inconclusive' | 'pass';
}

/** What recorded traffic shows of the requirements. */
export interface RecordedEvidence {
  /** Whether nothing was sent: the recording is all that is judged. */
  readonly isOnly: boolean;
  /** What it says of a requirement; undefined where it shows nothing of it. */
  vote(id: RequirementId): RecordedVote | undefined;
  /** A check for every requirement that a recording can show; during a run, only for those that it did show. */
  readonly checks: readonly ReportedCheck[];
  readonly notes: readonly string[];
  readonly recording: ReportedRecording;
}

/** The id of the check that looks at recorded traffic for a requirement. */
export function makeObservedCheckId(id: RequirementId): string {
  return `${id}/observed`;
}
