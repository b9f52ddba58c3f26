import type { FlakySign } from '../../spec/comparison.js';
import type { Report, ReportedCheck, ReportedRequirement } from '../../spec/report.js';

/** What shows that a requirement held and did not hold within one run, by the record of that run. */
export function flakySigns(
  row: ReportedRequirement | undefined,
  report: Report,
  which: FlakySign['report'],
): readonly FlakySign[] {
  if (row === undefined) return [];
  const checks = report.checks.filter(({ id }) => row.checks.includes(id));
  return [...new Set(signsOf(row, checks))].map((sign) => ({ report: which, sign }));
}

function signsOf(row: ReportedRequirement, checks: readonly ReportedCheck[]): readonly string[] {
  if (row.status === 'inconclusive') {
    const { reason, reason_code: code } = row;
    if (reason !== null && code === 'intermittent') return [reason];
    return checks.filter(({ outcome }) => outcome === 'inconclusive').flatMap(heldBetween);
  }
  return row.status === 'fail' ? checks.filter((check) => shows(check, row)).flatMap(heldBetween) : [];
}

/** Attempts that held are not told: a gap in the numbers is one of them. */
function heldBetween({ id, attempts }: ReportedCheck): readonly string[] {
  const last = attempts.at(-1)?.attempt ?? 0;
  const held = last - attempts.length;
  return held > 0 ? [`${held} of the first ${last} attempts of ${id} held`] : [];
}

/** Whether a check found the violation of a requirement. */
function shows({ failure, further_failures }: ReportedCheck, { id }: ReportedRequirement): boolean {
  return [failure, ...further_failures].some((one) => one?.requirement === id);
}
