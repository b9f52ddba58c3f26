import type { Report, Verdict } from '../spec/report.js';
import { counted, coverageText, durationText, numberText } from './amount-text.js';
import { type AreaCell, areaTable } from './area-table.js';
import { cleanCommand } from './clean-command.js';
import { withInertTexts } from './inert-text.js';
import { insecureNote } from './judged-server.js';
import { type Paint, type Painter, Sheet } from './sheet.js';
import { totalsText } from './status-words.js';
import { suiteFaultOf } from './suite-fault.js';
import { terminalTexts } from './terminal-texts.js';
import { notExercisedLines, undecidedLines } from './terminal-unproven.js';
import { adviceLines, violationLines } from './terminal-violations.js';
import { verdictReason } from './verdict-reason.js';
import { decides, violationsOf } from './violations.js';
import { withoutCommands } from './workflow-command.js';

/** How the summary is to be set. */
export interface TerminalOptions {
  readonly color: boolean;
  /** Columns of the terminal; fewer than 60 are taken for 60. */
  readonly width: number;
  /** Where the files of the report are, as the user is to read it. */
  readonly reportDir?: string | undefined;
}

/**
 * What `plumbline run` prints when it ends: the verdict and why, the areas, every violation with what shows it
 * again, what stayed unproven and what would unlock it, the sums. Ends with a line end. Text that came from
 * a server is made inert, in a log of GitHub Actions too.
 */
export function terminalSummary(report: Report, options: TerminalOptions): string {
  const told = terminalTexts(report);
  const { reportDir } = withInertTexts(options);
  const sheet = new Sheet(options);
  const violations = violationsOf(told);
  const parts = [
    verdictLines(told, sheet),
    tableLines(told, sheet),
    violationLines(violations.filter(decides), told.gate, sheet),
    adviceLines(
      violations.filter((violation) => !decides(violation)),
      sheet,
    ),
    undecidedLines(told, sheet),
    notExercisedLines(told, sheet),
    recordingLines(told, sheet),
    leftBehindLines(told, reportDir, sheet),
    sumLines(told, reportDir, sheet),
  ];
  const lines = parts
    .filter((part) => part.length > 0)
    .flatMap((part, index) => (index > 0 ? ['', ...part] : part));
  return `${lines.map(withoutCommands).join('\n')}\n`;
}

const verdictPainters: Readonly<Record<Verdict, (paint: Paint) => Painter>> = {
  conformant: (paint) => paint.green,
  'non-conformant': (paint) => paint.red,
  incomplete: (paint) => paint.yellow,
  unjudged: (paint) => paint.magenta,
};

function verdictLines(report: Report, sheet: Sheet): readonly string[] {
  const { verdict, run } = report;
  const reason = verdictReason(report);
  const verdictLine = sheet.prose(`${verdict}: ${reason}`, 0, verdictPainter(report, sheet));
  const early = run.complete ? [] : ['The run did not reach its end; this is what it found out until then.'];
  const fault = suiteFaultOf(report);
  const broken = fault === null ? [] : [fault.message];
  const insecure = insecureNote(report.target);
  const notes = [...(insecure === undefined ? [] : [insecure]), ...run.notes]
    .filter((note) => note !== reason)
    .map((note) => `Note: ${note}`);
  return [
    ...verdictLine,
    ...[...early, ...broken, ...notes, ...slowDownTexts(report), ...gateText(report)].flatMap((text) =>
      sheet.prose(text),
    ),
  ];
}

function slowDownTexts({ run }: Report): readonly string[] {
  return (run.slowed_down ?? []).map(({ host, operation, by, refused, rate }) => {
    const what = operation === null ? host : `${operation} at ${host}`;
    return `Slowed down to ${rate} requests/s: ${what} answered ${by} to ${counted(refused, 'request')} beyond its rate limit.`;
  });
}

function verdictPainter({ verdict }: Report, { paint }: Sheet): Painter {
  const painter = verdictPainters[verdict](paint);
  return (line) => paint.bold(painter(line));
}

