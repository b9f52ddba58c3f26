import type { Report, ReportedCheck } from '../../spec/report.js';
import { durationText } from '../amount-text.js';
import { inLanes } from './lanes.js';
import { SlowestChecks } from './slowest-checks.js';
import { timeMarks } from './time-marks.js';
import { toldInLine } from './told.js';

const tallest = 480;
const lanePitch = { least: 1, most: 10 };
const axisHeight = 18;

/** When each check ran, and for how long. Rules on every response look on all the time and are left out. */
export function Timeline({ checks, run }: Pick<Report, 'checks' | 'run'>) {
  const timed = checks.filter((check) => check.started_ms > 0 || check.duration_ms > 0);
  if (timed.length === 0) return null;
  const end = Math.max(run.duration_ms, latest(timed));
  const { placed, lanes } = inLanes(timed);
  const pitch = Math.min(lanePitch.most, Math.max(lanePitch.least, tallest / lanes));
  const height = Math.ceil(lanes * pitch);
  const at = (ms: number): string => `${((100 * ms) / end).toFixed(3)}%`;
  return (
    <section id="timeline" aria-labelledby="timeline-heading">
      <h2 id="timeline-heading">Timeline</h2>
      <p class="lead">
        {timed.length} checks in {durationText(run.duration_ms)}, a bar each, side by side as they ran.
      </p>
      <svg
        class="timeline"
        width="100%"
        height={height + axisHeight}
        role="img"
        aria-label={`When each of ${timed.length} checks ran. The slowest are listed below.`}
      >
        {timeMarks(end).map((mark) => (
          <g key={mark} class="axis">
            <line x1={at(mark)} x2={at(mark)} y2={height} />
            <text x={at(mark)} y={height + 13} dx="3">
              {mark / 1000} s
            </text>
          </g>
        ))}
        {placed.map(({ span, lane }) => (
          <rect
            key={span.id}
            class={span.outcome}
            x={at(span.started_ms)}
            y={(lane * pitch).toFixed(1)}
            width={at(Math.max(span.duration_ms, end / 500))}
            height={Math.max(1, pitch - 2).toFixed(1)}
            data-goes-to={toldInLine(span.requirements[0] ?? '')}
          >
            <title>{`${toldInLine(span.id)}, ${durationText(span.duration_ms)}`}</title>
          </rect>
        ))}
      </svg>
      <SlowestChecks checks={timed} />
    </section>
  );
}

function latest(checks: readonly ReportedCheck[]): number {
  return checks.reduce((end, { started_ms, duration_ms }) => Math.max(end, started_ms + duration_ms), 1);
}
