import type { Verdict } from '../../spec/report.js';
import { sanitizeTexts } from '../sanitize.js';
import {
  type Chart,
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
  nameRun,
  qualifyViolation,
  remarkOn,
  series,
  shortenLabel,
  type Trend,
  warnOfTargets,
} from '../trend.js';
import { formatCount, formatInstant, shortList } from '../wording.js';
import { renderDocument } from './document.js';
import { type Content, Fragment, h } from './markup.js';

/** Renders the last runs as a page that stands by itself. Text from the history is sanitized. */
export function renderTrendPage(original: Trend): string {
  const trend = sanitizeTexts(original);
  const last = trend.runs.at(-1);
  return renderDocument({
    title: `plumbline trend: ${last?.verdict ?? 'no runs'}`,
    verdict: last?.verdict ?? 'unjudged',
    styles: ['pages'],
    children: <main>{last === undefined ? <h1>{describeRange(trend)}</h1> : renderTrend(trend, last)}</main>,
  });
}

function renderTrend(trend: Trend, last: NumberedRun): Content {
  const { runs, targets, broken_lines: invalid } = trend;
  const lines = invalid.map(({ line }) => String(line));
  const unread = `${formatCount(lines.length, 'line')} of the history could not be read: ${shortList(lines, 10)}.`;
  return (
    <>
      <h1 class={`tone ${last.verdict}`}>{describeResult(last)}</h1>
      <p>{describeRange(trend)}</p>
      {targets.length === 1 && <p class="quiet">{targets[0]}</p>}
      {[...warnOfTargets(trend), ...(lines.length === 0 ? [] : [unread])].map((warning) => (
        <p class="warning">{warning}</p>
      ))}
      {groupByDepth(runs).map(({ depth, runs: own, charted }) => (
        <section aria-labelledby={`depth-${depth}`}>
          <h2 id={`depth-${depth}`}>{`Depth ${depth}, ${formatCount(own.length, 'run')}`}</h2>
          {renderVerdicts(own)}
          <div class="charts">{listCharts(charted).map((one) => renderChart(one, depth))}</div>
          {charted.length < own.length && (
            <p class="quiet">The charts leave out runs that judged only a part; the table says which.</p>
          )}
        </section>
      ))}
      <section aria-labelledby="violations">
        <h2 id="violations">Violations</h2>
        {renderViolations(trend)}
        <p class="quiet">{describeGone(trend)}</p>
      </section>
      <section aria-labelledby="runs">
        <h2 id="runs">Runs</h2>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard */}
        <section class="scroll" tabIndex={0} aria-label="Table of runs">
          {renderRuns(runs)}
        </section>
      </section>
    </>
  );
}

const verdictSigns: Readonly<Record<Verdict, string>> = {
  conformant: '✓',
  'non-conformant': '✗',
  incomplete: '?',
  unjudged: '·',
};

/** A sign for the verdict of each run, oldest first: colour alone never carries the meaning. */
function renderVerdicts(runs: readonly NumberedRun[]): Content {
  const seen = [...new Set(runs.map(({ verdict }) => verdict))];
  return (
    <>
      <ol class="strip">
        {runs.map((run) => {
          const label = `${nameRun(run)}, ${formatInstant(run.started_at)}: ${run.verdict}`;
          const sign = (
            <span role="img" aria-label={label}>
              {verdictSigns[run.verdict]}
            </span>
          );
          return (
            <li class={`tone ${run.verdict}`} title={label}>
              {linkRun(run, sign)}
            </li>
          );
        })}
      </ol>
      <p class="quiet">{seen.map((verdict) => `${verdictSigns[verdict]} ${verdict}`).join(', ')}</p>
    </>
  );
}

const chart = { width: 360, height: 150, left: 46, right: 350, top: 14, bottom: 128 };
// So many rows take up the height of a chart: the loss of two of them shows.
const usualSpan = 10;

