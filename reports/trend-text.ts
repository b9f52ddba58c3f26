import { sanitizeTexts } from './sanitize.js';
import {
  countColumns,
  joinParts,
  type LayoutOptions,
  type Painter,
  TerminalLayout,
} from './terminal-layout.js';
import {
  type DepthRuns,
  describeGone,
  describeLast,
  describeRange,
  describeStanding,
  groupByDepth,
  markLegend,
  markSigns,
  type NumberedRun,
  qualifyViolation,
  remarkOn,
  type Series,
  series,
  shortenLabel,
  type Trend,
  type ViolationHistory,
  warnOfTargets,
} from './trend.js';
import { formatCount, formatInstant } from './wording.js';

/**
 * Renders the last runs for a terminal: the last result, a line for each run, every figure as a sparkline, and the
 * history of each violation. Ends with a line end. Text from the history is sanitized.
 */
export function renderTrendTerminal(original: Trend, options: LayoutOptions): string {
  const trend = sanitizeTexts(original);
  const layout = new TerminalLayout(options);
  const { runs } = trend;
  if (runs.length === 0) return joinParts([layout.prose(describeRange(trend))]);
  const verdict = runs.at(-1)?.verdict ?? 'unjudged';
  const painter: Painter = (line) => layout.paint.bold(layout.paintVerdict(verdict)(line));
  return joinParts([
    [...layout.prose(describeLast(trend), 0, painter), ...layout.prose(describeRange(trend))],
    renderTable(runs, layout),
    renderRemarks(trend, layout),
    ...groupByDepth(runs)
      .filter((group) => group.runs.length > 1)
      .map((group) => renderSparklines(group, layout)),
    renderViolations(trend, layout),
  ]);
}

interface Column {
  readonly heading: string;
  readonly of: (run: NumberedRun) => string;
  readonly side: 'left' | 'right';
}

const columns: readonly Column[] = [
  { heading: 'run', of: (run) => `${remarkOn(run) === undefined ? '' : '*'}${run.number}`, side: 'right' },
  { heading: 'started', of: ({ started_at }) => formatInstant(started_at).slice(5), side: 'left' },
  { heading: 'verdict', of: ({ verdict }) => verdict, side: 'left' },
  ...series.map(
    ({ name, of, format }): Column => ({
      heading: name,
      of: (run) => format(of(run)),
      side: 'right',
    }),
  ),
];

/** Columns that only some histories need. */
function listFurtherColumns(runs: readonly NumberedRun[]): readonly Column[] {
  const depth: Column = { heading: 'depth', of: (run) => run.depth, side: 'left' };
  const label: Column = {
    heading: 'label',
    of: (run) => (run.label === undefined ? '' : shortenLabel(run.label)),
    side: 'left',
  };
  return [
    ...(groupByDepth(runs).length > 1 ? [depth] : []),
    ...(runs.some((run) => run.label !== undefined) ? [label] : []),
  ];
}

// Left out where the terminal is narrow: the sparklines show the most of them too.
const dispensable = ['requests', 'duration', 'depth', 'label'];
const roomy = 80;

function renderTable(runs: readonly NumberedRun[], layout: TerminalLayout): readonly string[] {
  const shown = [...columns, ...listFurtherColumns(runs)].filter(
    ({ heading }) => layout.width >= roomy || !dispensable.includes(heading),
  );
  const widths = shown.map(({ heading, of }) =>
    Math.max(heading.length, ...runs.map((run) => countColumns(of(run)))),
  );
  const toLine = (cellOf: (column: Column) => string, painterOf: (column: Column) => Painter) =>
    shown
      .map((column, at) => {
        const cell = cellOf(column);
        const blanks = ' '.repeat(Math.max(0, (widths[at] ?? 0) - countColumns(cell)));
        const painted = painterOf(column)(cell);
        return column.side === 'left' ? painted + blanks : blanks + painted;
      })
      .join('  ')
      .trimEnd();
  const paintCell = ({ heading }: Column, run: NumberedRun): Painter => {
    if (heading === 'verdict') return layout.paintVerdict(run.verdict);
    return heading === 'failed' && run.violated.length > 0 ? layout.paint.red : (text) => text;
  };
  return [
    toLine(
      ({ heading }) => heading,
      () => layout.paint.dim,
    ),
    ...runs.map((run) =>
      toLine(
        ({ of }) => of(run),
        (column) => paintCell(column, run),
      ),
    ),
  ];
}

const remarksShown = 5;

function renderRemarks(trend: Trend, layout: TerminalLayout): readonly string[] {
  const remarks = trend.runs.flatMap((run) => {
    const remark = remarkOn(run);
    return remark === undefined ? [] : [`* Run ${run.number} ${remark}.`];
  });
  const more = remarks.length - remarksShown;
  const targets = warnOfTargets(trend);
  return [
    ...remarks.slice(-remarksShown),
    ...(more > 0 ? [`* ${formatCount(more, 'earlier remark')} not shown.`] : []),
    ...(targets === undefined ? [] : [targets]),
  ].flatMap((text) => layout.prose(text, 0, layout.paint.yellow));
}

const blocks = '▁▂▃▄▅▆▇█';
const nameWidth = Math.max(...series.map(({ name }) => name.length));

function renderSparklines({ depth, runs }: DepthRuns, layout: TerminalLayout): readonly string[] {
  return [layout.paint.bold(`Depth ${depth}`), ...series.map((one) => renderSparkline(one, runs, layout))];
}

function renderSparkline({ name, of, format }: Series, runs: readonly NumberedRun[], layout: TerminalLayout) {
  const values = runs.map(of);
  const [lowest, highest, last] = [Math.min(...values), Math.max(...values), values.at(-1) ?? 0];
  const range =
    lowest === highest ? format(last) : `${format(last)} now, ${format(lowest)} to ${format(highest)}`;
  const room = Math.max(1, layout.width - nameWidth - range.length - 4);
  const step = (blocks.length - 1) / (highest - lowest || 1);
  const line = values
    .slice(-room)
    .map((value) => blocks.charAt(Math.round((value - lowest) * step)))
    .join('');
  return `${layout.paint.dim(name.padEnd(nameWidth))}  ${layout.paint.cyan(line)}  ${range}`;
}

function renderViolations(trend: Trend, layout: TerminalLayout): readonly string[] {
  const { violations, runs } = trend;
  const gone = describeGone(trend);
  if (violations.length === 0) return [gone ?? 'Nothing failed in these runs.'];
  return [
    layout.paint.bold(`Violations (${violations.length})`),
    ...violations.flatMap((violation) =>
      renderViolation(violation, qualifyViolation(violation, trend), layout),
    ),
    ...(runs.length < 2 ? [] : layout.prose(`One sign per run: ${markLegend}`, 0, layout.paint.dim)),
    ...(gone === undefined ? [] : [gone]),
  ];
}

function renderViolation(
  violation: ViolationHistory,
  qualification: string,
  layout: TerminalLayout,
): readonly string[] {
  const { id, decides, first_seen, times_seen, now, marks } = violation;
  const { green, red, yellow } = layout.paint;
  const painter = now === 'gone' ? green : decides ? red : yellow;
  const signs = marks.slice(-(layout.width - 2)).map((mark) => markSigns[mark].sign);
  const seen = `first seen ${formatInstant(first_seen)}, in ${formatCount(times_seen, 'run')}`;
  return [
    ...layout.prose(`${id}${qualification}`, 0, painter),
    ...layout.prose(`${seen}, ${describeStanding(violation)}`, 2),
    ...(marks.length < 2 ? [] : [`  ${signs.join('')}`]),
  ];
}
