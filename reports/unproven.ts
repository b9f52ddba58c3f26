import { isLeftOut, isUnproven, type Report, type ReportedRequirement, type Status } from '../spec/report.js';

/** Requirements that share a status and the reason for it. */
export interface ReasonGroup {
  readonly reason: string;
  /** In the order of the ledger, every `must` first. */
  readonly requirements: readonly ReportedRequirement[];
}

/** Every `must` of the selection that the run did not get to see hold, and did not see violated. */
export function unprovenMusts(report: Report): readonly ReportedRequirement[] {
  return report.requirements.filter(isUnproven);
}

/** The selected requirements of one status by their reason, the reason that explains most of them first. */
export function reasonGroups(report: Report, status: Status): readonly ReasonGroup[] {
  const byReason = new Map<string, ReportedRequirement[]>();
  for (const row of report.requirements) {
    if (row.status !== status || isLeftOut(row)) continue;
    const reason = row.reason ?? 'no reason was given';
    byReason.set(reason, [...(byReason.get(reason) ?? []), row]);
  }
  return [...byReason]
    .map(([reason, rows]) => ({ reason, requirements: mustsFirst(rows) }))
    .sort((one, other) => other.requirements.length - one.requirements.length);
}

/** Whether the notes at the top of a summary give the reason already: most of the ledger stands in the group then. */
export function isToldAtTop({ requirements }: Pick<ReasonGroup, 'requirements'>): boolean {
  return requirements.some(({ reason_code: code }) => code === 'unjudged');
}

/** Whether the document itself states a requirement. */
export function isMust({ level }: ReportedRequirement): boolean {
  return level === 'must';
}

function mustsFirst(rows: readonly ReportedRequirement[]): readonly ReportedRequirement[] {
  return [...rows.filter(isMust), ...rows.filter((row) => !isMust(row))];
}
