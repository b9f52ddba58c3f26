import { joinParts, type LayoutOptions, TerminalLayout } from './terminal-layout.js';
import type { Trend } from './trend.js';
import { describeTrend, figureNames, markLegend, type TrendView } from './trend-view.js';
import { formatCount } from './wording.js';

/** Renders the last runs for a terminal. Ends with a line end; text from the history is sanitized. */
export function renderTrendTerminal(trend: Trend, options: LayoutOptions): string {
  const view = describeTrend(trend);
  const layout = new TerminalLayout(options);
  const { title, verdict, range, depths } = view;
  if (verdict === undefined) return joinParts([layout.prose(title)]);
  return joinParts([
    [...layout.prose(title, 0, layout.paintVerdict(verdict)), ...layout.prose(range)],
    renderTable(view, layout),
    renderRemarks(view, layout),
    ...depths
      .filter(({ charts: [first] }) => first !== undefined && first.line.length > 1)
      .map((group) => renderCharts(group, layout)),
    renderViolations(view, layout),
  ]);
}

type Run = TrendView['runs'][number];
type Column = readonly [heading: string, of: (run: Run) => string, side?: 'left'];

/** The table has the figures that decide; the charts have all of them. */
const columns: readonly Column[] = [
  ['run', ({ number, remark }) => `${remark === '' ? '' : '*'}${number}`],
  ['started', ({ started }) => started.slice(5), 'left'],
  ['verdict', ({ verdict }) => verdict, 'left'],
  ...figureNames.slice(0, 3).map((name, at): Column => [name, ({ figures }) => figures[at] ?? '']),
  ['depth', ({ depth }) => depth, 'left'],
  ['label', ({ shortLabel }) => shortLabel, 'left'],
];

function renderTable({ runs, depths }: TrendView, layout: TerminalLayout): readonly string[] {
  const without = [
    ...(depths.length === 1 ? ['depth'] : []),
    ...(runs.every(({ label }) => label === '') ? ['label'] : []),
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

function renderRemarks({ runs, warnings }: TrendView, layout: TerminalLayout): readonly string[] {
  const remarks = runs
    .filter(({ remark }) => remark !== '')
    .map(({ number, remark }) => `* Run ${number} ${remark}.`);
  const more = remarks.length - remarksShown;
  return [
    ...remarks.slice(-remarksShown),
    ...(more > 0 ? [`* ${formatCount(more, 'earlier remark')} not shown.`] : []),
    ...warnings,
  ].flatMap((text) => layout.prose(text, 0, layout.paint.yellow));
}

const nameWidth = Math.max(...figureNames.map(({ length }) => length));

function renderCharts({ heading, charts }: TrendView['depths'][number], layout: TerminalLayout) {
  const lines = charts.flatMap(({ name, line, range }) => {
    const room = Math.max(1, layout.width - nameWidth - range.length - 4);
    const isLong = name.length > nameWidth;
    const chart = `${(isLong ? '' : name).padEnd(nameWidth)}  ${layout.paint.cyan(line.slice(-room))}  ${range}`;
    return isLong ? [name, chart] : [chart];
  });
  return [layout.paint.bold(heading), ...lines];
}

function renderViolations({ violations, gone }: TrendView, layout: TerminalLayout): readonly string[] {
  if (violations.length === 0) return gone.length === 0 ? ['Nothing failed in these runs.'] : gone;
  const { bold, dim, green, red, yellow } = layout.paint;
  return [
    bold(`Violations (${violations.length})`),
    ...violations.flatMap(({ id, qualifier, tone, firstSeen, seen, standing, marks }) => [
      ...layout.prose(`${id}${qualifier}`, 0, tone === 'pass' ? green : tone === 'fail' ? red : yellow),
      ...layout.prose(`first seen ${firstSeen}, ${seen}, ${standing}`, 2),
      `  ${marks
        .slice(-(layout.width - 2))
        .map(({ sign }) => sign)
        .join('')}`,
    ]),
    ...layout.prose(`One symbol per run: ${markLegend}`, 0, dim),
    ...gone,
  ];
}
