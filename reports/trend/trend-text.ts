import { type Point, plot } from 'simple-ascii-chart';
import type { Verdict } from '../../spec/report.js';
import { counted } from '../amount-text.js';
import { withInertTexts } from '../inert-text.js';
import { type Paint, type Painter, Sheet } from '../sheet.js';
import { columnsOf } from '../wrapped-text.js';
import type { NumberedRun } from './numbered-run.js';
import { type Series, series } from './series.js';
import { sparkline } from './sparkline.js';
import type { Trend } from './trend.js';
import {
  instantText,
  markSigns,
  nowText,
  rangeText,
  remarkOn,
  returnsText,
  standing,
  targetsRemark,
} from './trend-words.js';
import type { ViolationCourse } from './violation-course.js';

/**
 * The last runs for a terminal: how it stands, a line for each run, the violated requirements drawn, every figure as a
 * sparkline, and the course of each violation. Ends with a line end. Text from the history is made inert.
 */
export function trendText(
  trend: Trend,
  options: { readonly color: boolean; readonly width: number },
): string {
  const told = withInertTexts(trend);
  const sheet = new Sheet(options);
  const parts =
    told.runs.length === 0
      ? [sheet.prose(rangeText(told))]
      : [
          headLines(told, sheet),
          tableLines(told.runs, sheet),
          remarkLines(told, sheet),
          chartLines(told.runs, sheet),
          sparkLines(told.runs, sheet),
          violationLines(told, sheet),
        ];
  return `${parts
    .filter((part) => part.length > 0)
    .map((part) => part.join('\n'))
    .join('\n\n')}\n`;
}

const verdictPainters: Readonly<Record<Verdict, (paint: Paint) => Painter>> = {
  conformant: (paint) => paint.green,
  'non-conformant': (paint) => paint.red,
  incomplete: (paint) => paint.yellow,
  unjudged: (paint) => paint.magenta,
};

function headLines(trend: Trend, sheet: Sheet): readonly string[] {
  const verdict = trend.runs.at(-1)?.verdict ?? 'unjudged';
  const painter: Painter = (line) => sheet.paint.bold(verdictPainters[verdict](sheet.paint)(line));
  return [...sheet.prose(nowText(trend), 0, painter), ...sheet.prose(rangeText(trend))];
}

interface Column {
  readonly heading: string;
  readonly of: (run: NumberedRun) => string;
  readonly side: 'left' | 'right';
  /** Left out where the terminal is narrow: the sparklines have it too. */
  readonly onlyWhereRoomy?: boolean;
}

const columns: readonly Column[] = [
  { heading: 'run', of: (run) => `${remarkOn(run) === undefined ? '' : '*'}${run.number}`, side: 'right' },
  { heading: 'started', of: ({ started_at }) => instantText(started_at).slice(5), side: 'left' },
  { heading: 'verdict', of: ({ verdict }) => verdict, side: 'left' },
  ...series.map(
    ({ name, of, text }): Column => ({
      heading: name,
      of: (run) => text(of(run)),
      side: 'right',
      onlyWhereRoomy: name === 'requests' || name === 'duration',
    }),
  ),
];

const roomy = 80;

function tableLines(runs: readonly NumberedRun[], sheet: Sheet): readonly string[] {
  const shown = columns.filter(({ onlyWhereRoomy }) => onlyWhereRoomy !== true || sheet.width >= roomy);
  const widths = shown.map(({ heading, of }) =>
    Math.max(heading.length, ...runs.map((run) => columnsOf(of(run)))),
  );
  const lineOf = (cellOf: (column: Column) => string, painterOf: (column: Column) => Painter) =>
    shown
      .map((column, at) => {
        const blanks = ' '.repeat(Math.max(0, (widths[at] ?? 0) - columnsOf(cellOf(column))));
        const cell = painterOf(column)(cellOf(column));
        return column.side === 'left' ? cell + blanks : blanks + cell;
      })
      .join('  ')
      .trimEnd();
  return [
    lineOf(
      ({ heading }) => heading,
      () => sheet.paint.dim,
    ),
    ...runs.map((run) =>
      lineOf(
        ({ of }) => of(run),
        (column) => cellPainter(column, run, sheet),
      ),
    ),
  ];
}

function cellPainter({ heading }: Column, run: NumberedRun, { paint }: Sheet): Painter {
  if (heading === 'verdict') return verdictPainters[run.verdict](paint);
  return heading === 'violated' && run.violated.length > 0 ? paint.red : (text) => text;
}

const remarksTold = 5;

