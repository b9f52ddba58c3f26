import { ledger, type RequirementId, type RequirementRow } from '../spec/ledger.js';
import { groupBy } from '../spec/maps.js';
import { makeReason, type Reason, reportReason } from '../spec/reasons.js';
import {
  isUnproven,
  type ReportedCheck,
  type ReportedRequirement,
  type ReportedVote,
  statuses,
  type Verdict,
} from '../spec/report.js';
import type { Target } from '../targets/target.js';
import { findWorst } from './check.js';
import { makeObservedCheckId, type RecordedEvidence, type RunRecord } from './run-record.js';
import type { Selection } from './selection.js';

/** What became of a requirement, and why. */
export type RequirementResult = Pick<ReportedRequirement, 'status' | 'reason' | 'reason_code' | 'observed'>;

/** The vote of a check on a requirement. */
export interface Vote extends Omit<ReportedVote, 'requirement'> {
  readonly check: string;
}

/** Gives every requirement of the ledger exactly one status. Checks of the rules for every response are reported last. */
export function decideRequirements(
  record: RunRecord,
  reported: readonly ReportedCheck[],
  target: Target | undefined,
  selection: Selection,
): readonly ReportedRequirement[] {
  const { observed, division } = record;
  const votesOf = collectVotes(reported);
  return ledger.map((row) => {
    const { id, section, level, statement, optional } = row;
    const votes = votesOf(id);
    const isOwn = selection.has(id) && division?.ofOtherShards.has(id) !== true;
    const result = isOwn
      ? addRecordedEvidence(decideRequirement(row, votes, record, target), id, observed)
      : makeNotExercised(makeReason('not-selected'));
    const checks = votes.map(({ check }) => check);
    if (observed?.vote(id) !== undefined) checks.push(makeObservedCheckId(id));
    return { id, section, level, statement, ...result, checks, ...(optional === true ? { optional } : {}) };
  });
}

/** Collects the votes of checks on each requirement. */
export function collectVotes(checks: readonly ReportedCheck[]): (id: RequirementId) => readonly Vote[] {
  const all = checks.flatMap((check) => listVotes(check).map((vote) => ({ check: check.id, ...vote })));
  const byRequirement = groupBy(all, ({ requirement }) => requirement);
  return (id) => byRequirement.get(id) ?? [];
}

/** Lists the votes of a check on its requirements; one that does not tell them apart votes the same on each. */
export function listVotes(check: ReportedCheck): readonly ReportedVote[] {
  const { says, requirements, outcome, reason, reason_code = null } = check;
  return says ?? requirements.map((requirement) => ({ requirement, outcome, reason, reason_code }));
}

function decideRequirement(
  row: RequirementRow,
  votes: readonly Vote[],
  record: RunRecord,
  target: Target | undefined,
): RequirementResult {
  if (row.unseen !== undefined)
    return { status: 'not-observable', ...reportReason(makeReason('not-observable', row.unseen)) };
  if (row.level === 'silent') return { status: 'not-observable', ...reportReason(makeReason('unspecified')) };
  const worst = findWorst(votes);
  if (record.unjudged !== undefined)
    return decideUnjudged(record.unjudged, worst, record.judgements.length > 0);
  // Where the checks of this shard did not reach a row, the shard that answers for it may.
  if (worst?.outcome === 'skipped' && record.division?.shared.has(row.id) === true)
    return makeNotExercised(makeReason('not-selected'));
  const missing = (row.needs ?? []).flatMap((need) => target?.lacks(need) ?? []);
  const code = worst?.reason_code;
  const isOpen = worst === undefined || code === 'no-case' || code === 'ended-early';
  // What the row needs is what its reader can provide; a check that shows it in another way may lack something else.
  const isLacking = code === 'lacking' && worst?.outcome === 'skipped';
  if (missing.length > 0 && (isOpen || isLacking)) return makeNotExercised(makeReason('lacking', ...missing));
  // A target need not show what an optional row is about.
  const isUnseen = worst === undefined || (row.optional === true && code === 'ended-early');
  if (!isUnseen) return readVote(worst);
  const { stopped, division } = record;
  if (stopped !== undefined) return { status: 'inconclusive', ...reportReason(stopped) };
  // Where the run is split, another shard may show it.
  return makeNotExercised(makeReason(division === undefined ? 'not-shown' : 'not-selected'));
}

/** Adds recorded evidence to the result of a requirement: the worse status of the two counts. */
function addRecordedEvidence(
  own: RequirementResult,
  id: RequirementId,
  observed: RecordedEvidence | undefined,
): RequirementResult {
  if (observed === undefined || own.status === 'not-observable') return own;
  const vote = observed.vote(id);
  if (vote !== undefined && statuses.indexOf(vote.status) < statuses.indexOf(own.status))
    return { ...vote, observed: true };
  const isSilent = observed.isOnly && own.status === 'not-exercised' && observed.recording.judged > 0;
  return isSilent ? { ...own, ...reportReason(makeReason('not-recorded')) } : own;
}

/** Decides a row where no positive control passed: only a violation counts. What was tried stays inconclusive. */
function decideUnjudged(unjudged: string, worst: Vote | undefined, isTried: boolean): RequirementResult {
  if (worst?.outcome === 'fail') return readVote(worst);
  const reason = makeReason('unjudged', unjudged);
  const isSeen = isTried && worst !== undefined && worst.outcome !== 'skipped';
  return isSeen ? { status: 'inconclusive', ...reportReason(reason) } : makeNotExercised(reason);
}

/** Makes the result of a requirement that was not exercised, and why. */
export function makeNotExercised(reason: Reason): RequirementResult {
  return { status: 'not-exercised', ...reportReason(reason) };
}

/** Makes the result of a requirement that one vote decides. */
export function readVote({ outcome, reason, reason_code = null }: Vote): RequirementResult {
  return { status: outcome === 'skipped' ? 'not-exercised' : outcome, reason, reason_code };
}

/** The id of the check that looks at every response for a requirement. */
export function makePassiveCheckId(id: RequirementId): string {
  return `${id}/every-response`;
}

/** Decides the verdict from what failed and what is unproven; waivers and policy do not count. */
export function decideVerdict(requirements: readonly ReportedRequirement[], unjudged: boolean): Verdict {
  const isViolated = requirements.some(
    ({ level, status }) => status === 'fail' && (level === 'must' || level === 'derived'),
  );
  if (isViolated) return 'non-conformant';
  if (unjudged) return 'unjudged';
  return requirements.some(isUnproven) ? 'incomplete' : 'conformant';
}
