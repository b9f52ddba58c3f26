import { buildVerdictTest } from '../reports/test-case-view.js';
import { type Failure, isUnproven, type ReportedCheck, type ReportedRequirement } from '../spec/report.js';
import type { Judged } from './judged.js';

/** How a test ends: it passes, fails with a message, or is skipped for a reason. */
export type Ending = { readonly passed: true } | { readonly failed: string } | { readonly skipped: string };

const passed: Ending = { passed: true };

/**
 * How the test of a check ends. What decides nothing at the gate (an advisory row, an excused one) never fails a
 * test, and what was not decided never passes one.
 */
export function endingOfCheck(id: string, judged: Judged): Ending {
  const check = judged.report.checks.find((candidate) => candidate.id === id);
  if (check === undefined) return { skipped: `not sent: ${whyNotSent(judged)}` };
  switch (check.outcome) {
    case 'pass':
      return passed;
    case 'fail':
      return endingOfViolated(check, judged);
    case 'inconclusive':
      return endingOfUndecided(check, judged);
    case 'skipped':
      return { skipped: `not exercised: ${check.reason ?? 'nothing was seen of it'}` };
  }
}

/** How the last test ends: as the gate does. */
export function endingOfRun({ report }: Judged): Ending {
  const { result, message, detail } = buildVerdictTest(report);
  return result === 'pass' ? passed : { failed: [message, ...detail].join('\n  ') };
}

function whyNotSent({ report: { run, verdict } }: Judged): string {
  if (verdict === 'unjudged' || !run.complete) return run.notes[0] ?? 'the run was ended before its end';
  return `the other checks of its requirements decide them at depth ${run.depth}`;
}

function endingOfViolated(check: ReportedCheck, { report, policy }: Judged): Ending {
  const failures = check.failure === null ? [] : [check.failure, ...check.further_failures];
  const rows = failures.map((failure) => ({
    failure,
    row: report.requirements.find(({ id }) => id === failure.requirement),
  }));
  const deciding = rows.filter(({ row }) => row !== undefined && policy.decides.includes(row.level));
  if (deciding.length === 0)
    return {
      skipped: `violated, which decides nothing: ${rows.map(({ failure }) => failure.message).join('; ')}`,
    };
  return { failed: deciding.map(({ failure, row }) => told(failure, row)).join('\n\n') };
}

function endingOfUndecided(check: ReportedCheck, { report }: Judged): Ending {
  const reason = `undecided: ${check.reason ?? 'it did not settle'}`;
  const isOwed = report.requirements.some(
    (row) => check.requirements.includes(row.id) && isUnproven(row) && !report.gate.excused.includes(row.id),
  );
  return isOwed ? { failed: reason } : { skipped: reason };
}

/** A violation, and what shows it again. */
function told(failure: Failure, row: ReportedRequirement | undefined): string {
  const { message, situation, confirmed, expected, actual, reproduce } = failure;
  return [
    ...(row === undefined ? [] : [`§${row.section}, ${row.level}: ${row.statement}`]),
    message,
    `expected ${expected}`,
    `got ${actual}`,
    `situation ${situation}`,
    `confirmed ${confirmed}`,
    reproduce.curl,
    reproduce.command,
  ].join('\n  ');
}
