import { typedCommand } from '../spec/command-line.js';
import { exitCodes } from '../spec/exit-codes.js';
import { areas } from '../spec/ledger.js';
import { countStatuses, type Report, type ReportedRequirement } from '../spec/report.js';
import { type Cause, renderCause } from './causes.js';
import { explainMissingEvidence } from './failed-requirements.js';
import { countGrouped, describeReport, explainGroup, type ReportView } from './report-view.js';
import { defuseCommands, sanitizeLine, truncate } from './sanitize.js';
import { joinParts, type LayoutOptions, type Painter, TerminalLayout, wrapText } from './terminal-layout.js';
import {
  formatConfirmed,
  formatCount,
  formatCoverage,
  formatDuration,
  formatGroupSize,
  formatNumber,
  formatTotals,
  shortIds,
  statusOrder,
  statusWords,
} from './wording.js';

/** How the summary is laid out. */
export interface TerminalOptions extends LayoutOptions {
  readonly reportDir?: string | undefined;
}

interface Summary {
  readonly view: ReportView;
  readonly reportDir: string | undefined;
  readonly layout: TerminalLayout;
}

/** Renders what `plumbline run` prints when it ends. Server text is sanitized, for logs of GitHub Actions too. */
export function renderTerminal(report: Report, options: TerminalOptions): string {
  const layout = new TerminalLayout(options);
  const { reportDir } = options;
  const summary = { view: describeReport(report, reportDir), layout, reportDir };
  const { pass, fail, inconclusive } = report.totals;
  // Where nothing could be judged, the verdict says it all.
  const isEmpty = report.verdict === 'unjudged' && pass + fail + inconclusive === 0;
  const text = joinParts([
    renderVerdict(summary),
    isEmpty ? [] : renderAreas(summary),
    renderFailed(summary),
    renderAdvisory(summary),
    renderInconclusive(summary),
    isEmpty ? [] : renderNotExercised(summary),
    renderNext(summary),
    renderRecording(summary),
    renderLeftBehind(summary),
    renderSums(summary),
  ]);
  return text.split('\n').map(defuseCommands).join('\n');
}

function renderVerdict({ view, layout }: Summary): readonly string[] {
  const { report } = view;
  const notes = [view.insecure ?? [], view.notes].flat();
  const texts = [
    ...view.warnings,
    ...notes.map((note) => `Note: ${note}`),
    ...listSlowDowns(report),
    ...renderGate(view),
  ];
  return [
    ...layout.prose(`${report.verdict}: ${view.explanation}`, 0, paintVerdict(report, layout)),
    ...texts.flatMap((text) => layout.prose(text)),
  ];
}

function paintVerdict({ verdict }: Report, layout: TerminalLayout): Painter {
  return (line) => layout.paint.bold(layout.paintVerdict(verdict)(line));
}

function listSlowDowns({ run }: Report): readonly string[] {
  return (run.slowed_down ?? []).map(({ host, operation, by, refused, rate }) => {
    const what = operation === null ? host : `${operation} at ${host}`;
    return `Slowed down to ${rate} requests/s: ${what} refused ${formatCount(refused, 'request')} with ${by}.`;
  });
}

/** Renders the gate where it has something to note, since the exit code may then differ from the verdict. */
function renderGate({ report: { gate }, exceptions }: ReportView): readonly string[] {
  if (exceptions.length + gate.notes.length === 0) return [];
  return [`Gate: ${[...exceptions, `exit code ${gate.exit_code}`].join(', ')}.`, ...gate.notes];
}

const nameWidth = Math.max(...areas.map((area) => area.length));

/** Renders how many requirements of each area have each status; zeros are left out. */
function renderAreas({ view, layout }: Summary): readonly string[] {
  const { green, red, yellow } = layout.paint;
  const renderLine = (name: string, rows: readonly ReportedRequirement[]) => {
    const counts = countStatuses(rows);
    const texts = statusOrder
      .filter((status) => counts[status] > 0)
      .map((status) => `${counts[status]} ${statusWords[status]}`);
    const painter = counts.fail > 0 ? red : counts.inconclusive > 0 ? yellow : green;
    return wrapText(texts.join(', '), layout.width - nameWidth - 2).map((line, at) => {
      const label = (at === 0 ? name : '').padEnd(nameWidth);
      return `${at === 0 ? painter(label) : label}  ${line}`;
    });
  };
  const ofAreas = view.areas.flatMap(({ area, rows }) => renderLine(area, rows));
  return [...ofAreas, ...renderLine('all', view.report.requirements)];
}

