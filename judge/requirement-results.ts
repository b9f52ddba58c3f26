import { ledger, type RequirementId, type RequirementRow } from '../spec/ledger.js';
import { makeReason, type Reason, type ReportedReason, reportReason } from '../spec/reasons.js';
import {
  isUnproven,
  type Outcome,
  type Report,
  type ReportedCheck,
  type ReportedRequirement,
  type ReportedSay,
  type Status,
  statuses,
  type Verdict,
} from '../spec/report.js';
import type { Target } from '../targets/target.js';
import type { Check, Judgement, RowOutcome } from './check.js';
import type { Violation } from './finding.js';
import { PassiveJudge } from './passive.js';
import { addRecordedEvidence, observedCheckId, type RunRecord } from './run-record.js';
import type { Selection } from './selection.js';

/** What became of a requirement, and why. */
export interface RequirementResult extends ReportedReason {
  readonly status: Status;
}

/** What one check says of a requirement. */
export interface Vote extends RequirementResult {
  readonly check: string;
}

/** Gives every requirement of the ledger exactly one status. */
export function decideRequirements(
  record: RunRecord,
  target: Target | undefined,
  selection: Selection,
): readonly ReportedRequirement[] {
  const { observed, division } = record;
  const votesOfChecks = collectVotes(record.judgements);
  return ledger.map((row) => {
    const { id, section, level, statement, optional } = row;
    const votes = [...(votesOfChecks.get(id) ?? []), ...collectPassiveVotes(id, record)];
    const isOwn = selection.has(id) && division?.elsewhere.has(id) !== true;
    const result = isOwn
      ? addRecordedEvidence(decideRequirement(row, votes, record, target), id, observed)
      : makeNotExercised(makeReason('not-selected'));
    const checks = votes.map(({ check }) => check);
    if (observed?.vote(id) !== undefined) checks.push(observedCheckId(id));
    return { id, section, level, statement, ...result, checks, ...(optional === true ? { optional } : {}) };
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
  // Where the checks of this shard did not come to a row, the shard that answers for it may.
  if (worst?.status === 'not-exercised' && record.division?.shared.has(row.id) === true)
    return makeNotExercised(makeReason('not-selected'));
  const missing = (row.needs ?? []).flatMap((need) => target?.lacks(need) ?? []);
  const code = worst?.reason_code;
  const isOpen = worst === undefined || code === 'no-case' || code === 'ended-early';
  // A check that shows the row in another way lacks something else.
  const lacksOther =
    code === 'lacking' && missing.every((detail) => worst?.reason?.includes(detail)) === false;
  if (missing.length > 0 && (isOpen || lacksOther))
    return makeNotExercised(makeReason('lacking', ...missing));
  // A target need not show what an optional row is about.
  if (worst === undefined || (row.optional === true && code === 'ended-early'))
    return decideWithoutVote(record);
  const { check: _, ...result } = worst;
  return result;
}

/**
 * Decides a row where no positive control passed: only a violation counts.
 * @param isTried whether anything beside positive controls was tried; what it saw stays inconclusive
 */
function decideUnjudged(unjudged: string, worst: Vote | undefined, isTried: boolean): RequirementResult {
  if (worst?.status === 'fail') return { status: 'fail', reason: null, reason_code: null };
  const reason = makeReason('unjudged', unjudged);
  const isSeen = isTried && worst !== undefined && worst.status !== 'not-exercised';
  return isSeen ? { status: 'inconclusive', ...reportReason(reason) } : makeNotExercised(reason);
}

/** Decides a row that nothing showed; where the run is split, another shard may show it. */
function decideWithoutVote({ stopped, division }: RunRecord): RequirementResult {
  if (stopped !== undefined) return { status: 'inconclusive', ...reportReason(stopped) };
  return makeNotExercised(makeReason(division === undefined ? 'not-shown' : 'not-selected'));
}

/** Returns the first of the worst votes, which decides a requirement. */
export function findDecidingVote(votes: readonly Vote[]): Vote | undefined {
  const order: readonly Status[] = ['fail', 'inconclusive', 'pass', 'not-exercised'];
  return order.flatMap((status) => votes.find((vote) => vote.status === status) ?? [])[0];
}

/** Makes the result of a requirement that was not exercised, and why. */
export function makeNotExercised(reason: Reason): RequirementResult {
  return { status: 'not-exercised', ...reportReason(reason) };
}

const statusOfOutcome: Readonly<Record<Outcome, Status>> = {
  pass: 'pass',
  fail: 'fail',
  inconclusive: 'inconclusive',
  skipped: 'not-exercised',
};

/** Makes a vote of what a check of a report says of a requirement. */
export function makeVote(check: string, say: Omit<ReportedSay, 'requirement'>): Vote {
  const { outcome, reason, reason_code = null } = say;
  return { check, status: statusOfOutcome[outcome], reason, reason_code };
}

/** Lists what a check says of its requirements; one that does not tell them apart says the same of each. */
export function listSays(check: ReportedCheck): readonly ReportedSay[] {
  const { says, requirements, outcome, reason, reason_code = null } = check;
  return says ?? requirements.map((requirement) => ({ requirement, outcome, reason, reason_code }));
}

function collectVotes(judgements: readonly Judgement[]): ReadonlyMap<RequirementId, readonly Vote[]> {
  const votes = new Map<RequirementId, Vote[]>();
  for (const { check, rows } of judgements)
    for (const [id, { outcome, reason }] of rows) {
      const vote = makeVote(check.id, { outcome, ...reportReason(reason) });
      votes.set(id, [...(votes.get(id) ?? []), vote]);
    }
  return votes;
}

// ── The rules for every response ──

function collectPassiveVotes(id: RequirementId, record: RunRecord): readonly Vote[] {
  if (!PassiveJudge.requirements.includes(id)) return [];
  return decidePassiveRule(id, record).map(({ outcome, reason }) =>
    makeVote(passiveCheckId(id), { outcome, ...reportReason(reason) }),
  );
}

/** What is known of a run while it goes on, and what stopped it. */
export type PassiveRecord = Pick<RunRecord, 'passive' | 'judgements' | 'controlViolations'> &
  Partial<Pick<RunRecord, 'stopped' | 'controlInconclusive'>>;

/** Decides what the passive rule of a requirement says over all exchanges of the run: one thing, or nothing. */
export function decidePassiveRule(id: RequirementId, record: PassiveRecord): readonly RowOutcome[] {
  const { passive, stopped } = record;
  if (findPassiveViolations(id, record).length > 0) return [{ outcome: 'fail', reason: undefined }];
  const open = explainOpenPassiveRule(id, record);
  if (open !== undefined) return [{ outcome: 'inconclusive', reason: open }];
  if (passive.tally(id).size > 0) return [{ outcome: 'pass', reason: undefined }];
  return stopped === undefined ? [] : [{ outcome: 'inconclusive', reason: stopped }];
}

/** Explains why something that the rule of a requirement saw is inconclusive; undefined where nothing is. */
export function explainOpenPassiveRule(id: RequirementId, record: PassiveRecord): Reason | undefined {
  const open = record.judgements.flatMap(({ passiveInconclusive }) => passiveInconclusive.get(id) ?? []);
  return open[0] ?? record.controlInconclusive?.get(id);
}

/** What is known of the check whose request showed a violation. */
export type SendingCheck = Pick<Check, 'requirement' | 'decides'> & Partial<Pick<Check, 'id'>>;

/** Finds the violations that the rule of a requirement saw, with the check that sent the request. */
export function findPassiveViolations(
  id: RequirementId,
  { judgements, controlViolations }: Pick<RunRecord, 'judgements' | 'controlViolations'>,
): readonly { readonly violation: Violation; readonly by: SendingCheck }[] {
  const control: SendingCheck = { requirement: id, decides: [id] };
  const ofControls = controlViolations.map((violation) => ({ violation, by: control }));
  const ofChecks = judgements.flatMap(({ check, passiveFailures }) =>
    passiveFailures.map((violation) => ({ violation, by: check })),
  );
  return [...ofControls, ...ofChecks].filter(({ violation }) => violation.requirement === id);
}

/** The id of the check that looks at every response for a requirement. */
export function passiveCheckId(id: RequirementId): string {
  return `${id}/every-response`;
}

// ── The whole ──

/** Counts the requirements of each status. */
export function countStatuses(requirements: readonly ReportedRequirement[]): Report['totals'] {
  return Object.fromEntries(
    statuses.map((status) => [status, requirements.filter((row) => row.status === status).length]),
  ) as Record<Status, number>;
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
