import type { Failure, Report } from '../spec/report.js';
import { numberText } from './amount-text.js';
import type { Sheet } from './sheet.js';
import type { Violation } from './violations.js';

// An answer can be a page; the report holds what is cut off here.
const lengthShown = 600;

/** Violations that decide, each with all that it takes to see it again; no lines where there is none. */
export function violationLines(
  violations: readonly Violation[],
  gate: Report['gate'],
  sheet: Sheet,
): readonly string[] {
  if (violations.length === 0) return [];
  const heading = sheet.paint.bold(`Violated (${violations.length})`);
  return [heading, ...violations.flatMap((violation) => ['', ...oneViolation(violation, gate, sheet)])];
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
  { waived, newer }: Report['gate'],
  sheet: Sheet,
): readonly string[] {
  const { level, id, section, statement, reason } = requirement;
  const passed = waived.includes(id) ? '  (waived)' : newer.includes(id) ? '  (newer, warns only)' : '';
  const head = sheet.prose(`${level}  ${id}  §${section}${passed}`, 0, (line) =>
    sheet.paint.bold(sheet.paint.red(line)),
  );
  const evidence = failures.flatMap((failure, index) => [
    ...(index > 0 ? [''] : []),
    ...oneFailure(failure, sheet),
  ]);
  const none = sheet.prose(reason ?? 'No evidence of it is in this report.', 2);
  return [...head, ...sheet.prose(statement, 2), ...(failures.length > 0 ? evidence : none)];
}

/** The curl line and the command stand whole on lines of their own, so that they can be copied. */
function oneFailure(
  { message, expected, actual, confirmed, situation, reproduce }: Failure,
  sheet: Sheet,
): readonly string[] {
  return [
    ...sheet.prose(cut(message), 2, sheet.paint.dim),
    ...sheet.labelled('expected', cut(expected), 2),
    ...sheet.labelled('came', cut(actual), 2),
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
    ...(came === null ? [] : sheet.labelled('came', cut(came), 4)),
  ];
}

function cut(text: string): string {
  const characters = [...text];
  if (characters.length <= lengthShown) return text;
  const more = numberText(characters.length - lengthShown);
  return `${characters.slice(0, lengthShown).join('')} … and ${more} more characters`;
}
