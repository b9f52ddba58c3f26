import { quoteForShell, typedCommand } from '../spec/command-line.js';
import { groupBy } from '../spec/maps.js';
import { type Failure, listFailures, type Report, type ReportedRequirement } from '../spec/report.js';
import { isDeciding, type Level, levels } from '../spec/requirement.js';

/** A violation with its place among those of the report, by which `plumbline replay` finds it. */
export interface NumberedFailure {
  readonly number: number;
  readonly failure: Failure;
  /** The command that sends it again; undefined if the report does not name its check. */
  readonly replay: string | undefined;
}

/** A failed requirement with every violation of it. */
export interface FailedRequirement {
  readonly requirement: ReportedRequirement;
  readonly failures: readonly NumberedFailure[];
}

/** Lists the violations of every requirement. */
export function groupFailures({ checks }: Report): ReadonlyMap<string, readonly Failure[]> {
  return groupBy(checks.flatMap(listFailures), ({ requirement }) => requirement);
}

/** Lists the failed requirements that were selected, in the order of the ledger, the strictest level first. */
export function listFailed(report: Report, directory = 'DIR'): readonly FailedRequirement[] {
  const groups = groupFailures(report);
  const failed = report.requirements.filter(({ status }) => status === 'fail');
  let number = 0;
  const toNumbered = (failure: Failure): NumberedFailure => {
    number += 1;
    const replay = `${typedCommand} replay ${quoteForShell(directory)} ${number}`;
    return { number, failure, replay: failure.reproduce.origin && replay };
  };
  return sortByLevel(failed).map((requirement) => {
    return { requirement, failures: (groups.get(requirement.id) ?? []).map(toNumbered) };
  });
}

/** Lists every violation of a report in the order in which `plumbline replay` counts them. */
export function numberFailures(report: Report, directory?: string): readonly NumberedFailure[] {
  return listFailed(report, directory).flatMap(({ failures }) => failures);
}

/** Sorts requirements by their level, the strictest first. */
export function sortByLevel<Row extends { readonly level: Level }>(rows: readonly Row[]): readonly Row[] {
  return rows.toSorted((one, other) => levels.indexOf(one.level) - levels.indexOf(other.level));
}

/** The failed requirements of a report: all, those that decide the verdict, and the advisory ones. */
export function splitFailed(report: Report, directory?: string) {
  const failed = listFailed(report, directory);
  return {
    failed,
    deciding: failed.filter(({ requirement }) => isDeciding(requirement)),
    advisory: failed.filter(({ requirement }) => !isDeciding(requirement)),
  };
}

/** Explains why a failed requirement has no evidence. */
export function explainMissingEvidence({ reason }: ReportedRequirement): string {
  return reason ?? 'This report has no evidence of it.';
}
