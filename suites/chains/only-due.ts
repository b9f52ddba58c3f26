import type { oracle } from '../../generators/oracle.js';
import type { Answers } from '../../judge/call.js';
import type { RequirementId } from '../../spec/ledger.js';

/**
 * What a link of a chain may be answered: only the rule that is due proves anything, under the row that the link is
 * there for, and after a wrong answer the chain goes on.
 */
export function onlyDue(
  { allowed, due, maySucceed }: ReturnType<typeof oracle>,
  row: RequirementId = due.requirement,
): Answers {
  const rules = [...allowed].map(([status, { requirement, isOpen }]) => {
    const isDue = requirement === due.requirement && isOpen !== true;
    return [status, isDue ? { requirement: row } : { requirement, isOpen: true as const }] as const;
  });
  return { allowed: new Map(rules), due: { ...due, requirement: row }, maySucceed, goesOn: true };
}
