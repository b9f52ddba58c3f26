import { type NumberedRun, nameRun, remarkOn, type Series, scaleOf } from './trend.js';
import { formatInstant } from './wording.js';

const chart = { width: 360, height: 150, left: 46, right: 350, top: 14, bottom: 128 };

/**
 * A figure of each run as a dot; the table of runs has the numbers. The dot of a run that judged only a part is hollow, and
 * where it is beyond the scale of the others it stands at its edge.
 */
export function TrendChart({
  series,
  runs,
  depth,
}: {
  readonly series: Series;
  readonly runs: readonly NumberedRun[];
  readonly depth: string;
}) {
  const { name, meaning, of, format } = series;
  const values = runs.map(of);
  const last = format(values.at(-1) ?? 0);
  const [lowest, highest] = scaleOf(series, runs);
  const pitch = (chart.right - chart.left) / runs.length;
  const range = `${format(Math.min(...values))} and ${format(Math.max(...values))}`;
  const kind = name.replace(' ', '-');
  const id = `${depth}-${kind}`;
  const dots = runs.map((run, at) => {
    const value = Math.min(highest, Math.max(lowest, of(run)));
    const y = chart.bottom - ((value - lowest) / (highest - lowest)) * (chart.bottom - chart.top);
    return { run, x: round(chart.left + pitch * (at + 0.5)), y: round(y) };
  });
  return (
    <figure>
      <figcaption>
        <span>
          {capitalize(name)} <span class="quiet">{meaning}</span>
        </span>
        <b>{last}</b>
      </figcaption>
      <svg
        viewBox={`0 0 ${chart.width} ${chart.height}`}
        role="img"
        aria-labelledby={`${id}-title ${id}-desc`}
      >
        <title id={`${id}-title`}>{`${capitalize(name)} by run, depth ${depth}`}</title>
        <desc id={`${id}-desc`}>{`${last} in the last run; between ${range} in ${values.length} runs.`}</desc>
        <Axes runs={runs} range={[format(lowest), format(highest)]} />
        <polyline class={`line ${kind}`} points={dots.map(({ x, y }) => `${x},${y}`).join(' ')} />
        {dots.map(({ run, x, y }) => (
          <circle
            key={run.number}
            class={`dot ${kind}${remarkOn(run) === undefined ? '' : ' partial'}`}
            cx={x}
            cy={y}
            r={round(Math.min(4, Math.max(2, pitch / 3)))}
          >
            <title>{`${nameRun(run)}, ${formatInstant(run.started_at)}: ${format(of(run))}`}</title>
          </circle>
        ))}
      </svg>
    </figure>
  );
}

function Axes({
  runs,
  range: [lowest, highest],
}: {
  readonly runs: readonly NumberedRun[];
  readonly range: readonly [string, string];
}) {
  const day = (run: NumberedRun | undefined) =>
    run === undefined ? '' : `run ${run.number}, ${formatInstant(run.started_at).slice(0, 10)}`;
  const marks = [
    [chart.top, highest],
    [chart.bottom, lowest],
  ] as const;
  return (
    <g>
      {marks.map(([y, text]) => (
        <g key={y}>
          <line class="grid" x1={chart.left} x2={chart.right} y1={y} y2={y} />
          <text x={chart.left - 6} y={y + 4} text-anchor="end">
            {text}
          </text>
        </g>
      ))}
      <text x={chart.left} y={chart.height - 6}>
        {day(runs[0])}
      </text>
      <text x={chart.right} y={chart.height - 6} text-anchor="end">
        {runs.length < 2 ? '' : day(runs.at(-1))}
      </text>
    </g>
  );
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Returns a word with a capital. */
export function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
