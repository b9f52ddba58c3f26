import { sanitizeTexts } from './sanitize.js';
import { joinParts, type LayoutOptions, TerminalLayout } from './terminal-layout.js';
import {
  type DepthRuns,
  describeGone,
  describeRange,
  describeResult,
  describeSeries,
  describeStanding,
  groupByDepth,
  listCharts,
  markLegend,
  markSigns,
  type NumberedRun,
  qualifyViolation,
  remarkOn,
  series,
  shortenLabel,
  type Trend,
  type ViolationHistory,
  warnOfTargets,
} from './trend.js';
import { formatCount, formatInstant } from './wording.js';

/** Renders the last runs for a terminal. Ends with a line end; text from the history is sanitized. */
export function renderTrendTerminal(original: Trend, options: LayoutOptions): string {
  const trend = sanitizeTexts(original);
  const layout = new TerminalLayout(options);
  const { runs } = trend;
  const last = runs.at(-1);
  if (last === undefined) return joinParts([layout.prose(describeRange(trend))]);
  return joinParts([
    [
      ...layout.prose(describeResult(last), 0, layout.paintVerdict(last.verdict)),
      ...layout.prose(describeRange(trend)),
    ],
    renderTable(runs, layout),
    renderRemarks(trend, layout),
    ...groupByDepth(runs)
      .filter(({ charted }) => charted.length > 1)
      .map((group) => renderSparklines(group, layout)),
    renderViolations(trend, layout),
  ]);
}

type Column = readonly [heading: string, of: (run: NumberedRun) => string, side?: 'left'];

const columns: readonly Column[] = [
  ['run', (run) => `${remarkOn(run) === undefined ? '' : '*'}${run.number}`],
  ['started', ({ started_at }) => formatInstant(started_at).slice(5), 'left'],
  ['verdict', ({ verdict }) => verdict, 'left'],
  ...series.map(({ name, of, format }): Column => [name, (run) => format(of(run))]),
  ['depth', ({ depth }) => depth, 'left'],
  ['label', ({ label = '' }) => shortenLabel(label), 'left'],
];

/** A narrow terminal does without what the sparklines show too. */
function renderTable(runs: readonly NumberedRun[], layout: TerminalLayout): readonly string[] {
  const isLabelled = runs.some(({ label }) => label !== undefined);
  const without = [
    ...(layout.width < 80 ? ['requests', 'duration', 'label'] : []),
    ...(layout.width < 80 || groupByDepth(runs).length === 1 ? ['depth'] : []),
    ...(isLabelled ? [] : ['label']),
  ];
  const shown = columns.filter(([heading]) => !without.includes(heading));
  const rows = [shown.map(([heading]) => heading), ...runs.map((run) => shown.map(([, of]) => of(run)))];
  const widths = shown.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  const [heading = '', ...lines] = rows.map((cells) =>
    shown
      .map(([, , side], column) => {
        const [cell = '', width = 0] = [cells[column], widths[column]];
        return side === 'left' ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('  ')
      .trimEnd(),
  );
  const paint = (line: string, at: number) => layout.paintVerdict(runs[at]?.verdict ?? 'unjudged')(line);
  return [layout.paint.dim(heading), ...lines.map(paint)];
}

const remarksShown = 5;

function renderRemarks(trend: Trend, layout: TerminalLayout): readonly string[] {
  const remarks = trend.runs.flatMap((run) => {
    const remark = remarkOn(run);
    return remark === undefined ? [] : [`* Run ${run.number} ${remark}.`];
  });
  const more = remarks.length - remarksShown;
  return [
    ...remarks.slice(-remarksShown),
    ...(more > 0 ? [`* ${formatCount(more, 'earlier remark')} not shown.`] : []),
    ...warnOfTargets(trend),
  ].flatMap((text) => layout.prose(text, 0, layout.paint.yellow));
}

const blocks = '▁▂▃▄▅▆▇█';
const nameWidth = Math.max(...series.map(({ name }) => name.length));

function renderSparklines({ depth, charted }: DepthRuns, layout: TerminalLayout): readonly string[] {
  const lines = listCharts(charted).flatMap(({ figure, runs }) => {
    const range = describeSeries(figure, runs);
    const values = runs.map(figure.of);
    const lowest = Math.min(...values);
    const step = (blocks.length - 1) / (Math.max(...values) - lowest || 1);
    const room = Math.max(1, layout.width - nameWidth - range.length - 4);
    const line = values.slice(-room).map((value) => blocks.charAt(Math.round((value - lowest) * step)));
    const isLong = figure.name.length > nameWidth;
    const chart = `${(isLong ? '' : figure.name).padEnd(nameWidth)}  ${layout.paint.cyan(line.join(''))}  ${range}`;
    return isLong ? [figure.name, chart] : [chart];
  });
  return [layout.paint.bold(`Depth ${depth}`), ...lines];
}

function renderViolations(trend: Trend, layout: TerminalLayout): readonly string[] {
  const { violations } = trend;
  const gone = describeGone(trend);
  if (violations.length === 0) return gone.length === 0 ? ['Nothing failed in these runs.'] : gone;
  return [
    layout.paint.bold(`Violations (${violations.length})`),
    ...violations.flatMap((violation) => renderViolation(violation, trend, layout)),
    ...layout.prose(`One symbol per run: ${markLegend}`, 0, layout.paint.dim),
    ...gone,
  ];
}

function renderViolation(
  violation: ViolationHistory,
  trend: Trend,
  layout: TerminalLayout,
): readonly string[] {
  const { id, decides, first_seen, times_seen, now, marks } = violation;
  const { green, red, yellow } = layout.paint;
  const painter = now === 'gone' ? green : decides ? red : yellow;
  const seen = `first seen ${formatInstant(first_seen)}, in ${formatCount(times_seen, 'run')}`;
  const signs = marks.slice(-(layout.width - 2)).map((mark) => markSigns[mark].sign);
  return [
    ...layout.prose(`${id}${qualifyViolation(violation, trend)}`, 0, painter),
    ...layout.prose(`${seen}, ${describeStanding(violation)}`, 2),
    `  ${signs.join('')}`,
  ];
}
