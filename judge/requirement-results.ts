import { ledger, type RequirementId, type RequirementRow } from '../spec/ledger.js';
import type { Need } from '../spec/need.js';
import { makeReason, type Reason, type ReportedReason, reportReason } from '../spec/reasons.js';
import {
  isUnproven,
  type Report,
  type ReportedRequirement,
  type Status,
  statuses,
  type Verdict,
} from '../spec/report.js';
import type { Target } from '../targets/target.js';
import type { Check, Judgement, RowOutcome } from './check.js';
import type { Violation } from './finding.js';
import { PassiveJudge } from './passive.js';
import type { Selection } from './plan.js';
import { addRecordedEvidence, observedCheckId, type RunRecord } from './run-record.js';

/** What one check, active or passive, says of a requirement. */
export interface Vote extends RequirementResult {
  readonly check: string;
}

/** What became of a requirement, and why. */
export interface RequirementResult extends ReportedReason {
  readonly status: Status;
}

/** Gives every requirement of the ledger exactly one status. */
export function decideRequirements(
  record: RunRecord,
  target: Target | undefined,
  selection: Selection,
): readonly ReportedRequirement[] {
  const activeVotes = collectVotes(record.judgements);
  return ledger.map((row) => {
    const { id, section, level, statement, optional } = row;
    const votes = [...(activeVotes.get(id) ?? []), ...collectPassiveVotes(id, record)];
    const { observed } = record;
    const isHere = selection.has(id) && record.division?.elsewhere.has(id) !== true;
    const told = isHere
      ? addRecordedEvidence(decideRequirement(row, votes, record, target), id, observed)
      : makeNotExercised(makeReason('not-selected'));
    const checks = [
      ...votes.map(({ check }) => check),
      ...(observed?.vote(id) === undefined ? [] : [observedCheckId(id)]),
    ];
    return { id, section, level, statement, ...told, checks, ...(optional === true ? { optional } : {}) };
  });
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
  const worst = findDecidingVote(votes);
  if (record.unjudged !== undefined)
    return decideUnjudged(record.unjudged, worst, record.judgements.length > 0);
  // That the checks of this shard did not come to a row is nothing yet: the shard that answers for it may.
  if (worst?.status === 'not-exercised' && record.division?.shared.has(row.id) === true)
    return makeNotExercised(makeReason('not-selected'));
  const lacking = explainLacking(row.needs ?? [], target);
  // No case came to it, or a check did not, because none could.
  const isUnmet =
    worst === undefined || worst.reason_code === 'no-case' || worst.reason_code === 'ended-early';
  // A check that shows it in another way lacks something else.
  const isAnotherWay =
    worst?.reason_code === 'lacking' &&
    lacking?.details?.every((detail) => worst.reason?.includes(detail)) === false;
  if (lacking !== undefined && (isUnmet || isAnotherWay)) return makeNotExercised(lacking);
  if (worst === undefined) return decideWithoutVote(record);
  // Whether a target shows what an optional row is about is its own affair.
  if (row.optional === true && worst.reason_code === 'ended-early') return decideWithoutVote(record);
  const { check: _, ...standing } = worst;
  return standing;
}

/**
 * Where no positive control held only a violation counts.
 * @param isTried whether something beside positive controls was tried: then what was seen stays undecided
 */
function decideUnjudged(unjudged: string, worst: Vote | undefined, isTried: boolean): RequirementResult {
  if (worst?.status === 'fail') return { status: 'fail', reason: null, reason_code: null };
  const reason = makeReason('unjudged', unjudged);
  const isSeen = isTried && worst !== undefined && worst.status !== 'not-exercised';
  return isSeen ? { status: 'inconclusive', ...reportReason(reason) } : makeNotExercised(reason);
}

/** What decides a requirement of all that is said of it: the first of the worst. */
export function findDecidingVote(votes: readonly Vote[]): Vote | undefined {
  const order: readonly Status[] = ['fail', 'inconclusive', 'pass', 'not-exercised'];
  return order.flatMap((status) => votes.find((vote) => vote.status === status) ?? [])[0];
}

/** A requirement that was not exercised, and why. */
export function makeNotExercised(reason: Reason): RequirementResult {
  return { status: 'not-exercised', ...reportReason(reason) };
}

function explainLacking(needs: readonly Need[], target: Target | undefined): Reason | undefined {
  const lacking = needs.flatMap((need) => target?.lacks(need) ?? []);
  return lacking.length === 0 ? undefined : makeReason('lacking', ...lacking);
}

