import { scaleBand, scaleLinear, scalePoint } from 'd3-scale';
import { area, line } from 'd3-shape';
import type { JSX } from 'preact';
import type { NumberedRun } from './numbered-run.js';
import type { Series } from './series.js';
import { instantText } from './trend-words.js';

const width = 360;
const height = 150;
const frame = { left: 46, right: 10, top: 10, bottom: 22 };
const dotsAtMost = 60;
const gridLines = 3;

/** What a chart draws. */
interface ChartProps {
  readonly series: Series;
  readonly runs: readonly NumberedRun[];
}

/** A figure over the runs: bars where nothing is the good news, a curve elsewhere. The table of runs has it in numbers. */
export function TrendChart({ series, runs }: ChartProps): JSX.Element {
  const { name, meaning, of, text } = series;
  const values = runs.map(of);
  const last = values.at(-1) ?? 0;
  const isCount = name === 'violated' || name === 'unproven';
  const ids = { title: `${name}-title`, desc: `${name}-desc` };
  return (
    <figure>
      <figcaption>
        <span>
          {capital(name)} <span class="quiet">{meaning}</span>
        </span>
        <b>{text(last)}</b>
      </figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-labelledby={`${ids.title} ${ids.desc}`}>
        <title id={ids.title}>{`${capital(name)} by run`}</title>
        <desc id={ids.desc}>
          {`${text(last)} in the last run; between ${text(Math.min(...values))} and ${text(Math.max(...values))} in ${values.length} runs.`}
        </desc>
        <Axes series={series} runs={runs} />
        {isCount ? <Bars series={series} runs={runs} /> : <Curve series={series} runs={runs} />}
      </svg>
    </figure>
  );
}

/** From nothing to a little above the highest value, in steps that read well. */
function heightScale({ series: { of }, runs }: ChartProps) {
  const highest = Math.max(1, ...runs.map(of));
  return scaleLinear()
    .domain([0, highest])
    .nice(gridLines)
    .range([height - frame.bottom, frame.top]);
}

function Axes({ series, runs }: ChartProps): JSX.Element {
  const y = heightScale({ series, runs });
  const [first, last] = [runs[0], runs.at(-1)];
  const isAlone = runs.length < 2;
  const ticks = ticksOf(y, series);
  const highest = ticks.at(-1) ?? 0;
  return (
    <g>
      {ticks.map((tick) => (
        <g key={tick}>
          <line class="grid" x1={frame.left} x2={width - frame.right} y1={y(tick)} y2={y(tick)} />
          <text x={frame.left - 6} y={y(tick) + 4} text-anchor="end">
            {axisText(tick, highest, series)}
          </text>
        </g>
      ))}
      <text x={frame.left} y={height - 6}>
        {first === undefined ? '' : dayText(first)}
      </text>
      <text x={width - frame.right} y={height - 6} text-anchor="end">
        {last === undefined || isAlone ? '' : dayText(last)}
      </text>
    </g>
  );
}

/** Half a requirement says nothing. */
function ticksOf(y: ReturnType<typeof heightScale>, { name }: Series): readonly number[] {
  const ticks = y.ticks(gridLines);
  return name === 'duration' ? ticks : ticks.filter(Number.isInteger);
}

const longestInSeconds = 120_000;

/** Short enough for the edge of the chart: durations in one unit. */
function axisText(tick: number, highest: number, { name, text }: Series): string {
  if (name !== 'duration') return text(tick);
  if (tick === 0) return '0';
  return highest <= longestInSeconds ? `${tick / 1000} s` : `${Math.round(tick / 6_000) / 10} min`;
}

function dayText({ started_at, number }: NumberedRun): string {
  return `run ${number}, ${instantText(started_at).slice(0, 10)}`;
}

function Bars({ series, runs }: ChartProps): JSX.Element {
  const y = heightScale({ series, runs });
  const x = scaleBand<number>()
    .domain(runs.map(({ number }) => number))
    .range([frame.left, width - frame.right])
    .padding(0.25);
  return (
    <g>
      {runs.map((run) => {
        const value = series.of(run);
        const top = y(value);
        return (
          <rect
            key={run.number}
            class={`bar ${series.name}`}
            x={rounded(x(run.number) ?? 0)}
            width={rounded(x.bandwidth())}
            y={rounded(top)}
            height={rounded(y(0) - top)}
          >
            <title>{pointText(run, series)}</title>
          </rect>
        );
      })}
    </g>
  );
}

function Curve({ series, runs }: ChartProps): JSX.Element {
  const y = heightScale({ series, runs });
  const x = scalePoint<number>()
    .domain(runs.map(({ number }) => number))
    .range([frame.left, width - frame.right])
    .padding(0.5);
  const across = ({ number }: NumberedRun) => x(number) ?? 0;
  const up = (run: NumberedRun) => y(series.of(run));
  const curve = line<NumberedRun>(across, up).digits(1);
  const below = area<NumberedRun>(across, y(0), up).digits(1);
  return (
    <g>
      <path class="below" d={below([...runs]) ?? ''} />
      <path class="curve" d={curve([...runs]) ?? ''} />
      {runs.length <= dotsAtMost &&
        runs.map((run) => (
          <circle key={run.number} class="dot" cx={rounded(across(run))} cy={rounded(up(run))} r="3">
            <title>{pointText(run, series)}</title>
          </circle>
        ))}
    </g>
  );
}

function pointText(run: NumberedRun, { name, of, text }: Series): string {
  return `run ${run.number}, ${instantText(run.started_at)}: ${text(of(run))}${name === 'duration' ? '' : ` ${name}`}`;
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
