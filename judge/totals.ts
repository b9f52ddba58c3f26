import { type Report, type ReportedRequirement, type Status, statuses } from '../spec/report.js';

/** How many requirements ended with each status. */
export function totalsOf(requirements: readonly ReportedRequirement[]): Report['totals'] {
  return Object.fromEntries(
    statuses.map((status) => [status, requirements.filter((row) => row.status === status).length]),
  ) as Record<Status, number>;
}