/** What no answer of a shard shows another shard's may: a shard alone is not to be blamed for it. */
function decideWithoutVote({ stopped, division }: RunRecord): RequirementResult {
  if (stopped !== undefined) return { status: 'inconclusive', ...reportReason(stopped) };
  return makeNotExercised(makeReason(division === undefined ? 'not-shown' : 'not-selected'));
}

/** The status that an outcome of a check gives its requirements. */
export const statusOfOutcome = {
  pass: 'pass',
  fail: 'fail',
  inconclusive: 'inconclusive',
  skipped: 'not-exercised',
} as const;

function collectVotes(judgements: readonly Judgement[]): ReadonlyMap<RequirementId, readonly Vote[]> {
  const votes = new Map<RequirementId, Vote[]>();
  for (const { check, rows } of judgements) {
    for (const [id, { outcome, reason }] of rows) {
      votes.set(id, [
        ...(votes.get(id) ?? []),
        { check: check.id, status: statusOfOutcome[outcome], ...reportReason(reason) },
      ]);
    }
  }
  return votes;
}

function collectPassiveVotes(id: RequirementId, record: RunRecord): readonly Vote[] {
  if (!PassiveJudge.requirements.includes(id)) return [];
  return decidePassiveRule(id, record).map(({ outcome, reason }) => ({
    check: passiveCheckId(id),
    status: statusOfOutcome[outcome],
    ...reportReason(reason),
  }));
}

/** What is known of a run while it goes on, and what stopped it. */
export type PassiveRecord = Pick<RunRecord, 'passive' | 'judgements' | 'controlViolations'> &
  Partial<Pick<RunRecord, 'stopped' | 'controlInconclusive'>>;

/** What the passive rule of a requirement says, over all exchanges of the run: one thing, or nothing. */
export function decidePassiveRule(id: RequirementId, record: PassiveRecord): readonly RowOutcome[] {
  const { passive, stopped } = record;
  if (findPassiveViolations(id, record).length > 0) return [{ outcome: 'fail', reason: undefined }];
  const unsettled = explainOpenPassiveRule(id, record);
  if (unsettled !== undefined) return [{ outcome: 'inconclusive', reason: unsettled }];
  if (passive.tally(id).size > 0) return [{ outcome: 'pass', reason: undefined }];
  return stopped === undefined ? [] : [{ outcome: 'inconclusive', reason: stopped }];
}

/** Why something that the rule of a requirement saw was not decided; undefined where nothing was left open. */
export function explainOpenPassiveRule(
  id: RequirementId,
  { judgements, controlInconclusive }: PassiveRecord,
): Reason | undefined {
  const open = judgements.flatMap((judgement) => judgement.passiveInconclusive.get(id) ?? []);
  return open[0] ?? controlInconclusive?.get(id);
}

/** The violations that the rule of a requirement saw, and the check that asked for the answer. */
export function findPassiveViolations(
  id: RequirementId,
  { judgements, controlViolations }: Pick<RunRecord, 'judgements' | 'controlViolations'>,
): readonly { readonly violation: Violation; readonly by: SendingCheck }[] {
  const ofControls = controlViolations.map((violation) => ({
    violation,
    by: { requirement: id, decides: [id] },
  }));
  const ofChecks = judgements.flatMap(({ check, passiveFailures }) =>
    passiveFailures.map((violation) => ({ violation, by: check })),
  );
  return [...ofControls, ...ofChecks].filter(({ violation }) => violation.requirement === id);
}

/** What is known of the check whose request showed a violation. */
export type SendingCheck = Pick<Check, 'requirement' | 'decides'>;

/** The id of the check that looks at every response for a requirement. */
export function passiveCheckId(id: RequirementId): string {
  return `${id}/every-response`;
}

/** How many requirements ended with each status. */
export function countStatuses(requirements: readonly ReportedRequirement[]): Report['totals'] {
  return Object.fromEntries(
    statuses.map((status) => [status, requirements.filter((row) => row.status === status).length]),
  ) as Record<Status, number>;
}

/** The word for a run: what is violated, what stayed unproven. Knows neither waivers nor policy. */
export function decideVerdict(requirements: readonly ReportedRequirement[], unjudged: boolean): Verdict {
  if (
    requirements.some(({ level, status }) => status === 'fail' && (level === 'must' || level === 'derived'))
  ) {
    return 'non-conformant';
  }
  if (unjudged) return 'unjudged';
  return requirements.some(isUnproven) ? 'incomplete' : 'conformant';
}
