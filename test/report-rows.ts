import type { RequirementId } from '../spec/ledger.js';
import type { Failure, Report, ReportedCheck, ReportedRequirement, Status } from '../spec/report.js';

// What tests look up in a report.

export function findRow({ requirements }: Report, id: RequirementId): ReportedRequirement {
  const found = requirements.find((requirement) => requirement.id === id);
  if (found === undefined) throw new Error(`The report has no row ${id}.`);
  return found;
}

export function idsWith({ requirements }: Report, status: Status): readonly RequirementId[] {
  return requirements.filter((requirement) => requirement.status === status).map(({ id }) => id);
}

export function findCheck({ checks }: Report, id: string): ReportedCheck {
  const found = checks.find((check) => check.id === id);
  if (found === undefined) throw new Error(`The report has no check ${id}.`);
  return found;
}

export function listFailures({ checks }: Report): readonly Failure[] {
  return checks.flatMap(({ failure, further_failures: further }) => [failure ?? [], further].flat());
}
