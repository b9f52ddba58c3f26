import type { Failure, Report, ReportedRequirement } from '../spec/report.js';

/** A violated requirement with every failure that shows it. */
export interface Violation {
  readonly requirement: ReportedRequirement;
  readonly failures: readonly Failure[];
}

/**
 * The violated requirements of a report in the order of the ledger, `must` before `derived` before
 * `advisory`. A failure of a requirement that was not selected is none of them: it counts for nothing.
 */
export function violationsOf(report: Report): readonly Violation[] {
  const failures = report.checks.flatMap(({ failure, further_failures }) => [
    ...(failure === null ? [] : [failure]),
    ...further_failures,
  ]);
  const violated = report.requirements.filter(({ status }) => status === 'fail');
  return (['must', 'derived', 'advisory'] as const)
    .flatMap((level) => violated.filter((requirement) => requirement.level === level))
    .map((requirement) => ({
      requirement,
      failures: failures.filter((failure) => failure.requirement === requirement.id),
    }));
}

/** Whether a violation makes a server non-conformant. */
export function decides({ requirement }: Violation): boolean {
  return requirement.level === 'must' || requirement.level === 'derived';
}