/** Said only where the gate has something to note, since the exit code may then differ from the verdict. */
function gateText({ gate }: Report): readonly string[] {
  const { waived, excused, newer, notes, exit_code } = gate;
  if (waived.length + excused.length + newer.length + notes.length === 0) return [];
  const sums = [
    `${waived.length} waived`,
    `${excused.length} excused by the policy`,
    ...(newer.length > 0 ? [`${newer.length} newer than its ledger`] : []),
  ];
  return [`Gate: ${sums.join(', ')}; exit code ${exit_code}.`, ...notes];
}

const cellPainters: Readonly<Record<AreaCell['about'], (paint: Paint) => Painter>> = {
  area: () => (text) => text,
  heading: (paint) => paint.dim,
  pass: (paint) => paint.green,
  fail: (paint) => paint.red,
  inconclusive: (paint) => paint.yellow,
  'not-exercised': (paint) => paint.cyan,
  'not-observable': (paint) => paint.dim,
};

const roomyTable = 64;

function tableLines({ requirements }: Report, sheet: Sheet): readonly string[] {
  const gap = sheet.width < roomyTable ? ' ' : '  ';
  const painted = ({ text, about }: AreaCell): string => {
    if (text.trim() === '') return text;
    // No violation is no alarm.
    return text.trim() === '0' ? sheet.paint.dim(text) : cellPainters[about](sheet.paint)(text);
  };
  return areaTable(requirements).map((cells) => cells.map(painted).join(gap).trimEnd());
}

/** What of recorded traffic was judged, and why the rest was not. */
function recordingLines({ run: { recording } }: Report, sheet: Sheet): readonly string[] {
  if (recording === undefined) return [];
  const { files, entries, base_url: base, judged } = recording;
  const others = [
    [recording.undecided, "may be somebody else's than the service's"],
    [recording.without_response, 'without a response'],
    [recording.without_body, 'without the body that came'],
    [recording.elsewhere, 'of other hosts and paths, or of no server'],
    [recording.skipped, 'that could not be read'],
  ] as const;
  const told = others.filter(([count]) => count > 0).map(([count, what]) => `${numberText(count)} ${what}`);
  const whose = base === null ? '' : ` of ${base}`;
  return sheet.prose(
    `Recorded traffic: ${counted(entries, 'exchange')} in ${counted(files.length, 'file')}; ${[`${numberText(judged)} judged${whose}`, ...told].join(', ')}.`,
  );
}

const leftToldAtMost = 5;

/** What the run made and could not delete: somebody has to. */
function leftBehindLines(report: Report, reportDir: string | undefined, sheet: Sheet): readonly string[] {
  const { left_behind: left } = report.run;
  if (left.length === 0) return [];
  const told = left
    .slice(0, leftToldAtMost)
    .flatMap(({ scope, name, why }) => sheet.prose(`${scope}/${name}: ${why}`, 2));
  const more = left.length - leftToldAtMost;
  return [
    `Left behind on the server (${left.length})`,
    ...told,
    ...(more > 0 ? sheet.prose(`and ${more} more, in run.left_behind of report.json`, 2) : []),
    ...sheet.prose(`To remove it: ${cleanCommand(report, reportDir)}`, 2),
  ];
}

function sumLines(report: Report, reportDir: string | undefined, sheet: Sheet): readonly string[] {
  const { totals, run, requirements } = report;
  const part = run.shard === '1/1' ? '' : `shard ${run.shard}, `;
  const isSent = run.requests > 0 || run.recording === undefined;
  const ran = isSent
    ? `${counted(run.requests, 'request')} in ${durationText(run.duration_ms)}, ${part}seed ${run.seed}.`
    : `Nothing was sent; ${durationText(run.duration_ms)}.`;
  const covered = coverageText(report.checks);
  const judged = covered === undefined ? '' : ` Judged: ${covered}.`;
  const where = reportDir === undefined ? '' : ` Reports: ${reportDir}`;
  return [
    ...sheet.prose(
      `${counted(requirements.length, 'requirement')}: ${totalsText(totals)}. ${ran}${judged}${where}`,
    ),
    ...closingLines(report, sheet),
  ];
}

/** The verdict once more where the violations have moved it off the screen. */
function closingLines(report: Report, sheet: Sheet): readonly string[] {
  if (report.totals.fail === 0) return [];
  const text = `${report.verdict}; exit code ${report.gate.exit_code}`;
  return sheet.prose(text, 0, verdictPainter(report, sheet));
}
