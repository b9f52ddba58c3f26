import { exitCodes } from '../spec/exit-codes.js';
import { areas } from '../spec/ledger.js';
import type { Report, ReportedRequirement } from '../spec/report.js';
import { typedCommand } from '../spec/version.js';
import { groupByCause } from './causes.js';
import {
  countStatuses,
  explainVerdict,
  listByArea,
  listExceptions,
  listNotes,
  listWarnings,
  noteInsecure,
  renderCleanCommand,
  splitFailed,
  suggestNext,
} from './report-view.js';
import { defuseCommands, sanitizeLine } from './sanitize.js';
import { joinParts, type LayoutOptions, type Painter, TerminalLayout, wrapText } from './terminal-layout.js';
import {
  renderAdvisory,
  renderFailed,
  renderInconclusive,
  renderNotExercised,
  type Summary,
} from './terminal-requirements.js';
import {
  formatCount,
  formatCoverage,
  formatDuration,
  formatNumber,
  formatTotals,
  statusOrder,
  statusWords,
} from './wording.js';

/** How the summary is laid out. */
export interface TerminalOptions extends LayoutOptions {
  /** Where the files of the report are, as the user is to read it. */
  readonly reportDir?: string | undefined;
}

/** Renders what `plumbline run` prints when it ends. Server text is sanitized, for logs of GitHub Actions too. */
export function renderTerminal(report: Report, options: TerminalOptions): string {
  const layout = new TerminalLayout(options);
  const summary = { report, layout, reportDir: options.reportDir, causes: groupByCause(report) };
  const { pass, fail, inconclusive } = report.totals;
  // The verdict says all that there is to say of a run that could judge nothing.
  const isEmpty = report.verdict === 'unjudged' && pass + fail + inconclusive === 0;
  const text = joinParts([
    renderVerdict(report, layout),
    isEmpty ? [] : renderAreas(report, layout),
    renderFailed(summary),
    renderAdvisory(summary),
    renderInconclusive(summary),
    isEmpty ? [] : renderNotExercised(summary),
    renderNext(report, layout),
    renderRecording(report, layout),
    renderLeftBehind(summary),
    renderSums(summary),
  ]);
  return text.split('\n').map(defuseCommands).join('\n');
}

function renderVerdict(report: Report, layout: TerminalLayout): readonly string[] {
  const { verdict, target } = report;
  const insecure = noteInsecure(target);
  const notes = [...(insecure === undefined ? [] : [insecure]), ...listNotes(report)];
  const texts = [
    ...listWarnings(report),
    ...notes.map((note) => `Note: ${note}`),
    ...listSlowDowns(report),
    ...describeGate(report),
  ];
  return [
    ...layout.prose(`${verdict}: ${explainVerdict(report)}`, 0, paintVerdict(report, layout)),
    ...texts.flatMap((text) => layout.prose(text)),
  ];
}

function paintVerdict({ verdict }: Report, layout: TerminalLayout): Painter {
  return (line) => layout.paint.bold(layout.paintVerdict(verdict)(line));
}

function listSlowDowns({ run }: Report): readonly string[] {
  return (run.slowed_down ?? []).map(({ host, operation, by, refused, rate }) => {
    const what = operation === null ? host : `${operation} at ${host}`;
    return `Slowed down to ${rate} requests/s: ${what} answered ${by} to ${formatCount(refused, 'request')} beyond its rate limit.`;
  });
}

/** Only where the gate has something to note, since the exit code may then differ from the verdict. */
function describeGate({ gate }: Report): readonly string[] {
  const exceptions = listExceptions(gate);
  if (exceptions.length + gate.notes.length === 0) return [];
  return [`Gate: ${[...exceptions, `exit code ${gate.exit_code}`].join(', ')}.`, ...gate.notes];
}

const nameWidth = Math.max(...areas.map((area) => area.length));

/** How many requirements of each area have each status; zeros are left out. */
function renderAreas({ requirements }: Report, layout: TerminalLayout): readonly string[] {
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
  const ofAreas = listByArea(requirements).flatMap(({ area, rows }) => renderLine(area, rows));
  return [...ofAreas, ...renderLine('all', requirements)];
}

function renderNext(report: Report, layout: TerminalLayout): readonly string[] {
  const next = suggestNext(report) ?? suggestExplanation(report);
  return next === undefined ? [] : [next.lead, `  ${layout.paint.cyan(sanitizeLine(next.command))}`];
}

/** Suggests where to read what the first failed requirement is about; undefined where none decides. */
function suggestExplanation(report: Report) {
  const [first] = splitFailed(report).deciding;
  if (first === undefined) return undefined;
  const { id } = first.requirement;
  return { lead: 'How it is checked, and how to fix it:', command: `${typedCommand} explain ${id}` };
}

/** What of recorded traffic was judged, and why the rest was not. */
function renderRecording({ run: { recording } }: Report, layout: TerminalLayout): readonly string[] {
  if (recording === undefined) return [];
  const { files, entries, base_url: base, judged } = recording;
  const others = [
    [recording.undecided, 'possibly not answered by the service'],
    [recording.without_response, 'without a response'],
    [recording.without_body, 'without the response body'],
    [recording.elsewhere, 'of other hosts and paths, or answered by no server'],
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

/** What the run made and could not delete, and the user has to. */
function renderLeftBehind({ report, reportDir, layout }: Summary): readonly string[] {
  const { left_behind: left } = report.run;
  if (left.length === 0) return [];
  const more = left.length - leftShown;
  const lines = [
    ...left.slice(0, leftShown).map(({ scope, name, why }) => `${scope}/${name}: ${why}`),
    ...(more > 0 ? [`and ${more} more, in run.left_behind of report.json`] : []),
    `To remove it: ${renderCleanCommand(report, reportDir)}`,
  ];
  return [`Left behind on the server (${left.length})`, ...lines.flatMap((line) => layout.prose(line, 2))];
}

function renderSums({ report, reportDir, layout }: Summary): readonly string[] {
  const { totals, run, requirements, checks, verdict, gate } = report;
  const shard = run.shard === '1/1' ? '' : `shard ${run.shard}, `;
  const isSent = run.requests > 0 || run.recording === undefined;
  const covered = formatCoverage(checks);
  const sums = [
    `${formatCount(requirements.length, 'requirement')}: ${formatTotals(totals)}.`,
    isSent
      ? `${formatCount(run.requests, 'request')} in ${formatDuration(run.duration_ms)}, ${shard}seed ${run.seed}.`
      : `Nothing was sent; ${formatDuration(run.duration_ms)}.`,
    ...(covered === undefined ? [] : [`Judged: ${covered}.`]),
    ...(reportDir === undefined ? [] : [`Reports: ${reportDir}`]),
  ];
  // Once more where what is wrong has moved the verdict off the screen.
  const isWell = totals.fail === 0 && gate.exit_code === exitCodes.conformant;
  const last = isWell ? [] : [`${verdict}; exit code ${gate.exit_code}`];
  return [
    ...layout.prose(sums.join(' ')),
    ...last.flatMap((line) => layout.prose(line, 0, paintVerdict(report, layout))),
  ];
}