// More would move the verdict off the screen.
const shownWhole = 10;
const furtherShown = 3;
const briefLength = 200;
// A response can be a whole page; the report has all of it.
const longestText = 600;

/** Renders what failed by its cause, with the simplest violation of each of the first ten in full. */
function renderFailed(summary: Summary): readonly string[] {
  const { layout, view } = summary;
  const { causes } = view;
  if (causes.length === 0) return [];
  const { size } = new Set(causes.flatMap(({ requirements }) => requirements));
  const hasMore = causes.length > shownWhole || size > causes.length;
  const notes = [hasMore ? 'The reports have all of them in full.' : [], view.worldNote ?? []].flat();
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

function renderRequirement(row: ReportedRequirement, indent: number, { view, layout }: Summary) {
  const { level, id, section } = row;
  const { waived, newer } = view.report.gate;
  const passed = waived.includes(id) ? '  (waived)' : newer.includes(id) ? '  (newer, warns only)' : '';
  const painter = (line: string) => layout.paint.bold(layout.paint.red(line));
  return layout.prose(`${level}  ${id}  §${section}${passed}`, indent, painter);
}

/** Renders a cause with its simplest violation. Each command is a whole line of its own, so that it can be copied. */
function renderWhole({ lead: row, simplest, failures }: Cause, summary: Summary) {
  const { layout, reportDir } = summary;
  const { cyan, dim } = layout.paint;
  const head = [...renderRequirement(row, 0, summary), ...layout.prose(row.statement, 2)];
  if (simplest === undefined) return [...head, ...layout.prose(explainMissingEvidence(row), 2)];
  const { message, expected, actual, confirmed, situation, reproduce } = simplest.failure;
  const replay = reportDir === undefined ? undefined : simplest.replay;
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

/** Renders a heading and the lines below it; nothing where there are none. */
function renderPart(heading: string, lines: readonly string[], { paint }: TerminalLayout): readonly string[] {
  return lines.length === 0 ? [] : [paint.bold(heading), ...lines];
}

/** Renders the advisory findings briefly: they are not part of the verdict. */
function renderAdvisory({ view: { advisory }, layout }: Summary): readonly string[] {
  const lines = advisory.flatMap(({ requirement: { id, section, statement, reason }, failures }) => {
    const got = failures[0]?.failure.actual ?? reason;
    return [
      ...layout.prose(`${id}  §${section}`, 2, layout.paint.yellow),
      ...layout.prose(statement, 4),
      ...(got === null ? [] : layout.labelled('got', truncate(got, longestText), 4)),
    ];
  });
  return renderPart(`Advisory findings (${advisory.length}); not part of the verdict`, lines, layout);
}

function renderInconclusive({ view: { inconclusive: groups }, layout }: Summary): readonly string[] {
  const lines = groups.flatMap((group) => [
    ...layout.prose(`${formatGroupSize(group.requirements)}${explainGroup(group)}`, 2),
    ...layout.prose(shortIds(group.requirements), 4, layout.paint.dim),
  ]);
  return renderPart(`Inconclusive (${countGrouped(groups)})`, lines, layout);
}

const hintsShown = 5;

/** Renders what could not be exercised, a line for each thing that is needed; what was not selected is a number. */
function renderNotExercised({ view, layout }: Summary): readonly string[] {
  const { notExercised: hints, leftOut } = view;
  const shown = hints.length > hintsShown ? hints.slice(0, hintsShown - 1) : hints;
  const others = hints.slice(shown.length).flatMap(({ requirements }) => requirements);
  const lines = [
    ...shown.map((hint) => `${nameGroup(hint.requirements)}${explainGroup(hint)}`),
    ...(others.length > 0 ? [`${formatGroupSize(others)} have other needs; the reports list them`] : []),
  ].map((line) => `  ${cutLine(sanitizeLine(line), layout.width - 2)}`);
  const notSelected = leftOut > 0 ? [`${formatCount(leftOut, 'requirement')} not selected.`] : [];
  return [
    ...renderPart(`Not exercised (${countGrouped(hints)}), most valuable first`, lines, layout),
    ...notSelected.map(layout.paint.dim),
  ];
}

/** Names the requirement of a group of one, and counts those of a larger one. */
function nameGroup(requirements: readonly ReportedRequirement[]): string {
  const [only, ...others] = requirements;
  if (only === undefined || others.length > 0) return formatGroupSize(requirements);
  return only.level === 'must' ? `${only.id} (must)` : only.id;
}

function cutLine(text: string, width: number): string {
  const [line = ''] = wrapText(text, width - 1);
  return line === text ? text : `${line}…`;
}

/** Renders what to type next: to see more, or to read about the first requirement that failed. */
function renderNext({ view, layout }: Summary): readonly string[] {
  const [failed] = view.deciding;
  const explanation = failed && {
    lead: 'How it is checked, and how to fix it:',
    command: `${typedCommand} explain ${failed.requirement.id}`,
  };
  const next = view.next ?? explanation;
  return next === undefined ? [] : [next.lead, `  ${layout.paint.cyan(sanitizeLine(next.command))}`];
}

/** Renders how much recorded traffic was judged, and why the rest was not. */
function renderRecording({ view, layout }: Summary): readonly string[] {
  const { recording } = view.report.run;
  if (recording === undefined) return [];
  const { files, entries, base_url: base, judged } = recording;
  const others = [
    [recording.undecided, 'possibly not answered by the service'],
    [recording.without_response, 'without a response'],
    [recording.without_body, 'without the response body'],
    [recording.elsewhere, 'with other hosts or paths, or not answered by a server'],
    [recording.skipped, 'unreadable'],
  ] as const;
  const counts = [
    `${formatNumber(judged)} judged${base === null ? '' : ` of ${base}`}`,
    ...others.filter(([count]) => count > 0).map(([count, what]) => `${formatNumber(count)} ${what}`),
  ];
  const where =
    files.length === 0
      ? `Traffic through the proxy: ${formatCount(entries, 'exchange')}`
      : `Recorded traffic: ${formatCount(entries, 'exchange')} in ${formatCount(files.length, 'file')}`;
  return layout.prose(`${where}; ${counts.join(', ')}.`);
}

const leftShown = 5;

/** Renders what the run created and could not delete, so that the user has to. */
function renderLeftBehind({ view, layout }: Summary): readonly string[] {
  const { left_behind: left } = view.report.run;
  if (left.length === 0) return [];
  const more = left.length - leftShown;
  const lines = [
    ...left.slice(0, leftShown).map(({ scope, name, why }) => `${scope}/${name}: ${why}`),
    ...(more > 0 ? [`and ${more} more, in run.left_behind of report.json`] : []),
    `To remove it: ${view.cleanCommand}`,
  ];
  return [`Left behind on the server (${left.length})`, ...lines.flatMap((line) => layout.prose(line, 2))];
}

function renderSums({ view: { report }, reportDir, layout }: Summary): readonly string[] {
  const { totals, run, requirements, checks, verdict, gate } = report;
  const shard = run.shard === '1/1' ? '' : `shard ${run.shard}, `;
  const isSent = run.requests > 0 || run.recording === undefined;
  const covered = formatCoverage(checks);
  const { files, entries = 0 } = run.recording ?? {};
  const passed = files?.length === 0 ? `${formatCount(entries, 'request')} passed on` : 'Nothing was sent';
  const sums = [
    `${formatCount(requirements.length, 'requirement')}: ${formatTotals(totals)}.`,
    isSent
      ? `${formatCount(run.requests, 'request')} in ${formatDuration(run.duration_ms)}, ${shard}seed ${run.seed}.`
      : `${passed}; ${formatDuration(run.duration_ms)}.`,
    ...(covered === undefined ? [] : [`Judged: ${covered}.`]),
    ...(reportDir === undefined ? [] : [`Reports: ${reportDir}`]),
  ];
  // Again, where a long summary has moved the verdict off the screen.
  const isWell = totals.fail === 0 && gate.exit_code === exitCodes.conformant;
  const last = isWell ? [] : [`${verdict}; exit code ${gate.exit_code}`];
  return [
    ...layout.prose(sums.join(' ')),
    ...last.flatMap((line) => layout.prose(line, 0, paintVerdict(report, layout))),
  ];
}
