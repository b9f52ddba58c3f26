import type { RequirementId } from '../../spec/ledger.js';
import { makeReason } from '../../spec/reasons.js';
import { isLeftOut, type Report, type ReportedCheck, type ReportedRequirement } from '../../spec/report.js';
import { makeNotExercised, type Say, type Standing, statusOfOutcome, worstSay } from '../close-ledger.js';
import { PassiveJudge } from '../passive.js';
import type { Selection } from '../selection.js';
import { saysOf } from './united-checks.js';

/**
 * Every requirement with the status that one run of all checks gives it.
 * @param unjudged whether no shard judged anything
 */
export function mergedRows(
  shards: readonly Report[],
  checks: readonly ReportedCheck[],
  { selection, unjudged }: { readonly selection: Selection; readonly unjudged: boolean },
): readonly ReportedRequirement[] {
  const says = saysByRow(checks);
  const rows = rowsById(shards);
  return [...rows.values()].flatMap((told) => {
    const [first] = told;
    if (first === undefined) return [];
    const said = says.get(first.id) ?? [];
    const {
      status,
      reason,
      reason_code = null,
    } = selection.has(first.id)
      ? standing(told, said, unjudged)
      : makeNotExercised(makeReason('not-selected'));
    return [{ ...first, status, reason, reason_code, checks: said.map(({ check }) => check) }];
  });
}

function saysByRow(checks: readonly ReportedCheck[]): ReadonlyMap<RequirementId, readonly Say[]> {
  const says = new Map<RequirementId, Say[]>();
  for (const check of checks) {
    for (const { requirement, outcome, ...reason } of saysOf(check)) {
      const said = { check: check.id, status: statusOfOutcome[outcome], ...reason };
      says.set(requirement, [...(says.get(requirement) ?? []), said]);
    }
  }
  return says;
}

function rowsById(shards: readonly Report[]): ReadonlyMap<RequirementId, readonly ReportedRequirement[]> {
  const rows = new Map<RequirementId, ReportedRequirement[]>();
  for (const row of shards.flatMap(({ requirements }) => requirements))
    rows.set(row.id, [...(rows.get(row.id) ?? []), row]);
  return rows;
}

function standing(told: readonly ReportedRequirement[], said: readonly Say[], unjudged: boolean): Standing {
  // A row that a shard was not to decide says so, and nothing else.
  const here = told.filter((row) => !isLeftOut(row));
  const [first] = here;
  const hidden = here.find(({ status }) => status === 'not-observable');
  if (hidden !== undefined) return hidden;
  if (unjudged && first !== undefined) return first;
  const fromUnjudged = said.length === 0 ? [] : here.filter(isWordless).map(leftOpen);
  return worstSay([...said, ...fromUnjudged]) ?? first ?? makeNotExercised(makeReason('not-shown'));
}

/**
 * Whether a shard was to decide a row and no check of it said a word: it could not be judged. Where the target lacks what
 * the row needs, a check that was skipped need not have spoken of it.
 */
function isWordless({ id, status, checks, reason_code: code }: ReportedRequirement): boolean {
  const isUnsaid = status === 'not-exercised' && checks.length === 0 && code !== 'lacking';
  return isUnsaid && !PassiveJudge.requirements.includes(id);
}

/** What another shard saw does not make up for the checks of one that was not judged. */
function leftOpen(row: ReportedRequirement): Say {
  return { check: '', ...row, status: 'inconclusive' };
}
