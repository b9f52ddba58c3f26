import { notSelected, type ReportedRequirement } from '../spec/report.js';

/** A `must` of the selection that the run did not get to see hold. */
export function isUnproven({ level, status, reason }: ReportedRequirement): boolean {
  if (level !== 'must') return false;
  return status === 'inconclusive' || (status === 'not-exercised' && reason !== notSelected);
}
