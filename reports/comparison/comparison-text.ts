import type { ComparedFailure, ComparedRequirement, Comparison } from '../../spec/comparison.js';
import { counted, numberText } from '../amount-text.js';
import { withInertTexts } from '../inert-text.js';
import { type Painter, Sheet } from '../sheet.js';
import { gateLine, headline, runLine, unchangedLine } from './headline.js';
import {
  type ListedSection,
  listedSections,
  type ReasonedRows,
  stateBefore,
  violatedAnew,
} from './sections.js';

/**
 * A comparison for a terminal: the headline, the two runs, what makes them unlike, every new violation with what shows
 * it, then the rest as lists of ids. Ends with a line end. Text from the reports is made inert.
 */
export function comparisonText(
  comparison: Comparison,
  options: { readonly color: boolean; readonly width: number },
): string {
  const told = withInertTexts(comparison);
  const sheet = new Sheet(options);
  const parts = [
    headLines(told, sheet),
    ...violatedAnewLines(told, sheet),
    ...listedSections(told).map((section) => sectionLines(section, sheet)),
    [...sheet.prose(unchangedLine(told)), ...sheet.prose(gateLine(told))],
  ];
  return `${parts
    .filter((part) => part.length > 0)
    .map((part) => part.join('\n'))
    .join('\n\n')}\n`;
}

function headLines(comparison: Comparison, sheet: Sheet): readonly string[] {
  return [
    ...sheet.prose(headline(comparison), 0, headPainter(comparison, sheet)),
    ...sheet.labelled('old', runLine(comparison.old), 2),
    ...sheet.labelled('new', runLine(comparison.new), 2),
    ...comparison.warnings.flatMap((warning) => sheet.prose(`Warning: ${warning}`, 0, sheet.paint.yellow)),
  ];
}

function headPainter({ gate, totals }: Comparison, { paint }: Sheet): Painter {
  if (gate.exit_code !== 0) return (line) => paint.bold(paint.red(line));
  const isWorse = totals['lost-coverage'] + totals.undecided + totals.flaky > 0;
  return (line) => paint.bold(isWorse ? paint.yellow(line) : paint.green(line));
}

function violatedAnewLines(comparison: Comparison, sheet: Sheet): readonly (readonly string[])[] {
  const rows = violatedAnew(comparison);
  if (rows.length === 0) return [];
  const [first = [], ...others] = rows.map((row) => oneViolation(row, sheet));
  return [[sheet.paint.bold(`Newly violated (${rows.length})`), ...first], ...others];
}

const failuresShown = 3;

function oneViolation(row: ComparedRequirement, sheet: Sheet): readonly string[] {
  const { level, id, section, statement, failures } = row;
  const painter: Painter = (line) =>
    sheet.paint.bold(level === 'advisory' ? sheet.paint.yellow(line) : sheet.paint.red(line));
  const aside = level === 'advisory' ? ' (does not decide)' : '';
  const more = failures.length - failuresShown;
  return [
    ...sheet.prose(`${level}  ${id}  §${section}${aside}`, 0, painter),
    ...sheet.prose(statement, 2),
    ...sheet.labelled('before', stateBefore(row), 2),
    ...failures.slice(0, failuresShown).flatMap((failure) => failureLines(failure, sheet)),
    ...(more > 0 ? sheet.prose(`and ${numberText(more)} more in the new report`, 2, sheet.paint.dim) : []),
  ];
}

const lengthShown = 300;

/** The command stands whole on a line of its own, so that it can be copied. */
function failureLines(
  { situation, expected, actual, confirmed, command }: ComparedFailure,
  sheet: Sheet,
): readonly string[] {
  return [
    ...(situation === null ? [] : sheet.labelled('situation', cut(situation), 2)),
    ...sheet.labelled('expected', cut(expected), 2),
    ...sheet.labelled('came', cut(actual), 2),
    ...sheet.labelled('confirmed', confirmed, 2),
    `  ${sheet.paint.cyan(command)}`,
  ];
}

function cut(text: string): string {
  const characters = [...text];
  return characters.length <= lengthShown ? text : `${characters.slice(0, lengthShown).join('')} …`;
}

function sectionLines({ heading, meaning, groups }: ListedSection, sheet: Sheet): readonly string[] {
  const size = groups.reduce((sum, { rows }) => sum + rows.length, 0);
  return [
    ...sheet.prose(`${heading} (${size}): ${meaning}`, 0, sheet.paint.bold),
    ...groups.flatMap((group) => groupLines(group, sheet)),
  ];
}

const idsShown = 8;

function groupLines({ reason, rows }: ReasonedRows, sheet: Sheet): readonly string[] {
  const ids = rows.slice(0, idsShown).map(({ id }) => id);
  const more = rows.length - ids.length;
  const list = `${ids.join(', ')}${more > 0 ? `, and ${numberText(more)} more` : ''}`;
  if (reason === null) return sheet.prose(list, 2, sheet.paint.dim);
  const size = counted(rows.length, 'requirement');
  return [...sheet.prose(`${size}: ${cut(reason)}`, 2), ...sheet.prose(list, 4, sheet.paint.dim)];
}
