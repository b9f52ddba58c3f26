import type { Report, ReportedRequirement } from '../spec/report.js';
import { type Cause, renderCause, renderReplay } from './causes.js';
import {
  countGrouped,
  countLeftOut,
  explainGroup,
  explainMissingEvidence,
  groupByReason,
  listCoverageHints,
  noteWorld,
  splitFailed,
} from './report-view.js';
import { sanitizeLine, truncate } from './sanitize.js';
import { type TerminalLayout, wrapText } from './terminal-layout.js';
import { formatConfirmed, formatCount, formatGroupSize, shortIds } from './wording.js';

/** What the parts of a summary are rendered from. */
export interface Summary {
  readonly report: Report;
  readonly causes: readonly Cause[];
  readonly reportDir: string | undefined;
  readonly layout: TerminalLayout;
}

// More than these only move the verdict off the screen.
const shownWhole = 10;
const furtherShown = 3;
const briefLength = 200;
// An answer can be a page; the report has what is cut off here.
const longestText = 600;

/** Renders what failed by its cause, with the simplest violation of each of the first ten in full. */
export function renderFailed(summary: Summary): readonly string[] {
  const { causes, layout, report } = summary;
  if (causes.length === 0) return [];
  const { size } = new Set(causes.flatMap(({ requirements }) => requirements));
  const hasMore = causes.length > shownWhole || size > causes.length;
  const notes = [hasMore ? 'The reports have all of them in full.' : '', noteWorld(report) ?? ''].filter(
    Boolean,
  );
  return [
    layout.paint.bold(`Failed (${size})`),
    ...causes.flatMap((cause, at) => {
      const { requirements, lead } = cause;
      const isWhole = at < shownWhole;
      const others = requirements.filter((row) => !isWhole || row !== lead);
      return [
        '',
        ...layout.prose(renderCause(cause), 0, layout.paint.bold),
        ...(isWhole ? ['', ...renderWhole(cause, summary)] : []),
        ...others.flatMap((row) => renderRequirement(row, 2, summary)),
      ];
    }),
    ...(notes.length === 0 ? [] : ['', ...layout.prose(notes.join(' '))]),
  ];
}

function renderRequirement(row: ReportedRequirement, indent: number, { report, layout }: Summary) {
  const { level, id, section } = row;
  const { waived, newer } = report.gate;
  const passed = waived.includes(id) ? '  (waived)' : newer.includes(id) ? '  (newer, warns only)' : '';
  const painter = (line: string) => layout.paint.bold(layout.paint.red(line));
  return layout.prose(`${level}  ${id}  §${section}${passed}`, indent, painter);
}

/** The curl line and the commands stand whole on lines of their own, so that they can be copied. */
function renderWhole({ lead: row, simplest, failures }: Cause, summary: Summary) {
  const { layout, reportDir } = summary;
  const { cyan, dim } = layout.paint;
  const head = [...renderRequirement(row, 0, summary), ...layout.prose(row.statement, 2)];
  if (simplest === undefined) return [...head, ...layout.prose(explainMissingEvidence(row), 2)];
  const { message, expected, actual, confirmed, situation, reproduce } = simplest.failure;
  const replay = reportDir === undefined ? undefined : renderReplay(simplest, reportDir);
  const further = failures.filter(
    ({ number, failure }) => number !== simplest.number && failure.requirement === row.id,
  );
  const more = further.length - furtherShown;
  return [
    ...head,
    ...layout.prose(truncate(message, longestText), 2, dim),
    ...layout.labelled('expected', truncate(expected, longestText), 2),
    ...layout.labelled('got', truncate(actual, longestText), 2),
    ...layout.labelled('confirmed', formatConfirmed(confirmed), 2),
    // Not broken into lines: a waiver repeats it word for word.
    ...(situation === '' ? [] : [`  ${dim('situation'.padEnd(11))}${sanitizeLine(situation)}`]),
    ...[reproduce.curl, reproduce.command, ...(replay === undefined ? [] : [replay])].map(
      (line) => `  ${cyan(sanitizeLine(line))}`,
    ),
    ...further
      .slice(0, furtherShown)
      .flatMap(({ failure }) => layout.labelled('also', truncate(failure.message, briefLength), 2)),
    ...(more > 0 ? layout.labelled('', `and ${more} more, in the reports`, 2) : []),
  ];
}

/** Renders the advisory findings briefly: they are not part of the verdict. */
export function renderAdvisory({ report, layout }: Summary): readonly string[] {
  const { advisory } = splitFailed(report);
  if (advisory.length === 0) return [];
  const heading = `Advisory findings (${advisory.length}); not part of the verdict`;
  return [
    ...layout.prose(heading, 0, layout.paint.bold),
    ...advisory.flatMap(({ requirement: { id, section, statement, reason }, failures }) => {
      const got = failures[0]?.failure.actual ?? reason;
      return [
        ...layout.prose(`${id}  §${section}`, 2, layout.paint.yellow),
        ...layout.prose(statement, 4),
        ...(got === null ? [] : layout.labelled('got', truncate(got, longestText), 4)),
      ];
    }),
  ];
}

/** Renders the inconclusive requirements by the reason. */
export function renderInconclusive({ report, layout }: Summary): readonly string[] {
  const groups = groupByReason(report, 'inconclusive');
  if (groups.length === 0) return [];
  return [
    layout.paint.bold(`Inconclusive (${countGrouped(groups)})`),
    ...groups.flatMap((group) => [
      ...layout.prose(`${formatGroupSize(group.requirements)}${explainGroup(group)}`, 2),
      ...layout.prose(shortIds(group.requirements), 4, layout.paint.dim),
    ]),
  ];
}

const hintsShown = 5;

/** Renders what could not be exercised, a line for each thing that is needed; what was not selected is a number. */
export function renderNotExercised({ report, layout }: Summary): readonly string[] {
  const hints = listCoverageHints(report);
  const leftOut = countLeftOut(report);
  const shown = hints.length > hintsShown ? hints.slice(0, hintsShown - 1) : hints;
  const others = hints.slice(shown.length).flatMap(({ requirements }) => requirements);
  const lines = [
    ...shown.map((hint) => `${formatGroupSize(hint.requirements)}${explainGroup(hint)}`),
    ...(others.length > 0 ? [`${formatGroupSize(others)} need other things; the reports list them`] : []),
  ];
  const heading = `Not exercised (${countGrouped(hints)}), the most valuable first`;
  return [
    ...(hints.length > 0 ? layout.prose(heading, 0, layout.paint.bold) : []),
    ...lines.map((line) => `  ${cutLine(sanitizeLine(line), layout.width - 2)}`),
    ...(leftOut > 0
      ? layout.prose(`${formatCount(leftOut, 'requirement')} not selected.`, 0, layout.paint.dim)
      : []),
  ];
}

function cutLine(text: string, width: number): string {
  const [line = ''] = wrapText(text, width - 1);
  return line === text ? text : `${line}…`;
}