/** Draws a figure of each run as a dot; the table of runs has the numbers. */
function renderChart({ figure, runs }: Chart, depth: string): Content {
  const { name, meaning, of, format, isFromZero, leastSpan = usualSpan } = figure;
  const values = runs.map(of);
  const highest = Math.max(leastSpan, ...values);
  const lowest = isFromZero === true ? 0 : Math.max(0, Math.min(highest - leastSpan, ...values));
  const pitch = (chart.right - chart.left) / runs.length;
  const dots = runs.map((run, at) => ({
    run,
    x: round(chart.left + pitch * (at + 0.5)),
    y: round(chart.bottom - ((of(run) - lowest) / (highest - lowest)) * (chart.bottom - chart.top)),
  }));
  const edges = [
    [chart.top, highest],
    [chart.bottom, lowest],
  ] as const;
  return (
    <figure class={name.replace(' ', '-')}>
      <figcaption>
        <span>
          <b>{capitalize(name)}</b> <span class="quiet">{meaning}</span>
        </span>
        <b class="now">{format(values.at(-1) ?? 0)}</b>
      </figcaption>
      <svg
        viewBox={`0 0 ${chart.width} ${chart.height}`}
        role="img"
        aria-label={`${capitalize(name)} in ${formatCount(runs.length, 'run')}, depth ${depth}: ${describeSeries(figure, runs)}`}
      >
        {edges.map(([y, value]) => (
          <g>
            <line x1={chart.left} x2={chart.right} y1={y} y2={y} />
            <text x={chart.left - 6} y={y + 4} text-anchor="end">
              {format(value)}
            </text>
          </g>
        ))}
        <text x={chart.left} y={chart.height - 6}>
          {nameDay(runs[0])}
        </text>
        <text x={chart.right} y={chart.height - 6} text-anchor="end">
          {runs.length > 1 && nameDay(runs.at(-1))}
        </text>
        <polyline points={dots.map(({ x, y }) => `${x},${y}`).join(' ')} />
        {dots.map(({ run, x, y }) => (
          <circle cx={x} cy={y} r={round(Math.min(4, Math.max(2, pitch / 3)))}>
            <title>{`${nameRun(run)}, ${formatInstant(run.started_at)}: ${format(of(run))}`}</title>
          </circle>
        ))}
      </svg>
    </figure>
  );
}

function nameDay(run: NumberedRun | undefined): string {
  return run === undefined ? '' : `run ${run.number}, ${formatInstant(run.started_at).slice(0, 10)}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Links to what the history names of a run; an address of another kind could act. */
function linkRun({ link }: NumberedRun, content: Content): Content {
  if (link === undefined || !/^https?:\/\//i.test(link)) return content;
  return (
    <a href={link} rel="noopener noreferrer">
      {content}
    </a>
  );
}

/** Every violation of the runs: when it first appeared, what each run says of it, and where it stands. */
function renderViolations(trend: Trend): Content {
  if (trend.violations.length === 0) return <p>Nothing failed in these runs.</p>;
  const rows = trend.violations.map((violation) => {
    const { id, decides, first_seen, times_seen, now, marks } = violation;
    return (
      <tr>
        <th scope="row">
          <span class="id">{id}</span>
          <span class="quiet">{qualifyViolation(violation, trend)}</span>
          <span class="marks" role="img" aria-label={marks.map((mark) => markSigns[mark].word).join(', ')}>
            {marks.map((mark) => (
              <span class={`tone ${markSigns[mark].status}`}>{markSigns[mark].sign}</span>
            ))}
          </span>
        </th>
        <td>
          {formatInstant(first_seen)}, <span class="quiet">in {formatCount(times_seen, 'run')}</span>
        </td>
        <td class={`tone ${now === 'gone' ? 'pass' : decides ? 'fail' : 'inconclusive'}`}>
          {describeStanding(violation)}
        </td>
      </tr>
    );
  });
  return [
    <p class="quiet">{`One symbol per run, the last one at the end: ${markLegend}`}</p>,
    renderTable(['Requirement', 'First seen', 'Now'], rows),
  ];
}

/** A table of the charted figures, latest run first, for readers who cannot see the charts. */
function renderRuns(runs: readonly NumberedRun[]): Content {
  const headings = ['Run', 'Started, UTC', 'Depth', 'Verdict', ...series.map(({ name }) => capitalize(name))];
  const rows = runs.toReversed().map((run) => {
    const { number, label, verdict } = run;
    const name = [number, label !== undefined && <code title={label}> {shortenLabel(label)}</code>];
    return (
      <tr>
        <th scope="row">{linkRun(run, name)}</th>
        <td>{formatInstant(run.started_at)}</td>
        <td>{run.depth}</td>
        <td>
          <span class={`tone ${verdict}`}>{verdict}</span> <span class="quiet">{remarkOn(run)}</span>
        </td>
        {series.map(({ of, format }) => (
          <td class="figure">{format(of(run))}</td>
        ))}
      </tr>
    );
  });
  return renderTable(headings, rows);
}

function renderTable(headings: readonly string[], rows: Content): Content {
  return (
    <table>
      <thead>
        <tr>
          {headings.map((heading) => (
            <th scope="col">{heading}</th>
          ))}
        </tr>
      </thead>
      <tbody>{rows}</tbody>
    </table>
  );
}
