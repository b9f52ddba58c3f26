import type { Failure, Report, ReportedRequirement } from '../spec/report.js';
import type { Sheet } from './sheet.js';
import type { Violation } from './violations.js';

const briefLength = 200;

// A server with forty violations has few causes; more than these only move the verdict off the screen.
const wholeShown = 10;
const furtherShown = 3;

/**
 * Violations that decide: the first ten with all that it takes to see each again, the others in a few lines; no lines
 * where there is none.
 */
export function violationLines(
  violations: readonly Violation[],
  gate: Report['gate'],
  sheet: Sheet,
): readonly string[] {
  if (violations.length === 0) return [];
  const heading = sheet.paint.bold(`Violated (${violations.length})`);
  const others = violations.slice(wholeShown);
  return [
    heading,
    ...violations.slice(0, wholeShown).flatMap((violation) => ['', ...oneViolation(violation, gate, sheet)]),
    ...(others.length === 0
      ? []
      : ['', ...sheet.prose(`And ${others.length} more, which the reports tell in full:`)]),
    ...others.flatMap((violation) => briefViolation(violation, gate, sheet)),
  ];
}

/** Violations of what the document does not state: told briefly, since they do not decide. */
export function adviceLines(violations: readonly Violation[], sheet: Sheet): readonly string[] {
  if (violations.length === 0) return [];
  const heading = sheet.prose(
    `Advice not kept (${violations.length}); it does not decide`,
    0,
    sheet.paint.bold,
  );
  return [...heading, ...violations.flatMap((violation) => oneAdvice(violation, sheet))];
}

function oneViolation(
  { requirement, failures }: Violation,
  gate: Report['gate'],
  sheet: Sheet,
): readonly string[] {
  const { statement, reason } = requirement;
  const [first, ...further] = failures;
  const evidence =
    first === undefined
      ? sheet.prose(reason ?? 'No evidence of it is in this report.', 2)
      : [...oneFailure(first, sheet), ...furtherLines(further, sheet)];
  return [...headLines(requirement, gate, 0, sheet), ...sheet.prose(statement, 2), ...evidence];
}

function briefViolation(
  { requirement, failures }: Violation,
  gate: Report['gate'],
  sheet: Sheet,
): readonly string[] {
  const told = failures[0]?.message ?? requirement.reason ?? requirement.statement;
  return [...headLines(requirement, gate, 2, sheet), ...sheet.prose(brief(told), 4, sheet.paint.dim)];
}

function headLines(
  { level, id, section }: ReportedRequirement,
  { waived, newer }: Report['gate'],
  indent: number,
  sheet: Sheet,
): readonly string[] {
  const passed = waived.includes(id) ? '  (waived)' : newer.includes(id) ? '  (newer, warns only)' : '';
  return sheet.prose(`${level}  ${id}  §${section}${passed}`, indent, (line) =>
    sheet.paint.bold(sheet.paint.red(line)),
  );
}

function furtherLines(failures: readonly Failure[], sheet: Sheet): readonly string[] {
  const more = failures.length - furtherShown;
  return [
    ...failures.slice(0, furtherShown).flatMap(({ message }) => sheet.labelled('also', brief(message), 2)),
    ...(more > 0 ? sheet.labelled('', `and ${more} more, in the reports`, 2) : []),
  ];
}

/** The curl line and the command stand whole on lines of their own, so that they can be copied. */
function oneFailure(
  { message, expected, actual, confirmed, situation, reproduce }: Failure,
  sheet: Sheet,
): readonly string[] {
  return [
    ...sheet.prose(message, 2, sheet.paint.dim),
    ...sheet.labelled('expected', expected, 2),
    ...sheet.labelled('came', actual, 2),
    ...sheet.labelled('confirmed', confirmed, 2),
    // Not broken: it is what a waiver repeats word for word.
    ...(situation === '' ? [] : [`  ${sheet.paint.dim('situation'.padEnd(11))}${situation}`]),
    `  ${sheet.paint.cyan(reproduce.curl)}`,
    `  ${sheet.paint.cyan(reproduce.command)}`,
  ];
}

function oneAdvice({ requirement, failures }: Violation, sheet: Sheet): readonly string[] {
  const { id, section, statement, reason } = requirement;
  const came = failures[0]?.actual ?? reason;
  return [
    ...sheet.prose(`${id}  §${section}`, 2, sheet.paint.yellow),
    ...sheet.prose(statement, 4),
    ...(came === null ? [] : sheet.labelled('came', came, 4)),
  ];
}

function brief(text: string): string {
  const characters = [...text];
  return characters.length <= briefLength ? text : `${characters.slice(0, briefLength).join('')} …`;
}
