import type { Report, Status, Verdict } from '../spec/report.js';
import { counted, durationText } from './amount-text.js';
import { type AreaCell, areaTable } from './area-table.js';
import { withInertTexts } from './inert-text.js';
import { type Paint, type Painter, Sheet } from './sheet.js';
import { notExercisedLines, undecidedLines } from './terminal-unproven.js';
import { adviceLines, violationLines } from './terminal-violations.js';
import { verdictReason } from './verdict-reason.js';
import { decides, violationsOf } from './violations.js';

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
 * a server is made inert.
 */
export function terminalSummary(report: Report, options: TerminalOptions): string {
  const told = withInertTexts(report);
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
    leftBehindLines(told, sheet),
    sumLines(told, reportDir, sheet),
  ];
  const lines = parts
    .filter((part) => part.length > 0)
    .flatMap((part, index) => (index > 0 ? ['', ...part] : part));
  return `${lines.join('\n')}\n`;
}

const verdictPainters: Readonly<Record<Verdict, (paint: Paint) => Painter>> = {
  conformant: (paint) => paint.green,
  'non-conformant': (paint) => paint.red,
  incomplete: (paint) => paint.yellow,
  unjudged: (paint) => paint.magenta,
};

const suiteFailed = 5;

function verdictLines(report: Report, sheet: Sheet): readonly string[] {
  const { verdict, run, gate } = report;
  const painter = verdictPainters[verdict](sheet.paint);
  const reason = verdictReason(report);
  const verdictLine = sheet.prose(`${verdict}: ${reason}`, 0, (line) => sheet.paint.bold(painter(line)));
  const early = run.complete ? [] : ['The run did not reach its end; this is what it found out until then.'];
  const broken =
    gate.exit_code === suiteFailed
      ? ['The suite itself failed, so do not rely on this verdict; please report it.']
      : [];
  const notes = run.notes.filter((note) => note !== reason).map((note) => `Note: ${note}`);
  return [
    ...verdictLine,
    ...[...early, ...broken, ...notes, ...gateText(report)].flatMap((text) => sheet.prose(text)),
  ];
}

/** Said only where the gate passed something over, since the exit code may then differ from the verdict. */
function gateText({ gate }: Report): readonly string[] {
  const { waived, excused, newer, notes, exit_code } = gate;
  if (waived.length + excused.length + newer.length === 0) return [];
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
  const painted = ({ text, about }: AreaCell): string =>
    text.trim() === '' ? text : cellPainters[about](sheet.paint)(text);
  return areaTable(requirements).map((cells) => cells.map(painted).join(gap).trimEnd());
}

const leftToldAtMost = 5;

/** What the run stored and could not delete: somebody has to. */
function leftBehindLines({ run: { left_behind: left } }: Report, sheet: Sheet): readonly string[] {
  if (left.length === 0) return [];
  const told = left
    .slice(0, leftToldAtMost)
    .flatMap(({ scope, name, why }) => sheet.prose(`${scope}/${name}: ${why}`, 2));
  const more = left.length - leftToldAtMost;
  return [
    `Left behind (${left.length})`,
    ...told,
    ...(more > 0 ? sheet.prose(`and ${more} more, in run.left_behind of report.json`, 2) : []),
  ];
}

const sums: readonly (readonly [Status, string])[] = [
  ['pass', 'held'],
  ['fail', 'violated'],
  ['inconclusive', 'undecided'],
  ['not-exercised', 'not exercised'],
  ['not-observable', 'not observable'],
];

function sumLines(
  { totals, run, requirements }: Report,
  reportDir: string | undefined,
  sheet: Sheet,
): readonly string[] {
  const statuses = sums.map(([status, word]) => `${totals[status]} ${word}`).join(', ');
  const ran = `${counted(run.requests, 'request')} in ${durationText(run.duration_ms)}, seed ${run.seed}.`;
  const where = reportDir === undefined ? '' : ` Reports: ${reportDir}`;
  return sheet.prose(`${counted(requirements.length, 'requirement')}: ${statuses}. ${ran}${where}`);
}
