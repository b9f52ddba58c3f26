import { isLeftOut, type Report, type ReportedRequirement } from '../spec/report.js';

/** Requirements that were not exercised for one reason, such as a key that is not given. */
export interface CoverageHint {
  /** What the target or the profile would have to give; undefined if the reason is another one. */
  readonly need: string | undefined;
  readonly reason: string;
  readonly requirements: readonly ReportedRequirement[];
}

const lacking = /^would take /;

/** Returns why selected requirements were not exercised, the most valuable first: what unlocks the most musts. */
export function findCoverageHints(report: Report): readonly CoverageHint[] {
  const byReason = new Map<string, ReportedRequirement[]>();
  for (const row of report.requirements) {
    if (row.status !== 'not-exercised' || isLeftOut(row)) continue;
    const reason = row.reason ?? 'no reason was given';
    byReason.set(reason, [...(byReason.get(reason) ?? []), row]);
  }
  const hints = [...byReason].map(([reason, requirements]) => ({
    need: lacking.test(reason) ? reason.replace(lacking, '') : undefined,
    reason,
    requirements,
  }));
  return hints.sort((one, other) => worthOf(other) - worthOf(one));
}

/** Musts count before the rest. What takes several things is worth less for each of them. */
function worthOf({ need, requirements }: CoverageHint): number {
  const things = need?.split('; ').length ?? 1;
  return (1_000 * countMusts(requirements) + requirements.length) / things;
}

/** Returns how many requirements the document itself states. */
export function countMusts(requirements: readonly ReportedRequirement[]): number {
  return requirements.filter(({ level }) => level === 'must').length;
}
