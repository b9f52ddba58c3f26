import type { oracle } from '../../generators/oracle.js';
import type { Answers } from '../../judge/call.js';
import type { RequirementId } from '../../spec/ledger.js';

/**
 * Narrows what the oracle permits to what a case of a batch may prove: the rule that is due alone, under the row that the
 * case is there for. After a wrong answer the batch goes on.
 */
export function makeStrict(
  { allowed, due, maySucceed }: ReturnType<typeof oracle>,
  row: RequirementId = due.requirement,
): Answers {
  const rules = [...allowed].map(([status, { requirement, isOpen }]) => {
    const isDue = requirement === due.requirement && isOpen !== true;
    return [status, isDue ? { requirement: row } : { requirement, isOpen: true as const }] as const;
  });
  return { allowed: new Map(rules), due: { ...due, requirement: row }, maySucceed, goesOn: true };
}
