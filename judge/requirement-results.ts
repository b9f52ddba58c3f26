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
import { observedCheckId, type RunRecord, withObserved } from './run-record.js';

/** What one check, active or passive, says of a requirement. */
export interface Say extends Standing {
  readonly check: string;
}

/** What became of a requirement, and why. */
export interface Standing extends ReportedReason {
  readonly status: Status;
}

/** Gives every requirement of the ledger exactly one status. */
export function closeLedger(
  record: RunRecord,
  target: Target | undefined,
  selection: Selection,
): readonly ReportedRequirement[] {
  const says = activeSays(record.judgements);
  return ledger.map((row) => {
    const { id, section, level, statement, optional } = row;
    const said = [...(says.get(id) ?? []), ...passiveSays(id, record)];
    const { observed } = record;
    const isHere = selection.has(id) && record.division?.elsewhere.has(id) !== true;
    const told = isHere
      ? withObserved(closed(row, said, record, target), id, observed)
      : makeNotExercised(makeReason('not-selected'));
    const checks = [
      ...said.map(({ check }) => check),
      ...(observed?.say(id) === undefined ? [] : [observedCheckId(id)]),
    ];
    return { id, section, level, statement, ...told, checks, ...(optional === true ? { optional } : {}) };
  });
}

function closed(
  row: RequirementRow,
  said: readonly Say[],
  record: RunRecord,
  target: Target | undefined,
): Standing {
  if (row.unseen !== undefined)
    return { status: 'not-observable', ...reportReason(makeReason('not-observable', row.unseen)) };
  if (row.level === 'silent') return { status: 'not-observable', ...reportReason(makeReason('unspecified')) };
  const worst = worstSay(said);
  if (record.unjudged !== undefined)
    return closedUnjudged(record.unjudged, worst, record.judgements.length > 0);
  // That the checks of this shard did not come to a row is nothing yet: the shard that answers for it may.
  if (worst?.status === 'not-exercised' && record.division?.shared.has(row.id) === true)
    return makeNotExercised(makeReason('not-selected'));
  const lacking = lackingReason(row.needs ?? [], target);
  // No case came to it, or a check did not, because none could.
  const isUnmet =
    worst === undefined || worst.reason_code === 'no-case' || worst.reason_code === 'ended-early';
  // A check that shows it in another way lacks something else.
  const isAnotherWay =
    worst?.reason_code === 'lacking' &&
    lacking?.details?.every((detail) => worst.reason?.includes(detail)) === false;
  if (lacking !== undefined && (isUnmet || isAnotherWay)) return makeNotExercised(lacking);
  if (worst === undefined) return unsaid(record);
  // Whether a target shows what an optional row is about is its own affair.
  if (row.optional === true && worst.reason_code === 'ended-early') return unsaid(record);
  const { check: _, ...standing } = worst;
  return standing;
}

/**
 * Where no positive control held only a violation counts.
 * @param isTried whether something beside positive controls was tried: then what was seen stays undecided
 */
function closedUnjudged(unjudged: string, worst: Say | undefined, isTried: boolean): Standing {
  if (worst?.status === 'fail') return { status: 'fail', reason: null, reason_code: null };
  const reason = makeReason('unjudged', unjudged);
  const isSeen = isTried && worst !== undefined && worst.status !== 'not-exercised';
  return isSeen ? { status: 'inconclusive', ...reportReason(reason) } : makeNotExercised(reason);
}

/** What decides a requirement of all that is said of it: the first of the worst. */
export function worstSay(said: readonly Say[]): Say | undefined {
  const order: readonly Status[] = ['fail', 'inconclusive', 'pass', 'not-exercised'];
  return order.flatMap((status) => said.find((say) => say.status === status) ?? [])[0];
}

/** A requirement that was not exercised, and why. */
export function makeNotExercised(reason: Reason): Standing {
  return { status: 'not-exercised', ...reportReason(reason) };
}

