import type { NumberedRun, Series } from './trend.js';
import { formatInstant } from './wording.js';

const chart = { width: 360, height: 150, left: 46, right: 350, top: 14, bottom: 128 };

/** A figure of each run as a bar; the table of runs has the numbers. */
export function TrendChart({
  series,
  runs,
}: {
  readonly series: Series;
  readonly runs: readonly NumberedRun[];
}) {
  const { name, meaning, of, format } = series;
  const values = runs.map(of);
  const last = format(values.at(-1) ?? 0);
  const highest = Math.max(1, ...values);
  const pitch = (chart.right - chart.left) / runs.length;
  const range = `${format(Math.min(...values))} and ${format(Math.max(...values))}`;
  const id = name.replace(' ', '-');
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
        <title id={`${id}-title`}>{`${capitalize(name)} by run`}</title>
        <desc id={`${id}-desc`}>{`${last} in the last run; between ${range} in ${values.length} runs.`}</desc>
        <Axes runs={runs} highest={format(highest)} />
        {runs.map((run, at) => {
          const height = (of(run) / highest) * (chart.bottom - chart.top);
          return (
            <rect
              key={run.number}
              class={`bar ${id}`}
              x={round(chart.left + pitch * (at + 0.1))}
              width={round(pitch * 0.8)}
              y={round(chart.bottom - height)}
              height={round(height)}
            >
              <title>{`run ${run.number}, ${formatInstant(run.started_at)}: ${format(of(run))}`}</title>
            </rect>
          );
        })}
      </svg>
    </figure>
  );
}

function Axes({ runs, highest }: { readonly runs: readonly NumberedRun[]; readonly highest: string }) {
  const day = (run: NumberedRun | undefined) =>
    run === undefined ? '' : `run ${run.number}, ${formatInstant(run.started_at).slice(0, 10)}`;
  const marks = [
    [chart.top, highest],
    [chart.bottom, '0'],
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
