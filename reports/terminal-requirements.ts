import type { Failure, Report, ReportedRequirement } from '../spec/report.js';
import { type Cause, renderCause, renderReplay } from './causes.js';
import {
  countGrouped,
  countLeftOut,
  explainGroup,
  explainMissingEvidence,
  type FailedRequirement,
  groupByReason,
  listCoverageHints,
} from './report-view.js';
import { sanitizeLine, truncate } from './sanitize.js';
import { type Painter, type TerminalLayout, wrapText } from './terminal-layout.js';
import { formatConfirmed, formatCount, formatGroupSize, shortList } from './wording.js';

// More than these only move the verdict off the screen.
const shownWhole = 10;
const furtherShown = 3;
const briefLength = 200;
// An answer can be a page; the report has what is cut off here.
const longestText = 600;

/** Renders what failed by its cause, with the simplest violation of each of the first ten in full. */
export function renderFailed(
  { gate }: Report,
  causes: readonly Cause[],
  reportDir: string | undefined,
  layout: TerminalLayout,
): readonly string[] {
  if (causes.length === 0) return [];
  const ids = new Set(causes.flatMap(({ requirements }) => requirements.map(({ id }) => id)));
  const renderOne = (cause: Cause, isWhole: boolean) => {
    const { requirements, simplest } = cause;
    const lead = requirements.find(({ id }) => id === simplest?.failure.requirement) ?? requirements[0];
    const others = requirements.filter((row) => !isWhole || row !== lead);
    return [
      '',
      ...layout.prose(renderCause(cause), 0, layout.paint.bold),
      ...(isWhole && lead !== undefined
        ? ['', ...renderWhole(lead, cause, { gate, reportDir, layout })]
        : []),
      ...others.flatMap((row) => renderRequirement(row, gate, 2, layout)),
    ];
  };
  return [
    layout.paint.bold(`Failed (${ids.size})`),
    ...causes.flatMap((cause, at) => renderOne(cause, at < shownWhole)),
    ...(causes.length > shownWhole || ids.size > causes.length
      ? ['', ...layout.prose('The reports have all of them in full.')]
      : []),
  ];
}

function renderRequirement(
  { level, id, section }: ReportedRequirement,
  { waived, newer }: Report['gate'],
  indent: number,
  layout: TerminalLayout,
): readonly string[] {
  const passed = waived.includes(id) ? '  (waived)' : newer.includes(id) ? '  (newer, warns only)' : '';
  const painter: Painter = (line) => layout.paint.bold(layout.paint.red(line));
  return layout.prose(`${level}  ${id}  §${section}${passed}`, indent, painter);
}

interface Context {
  readonly gate: Report['gate'];
  readonly reportDir: string | undefined;
  readonly layout: TerminalLayout;
}

function renderWhole(
  requirement: ReportedRequirement,
  { simplest, failures }: Cause,
  { gate, reportDir, layout }: Context,
): readonly string[] {
  const further = failures.filter(
    ({ number, failure }) => number !== simplest?.number && failure.requirement === requirement.id,
  );
  const more = further.length - furtherShown;
  const command = simplest && reportDir !== undefined ? renderReplay(simplest, reportDir) : undefined;
  const evidence =
    simplest === undefined
      ? layout.prose(explainMissingEvidence(requirement), 2)
      : [
          ...renderFailure(simplest.failure, layout),
          ...(command === undefined ? [] : [`  ${layout.paint.cyan(sanitizeLine(command))}`]),
          ...further
            .slice(0, furtherShown)
            .flatMap(({ failure }) => layout.labelled('also', truncate(failure.message, briefLength), 2)),
          ...(more > 0 ? layout.labelled('', `and ${more} more, in the reports`, 2) : []),
        ];
  return [
    ...renderRequirement(requirement, gate, 0, layout),
    ...layout.prose(requirement.statement, 2),
    ...evidence,
  ];
}

/** The curl line and the command stand whole on lines of their own, so that they can be copied. */
function renderFailure(
  { message, expected, actual, confirmed, situation, reproduce }: Failure,
  layout: TerminalLayout,
): readonly string[] {
  const { paint } = layout;
  return [
    ...layout.prose(truncate(message, longestText), 2, paint.dim),
    ...layout.labelled('expected', truncate(expected, longestText), 2),
    ...layout.labelled('got', truncate(actual, longestText), 2),
    ...layout.labelled('confirmed', formatConfirmed(confirmed), 2),
    // Not broken into lines: a waiver repeats it word for word.
    ...(situation === '' ? [] : [`  ${paint.dim('situation'.padEnd(11))}${sanitizeLine(situation)}`]),
    `  ${paint.cyan(sanitizeLine(reproduce.curl))}`,
    `  ${paint.cyan(sanitizeLine(reproduce.command))}`,
  ];
}

/** Renders the advisory findings briefly: they are not part of the verdict. */
export function renderAdvisory(
  advisory: readonly FailedRequirement[],
  layout: TerminalLayout,
): readonly string[] {
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
export function renderInconclusive(report: Report, layout: TerminalLayout): readonly string[] {
  const groups = groupByReason(report, 'inconclusive');
  if (groups.length === 0) return [];
  return [
    layout.paint.bold(`Inconclusive (${countGrouped(groups)})`),
    ...groups.flatMap((group) => [
      ...layout.prose(`${formatGroupSize(group.requirements)}${explainGroup(group)}`, 2),
      ...layout.prose(
        shortList(
          group.requirements.map(({ id }) => id),
          8,
        ),
        4,
        layout.paint.dim,
      ),
    ]),
  ];
}

const hintsShown = 5;

/** Renders what could not be exercised, a line for each thing that is needed; what was not selected is a number. */
export function renderNotExercised(report: Report, layout: TerminalLayout): readonly string[] {
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