function lackingReason(needs: readonly Need[], target: Target | undefined): Reason | undefined {
  const lacking = needs.flatMap((need) => target?.lacks(need) ?? []);
  return lacking.length === 0 ? undefined : makeReason('lacking', ...lacking);
}

/** What no answer of a shard shows another shard's may: a shard alone is not to be blamed for it. */
function unsaid({ stopped, division }: RunRecord): Standing {
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

function activeSays(judgements: readonly Judgement[]): ReadonlyMap<RequirementId, readonly Say[]> {
  const says = new Map<RequirementId, Say[]>();
  for (const { check, rows } of judgements) {
    for (const [id, { outcome, reason }] of rows) {
      says.set(id, [
        ...(says.get(id) ?? []),
        { check: check.id, status: statusOfOutcome[outcome], ...reportReason(reason) },
      ]);
    }
  }
  return says;
}

function passiveSays(id: RequirementId, record: RunRecord): readonly Say[] {
  if (!PassiveJudge.requirements.includes(id)) return [];
  return passiveOutcomes(id, record).map(({ outcome, reason }) => ({
    check: passiveCheckId(id),
    status: statusOfOutcome[outcome],
    ...reportReason(reason),
  }));
}

/** What is known of a run while it goes on, and what stopped it. */
export type SeenByRules = Pick<RunRecord, 'passive' | 'judgements' | 'controlViolations'> &
  Partial<Pick<RunRecord, 'stopped' | 'controlUnsettled'>>;

/** What the passive rule of a requirement says, over all exchanges of the run: one thing, or nothing. */
export function passiveOutcomes(id: RequirementId, record: SeenByRules): readonly RowOutcome[] {
  const { passive, stopped } = record;
  if (passiveViolations(id, record).length > 0) return [{ outcome: 'fail', reason: undefined }];
  const unsettled = passiveUnsettled(id, record);
  if (unsettled !== undefined) return [{ outcome: 'inconclusive', reason: unsettled }];
  if (passive.tally(id).size > 0) return [{ outcome: 'pass', reason: undefined }];
  return stopped === undefined ? [] : [{ outcome: 'inconclusive', reason: stopped }];
}

/** Why something that the rule of a requirement saw was not decided; undefined where nothing was left open. */
export function passiveUnsettled(
  id: RequirementId,
  { judgements, controlUnsettled }: SeenByRules,
): Reason | undefined {
  const open = judgements.flatMap((judgement) => judgement.passiveUnsettled.get(id) ?? []);
  return open[0] ?? controlUnsettled?.get(id);
}

/** The violations that the rule of a requirement saw, and the check that asked for the answer. */
export function passiveViolations(
  id: RequirementId,
  { judgements, controlViolations }: Pick<RunRecord, 'judgements' | 'controlViolations'>,
): readonly { readonly violation: Violation; readonly by: AskingCheck }[] {
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
export type AskingCheck = Pick<Check, 'requirement' | 'decides'>;

/** The id of the check that looks at every response for a requirement. */
export function passiveCheckId(id: RequirementId): string {
  return `${id}/every-response`;
}

/** How many requirements ended with each status. */
export function totalsOf(requirements: readonly ReportedRequirement[]): Report['totals'] {
  return Object.fromEntries(
    statuses.map((status) => [status, requirements.filter((row) => row.status === status).length]),
  ) as Record<Status, number>;
}

/** The word for a run: what is violated, what stayed unproven. Knows neither waivers nor policy. */
export function verdictOf(requirements: readonly ReportedRequirement[], unjudged: boolean): Verdict {
  if (
    requirements.some(({ level, status }) => status === 'fail' && (level === 'must' || level === 'derived'))
  ) {
    return 'non-conformant';
  }
  if (unjudged) return 'unjudged';
  return requirements.some(isUnproven) ? 'incomplete' : 'conformant';
}