function remarkLines(trend: Trend, sheet: Sheet): readonly string[] {
  const remarks = trend.runs.flatMap((run) => {
    const remark = remarkOn(run);
    return remark === undefined ? [] : [`* Run ${run.number} ${remark}.`];
  });
  const more = remarks.length - remarksTold;
  const targets = targetsRemark(trend);
  return [
    ...remarks.slice(-remarksTold),
    ...(more > 0 ? [`* ${counted(more, 'earlier run')} of these too.`] : []),
    ...(targets === undefined ? [] : [targets]),
  ].flatMap((text) => sheet.prose(text, 0, sheet.paint.yellow));
}

const chartHeight = 6;
const axisRoom = 8;
const fewestRuns = 2;
const ticksAtMost = 8;

/** The violated requirements of each run as a line; nothing where it would be a flat one. */
function chartLines(runs: readonly NumberedRun[], sheet: Sheet): readonly string[] {
  const width = sheet.width - axisRoom;
  const drawn = runs.slice(-width);
  const counts = drawn.map(({ violated }) => violated.length);
  const highest = Math.max(...counts);
  if (drawn.length < fewestRuns || highest === 0) return [];
  const chart = plot(
    drawn.map(({ number }, at): Point => [number, counts[at] ?? 0]),
    {
      width,
      height: Math.min(chartHeight, highest + 1),
      yRange: [0, highest],
      customXAxisTicks: [...ticksOf(drawn.map(({ number }) => number))],
      ...(sheet.paint.isColorSupported ? { color: 'ansiRed' as const } : {}),
    },
  );
  const lines = chart.split('\n').map((line) => line.trimEnd());
  return [sheet.paint.bold('Violated requirements by run'), ...lines.filter((line) => line !== '')];
}

function ticksOf(numbers: readonly number[]): readonly number[] {
  const step = Math.ceil(numbers.length / ticksAtMost);
  return numbers.filter((_, at) => (numbers.length - 1 - at) % step === 0);
}

const nameWidth = Math.max(...series.map(({ name }) => name.length));

function sparkLines(runs: readonly NumberedRun[], sheet: Sheet): readonly string[] {
  if (runs.length < fewestRuns) return [];
  return series.map((one) => sparkLine(one, runs, sheet));
}

function sparkLine({ name, of, text }: Series, runs: readonly NumberedRun[], sheet: Sheet): string {
  const values = runs.map(of);
  const [lowest, highest, last] = [Math.min(...values), Math.max(...values), values.at(-1) ?? 0];
  const range = lowest === highest ? text(last) : `${text(last)} now, ${text(lowest)} to ${text(highest)}`;
  const room = sheet.width - nameWidth - range.length - 4;
  const line = sparkline(values.slice(-Math.max(1, room)));
  return `${sheet.paint.dim(name.padEnd(nameWidth))}  ${sheet.paint.cyan(line)}  ${range}`;
}

function violationLines({ violations, gone_before, runs }: Trend, sheet: Sheet): readonly string[] {
  const gone = gone_before === 0 ? [] : [`${counted(gone_before, 'violation')} gone before these runs.`];
  if (violations.length === 0)
    return [...(gone.length === 0 ? ['Nothing was violated in these runs.'] : gone)];
  const legend = Object.values(markSigns)
    .map(({ sign, word }) => `${sign} ${word}`)
    .join(', ');
  return [
    sheet.paint.bold(`Violations (${violations.length})`),
    ...violations.flatMap((violation) => oneViolation(violation, sheet)),
    ...(runs.length < fewestRuns ? [] : sheet.prose(`A sign for each run: ${legend}`, 0, sheet.paint.dim)),
    ...gone,
  ];
}

function oneViolation(violation: ViolationCourse, sheet: Sheet): readonly string[] {
  const { id, decides, first_seen, times_seen, now, marks } = violation;
  const painter = now === 'gone' ? sheet.paint.green : decides ? sheet.paint.red : sheet.paint.yellow;
  const signs = marks
    .slice(-(sheet.width - 2))
    .map((mark) => markSigns[mark].sign)
    .join('');
  const since = violation.gone_since === null ? '' : ` since ${instantText(violation.gone_since)}`;
  const seen = [
    `first seen ${instantText(first_seen)}`,
    `in ${counted(times_seen, 'run')}`,
    `${standing(violation)}${since}`,
    returnsText(violation),
  ];
  return [
    ...sheet.prose(`${id}${decides ? '' : ' (advisory)'}`, 0, painter),
    ...sheet.prose(seen.filter((part) => part !== '').join(', '), 2),
    ...(marks.length < fewestRuns ? [] : [`  ${signs}`]),
  ];
}
