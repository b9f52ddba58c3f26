import { type ReportedRequirement, type Status, statuses } from '../spec/report.js';

/** How many of some requirements ended with each status. */
export function statusTotals(rows: readonly ReportedRequirement[]): Readonly<Record<Status, number>> {
  const count = (status: Status) => rows.filter((row) => row.status === status).length;
  return Object.fromEntries(statuses.map((status) => [status, count(status)])) as Record<Status, number>;
}
