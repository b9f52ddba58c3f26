import type { Report, ReportedCheck } from '../../spec/report.js';
import { formatDuration, formatNumber, outcomeWords } from '../wording.js';
import { safeAttribute, safeText } from './safe-text.js';

const tallest = 480;
const rowHeight = { least: 1, most: 10 };
const axisHeight = 18;

/** When each check ran, and for how long. Rules for every response watch all the time and are left out. */
export function Timeline({ checks, run }: Pick<Report, 'checks' | 'run'>) {
  const timed = checks.filter((check) => check.started_ms > 0 || check.duration_ms > 0);
  if (timed.length === 0) return null;
  const ends = timed.map(({ started_ms, duration_ms }) => started_ms + duration_ms);
  const end = ends.reduce((latest, one) => Math.max(latest, one), Math.max(run.duration_ms, 1));
  const { placed, rows } = placeInRows(timed);
  const pitch = Math.min(rowHeight.most, Math.max(rowHeight.least, tallest / rows));
  const height = Math.ceil(rows * pitch);
  const at = (ms: number): string => `${((100 * ms) / end).toFixed(3)}%`;
  return (
    <section id="timeline" aria-labelledby="timeline-heading">
      <h2 id="timeline-heading">Timeline</h2>
      <p class="lead">
        {timed.length} checks in {formatDuration(run.duration_ms)}, a bar for each.
      </p>
      <svg
        class="timeline"
        width="100%"
        height={height + axisHeight}
        role="img"
        aria-label={`When each of ${timed.length} checks ran. The slowest are listed below.`}
      >
        {listTimeMarks(end).map((mark) => (
          <g key={mark} class="axis">
            <line x1={at(mark)} x2={at(mark)} y2={height} />
            <text x={at(mark)} y={height + 13} dx="3">
              {mark / 1000} s
            </text>
          </g>
        ))}
        {placed.map(({ span, row }) => (
          <rect
            key={span.id}
            class={span.outcome}
            x={at(span.started_ms)}
            y={(row * pitch).toFixed(1)}
            width={at(Math.max(span.duration_ms, end / 500))}
            height={Math.max(1, pitch - 2).toFixed(1)}
            data-goes-to={safeAttribute(span.requirements[0] ?? '')}
          >
            <title>{`${safeAttribute(span.id)}, ${formatDuration(span.duration_ms)}`}</title>
          </rect>
        ))}
      </svg>
      <SlowestChecks checks={timed} />
    </section>
  );
}

/** Places spans by their start, each in the first row that is free then; rows are counted from 0. */
export function placeInRows<T extends Pick<ReportedCheck, 'started_ms' | 'duration_ms'>>(
  spans: readonly T[],
): { readonly placed: readonly { readonly span: T; readonly row: number }[]; readonly rows: number } {
  const freeFrom: number[] = [];
  const placed = [...spans]
    .sort((one, other) => one.started_ms - other.started_ms)
    .map((span) => {
      const free = freeFrom.findIndex((from) => from <= span.started_ms);
      const row = free === -1 ? freeFrom.length : free;
      freeFrom[row] = span.started_ms + span.duration_ms;
      return { span, row };
    });
  return { placed, rows: freeFrom.length };
}

/** Lists round moments between 0 and the end of a run, at most eight, in milliseconds. */
export function listTimeMarks(endMs: number): readonly number[] {
  if (!(endMs > 0)) return [0];
  const magnitude = 10 ** Math.floor(Math.log10(endMs / 8));
  const step = [1, 2, 5, 10].map((factor) => factor * magnitude).find((one) => endMs / one <= 8) ?? endMs;
  return Array.from({ length: Math.floor(endMs / step) + 1 }, (_, index) => index * step);
}

const slowestShown = 10;

function SlowestChecks({ checks }: Pick<Report, 'checks'>) {
  const slowest = [...checks]
    .sort((one, other) => other.duration_ms - one.duration_ms)
    .slice(0, slowestShown);
  const figures = ['requests', 'started at', 'duration'];
  return (
    <table class="slowest">
      <caption>The slowest checks</caption>
      <thead>
        <tr>
          <th scope="col">check</th>
          <th scope="col">outcome</th>
          {figures.map((name) => (
            <th key={name} scope="col" class="figure">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {slowest.map(({ id, requirements: [first = ''], outcome, requests, started_ms, duration_ms }) => (
          <tr key={id}>
            <th scope="row">
              <a class="id" href={`#${safeAttribute(first)}`}>
                {safeText(id)}
              </a>
            </th>
            <td>{outcomeWords[outcome]}</td>
            <td class="figure">{formatNumber(requests)}</td>
            <td class="figure">{formatDuration(started_ms)}</td>
            <td class="figure">{formatDuration(duration_ms)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
