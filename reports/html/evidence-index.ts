import type { Failure, Report, ReportedCheck, ReportedRequirement } from '../../spec/report.js';

/** What a row of the ledger needs of the rest of the report. */
export interface EvidenceIndex {
  /** The checks that decide a requirement, as far as the report has them. */
  readonly checksOf: (requirement: ReportedRequirement) => readonly ReportedCheck[];
  /** The violations that show a requirement broken. */
  readonly failuresOf: (requirement: ReportedRequirement) => readonly Failure[];
  /** The one requirement under which the attempts of a check are shown. */
  readonly attemptsShownAt: (check: ReportedCheck) => string | undefined;
}

/** Looks a report through once, so that each row finds its evidence at once. */
export function evidenceIndex({ requirements, checks }: Report): EvidenceIndex {
  const byId = new Map(checks.map((check) => [check.id, check]));
  const failures = new Map<string, Failure[]>();
  for (const { failure, further_failures } of checks) {
    for (const one of failure === null ? further_failures : [failure, ...further_failures]) {
      const alike = failures.get(one.requirement);
      if (alike === undefined) failures.set(one.requirement, [one]);
      else alike.push(one);
    }
  }
  const places = attemptPlaces(requirements, byId);
  return {
    checksOf: (requirement) => requirement.checks.flatMap((id) => byId.get(id) ?? []),
    failuresOf: ({ id }) => failures.get(id) ?? [],
    attemptsShownAt: ({ id }) => places.get(id),
  };
}

/** A check may decide fifty requirements: its attempts are shown once, at the first that they left without a result. */
function attemptPlaces(
  requirements: readonly ReportedRequirement[],
  checks: ReadonlyMap<string, ReportedCheck>,
): ReadonlyMap<string, string> {
  const places = new Map<string, string>();
  const place = (wanted: (row: ReportedRequirement, check: ReportedCheck) => boolean): void => {
    for (const row of requirements) {
      for (const id of row.checks) {
        const check = checks.get(id);
        if (check !== undefined && check.attempts.length > 0 && !places.has(id) && wanted(row, check))
          places.set(id, row.id);
      }
    }
  };
  place((row, { failure }) => failure?.requirement === row.id);
  place((row) => row.status === 'inconclusive');
  place(() => true);
  return places;
}
