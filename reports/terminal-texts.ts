import type { Failure, Report, ReportedCheck } from '../spec/report.js';
import { cutText } from './cut-text.js';
import { withInertTexts } from './inert-text.js';

// An answer can be a page; the report holds what is cut off here.
const lengthShown = 600;

/**
 * A report with what a terminal shows of it: evidence left out, long texts cut, all made inert. Cut before they are
 * made inert, since that takes its time with the megabytes that a server may send.
 */
export function terminalTexts(report: Report): Report {
  return withInertTexts({ ...report, checks: report.checks.map(shownCheck), silences: [] });
}

function shownCheck(check: ReportedCheck): ReportedCheck {
  return {
    ...check,
    classes: null,
    attempts: [],
    failure: check.failure === null ? null : shownFailure(check.failure),
    further_failures: check.further_failures.map(shownFailure),
  };
}

function shownFailure(failure: Failure): Failure {
  return {
    ...failure,
    message: cutText(failure.message, lengthShown),
    expected: cutText(failure.expected, lengthShown),
    actual: cutText(failure.actual, lengthShown),
    counterexample: {},
    exchanges: [],
  };
}
