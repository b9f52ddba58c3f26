import { ledger, type RequirementId, type RequirementRow } from '../spec/ledger.js';
import type { Need } from '../spec/need.js';
import { notSelected, type ReportedRequirement, type Status } from '../spec/report.js';
import type { Target } from '../targets/target.js';
import type { Check } from './check.js';
import type { Judgement, Violation } from './judgement.js';
import { observedCheckId, withObserved } from './observed/observed.js';
import { PassiveJudge } from './passive.js';
import type { RunRecord } from './run.js';
import type { Selection } from './selection.js';

/** What one check, active or passive, says of a requirement. */
export interface Say {
  readonly requirement: RequirementId;
  readonly check: string;
  readonly status: Status;
  readonly reason: string | null;
}

/** Gives every requirement of the ledger exactly one status. */
export function closeLedger(
  record: RunRecord,
  target: Target | undefined,
  selection: Selection,
): readonly ReportedRequirement[] {
  const says = new Map<RequirementId, readonly Say[]>();
  for (const say of record.judgements.flatMap(saysOf))
    says.set(say.requirement, [...(says.get(say.requirement) ?? []), say]);
  return ledger.map((row) => {
    const { id, section, level, statement } = row;
    const said = [...(says.get(id) ?? []), ...passiveSays(id, record)];
    const { observed } = record;
    const told = selection.has(id)
      ? withObserved(closed(row, said, record, target), id, observed)
      : ({ status: 'not-exercised', reason: notSelected } as const);
    const checks = [
      ...said.map(({ check }) => check),
      ...(observed?.say(id) === undefined ? [] : [observedCheckId(id)]),
    ];
    return { id, section, level, statement, ...told, checks };
  });
}

function closed(
  row: RequirementRow,
  said: readonly Say[],
  record: RunRecord,
  target: Target | undefined,
): Pick<Say, 'status' | 'reason'> {
  if (row.unseen !== undefined) return { status: 'not-observable', reason: row.unseen };
  if (row.level === 'silent')
    return { status: 'not-observable', reason: 'the document does not show it, so nothing is asserted' };
  if (record.unjudged !== undefined) return { status: 'not-exercised', reason: record.unjudged };
  return firstOf(said) ?? unsaid(row.needs ?? [], record, target);
}

const order: readonly Status[] = ['fail', 'inconclusive', 'pass', 'not-exercised'];

/** The say that decides: of the status that comes first in the order of the document's table. */
export function firstOf<Said extends Pick<Say, 'status'>>(said: readonly Said[]): Said | undefined {
  return order.flatMap((status) => said.find((say) => say.status === status) ?? [])[0];
}

function unsaid(
  needs: readonly Need[],
  { stopped }: RunRecord,
  target: Target | undefined,
): Pick<Say, 'status' | 'reason'> {
  const lacking = needs.flatMap((need) => target?.lacks(need) ?? []);
  if (lacking.length > 0) return { status: 'not-exercised', reason: `would take ${lacking.join('; ')}` };
  if (stopped !== undefined) return { status: 'inconclusive', reason: stopped };
  return { status: 'not-exercised', reason: 'no answer of this run showed it' };
}

const statusOfOutcome = {
  pass: 'pass',
  fail: 'fail',
  inconclusive: 'inconclusive',
  skipped: 'not-exercised',
} as const;

/** What a check says of each requirement that it decides. */
export function saysOf({ check, rows }: Judgement): readonly Say[] {
  return [...rows].map(([requirement, { outcome, reason }]) => ({
    requirement,
    check: check.id,
    status: statusOfOutcome[outcome],
    reason: reason ?? null,
  }));
}

/** What the passive rule of a requirement says, over all exchanges of the run; nothing where it has none. */
export function passiveSays(requirement: RequirementId, record: RunRecord): readonly Say[] {
  const { passive, judgements, stopped } = record;
  if (!PassiveJudge.requirements.includes(requirement)) return [];
  const say = (status: Status, reason: string | null): readonly Say[] => [
    { requirement, check: passiveCheckId(requirement), status, reason },
  ];
  if (passiveViolations(requirement, record).length > 0) return say('fail', null);
  const unsettled = judgements.flatMap(({ passiveUnsettled }) => passiveUnsettled.get(requirement) ?? [])[0];
  if (unsettled !== undefined) return say('inconclusive', unsettled);
  if (passive.tally(requirement).size > 0) return say('pass', null);
  return stopped === undefined ? [] : say('inconclusive', stopped);
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
