import type { Trend } from '../trend.js';
import { describeTrend, figureNames, markLegend, type TrendChart, type TrendView } from '../trend-view.js';
import { formatCount } from '../wording.js';
import { renderDocument } from './document.js';
import { type Content, Fragment, h } from './markup.js';

/** Renders the last runs as a page that stands by itself. Text from the history is sanitized. */
export function renderTrendPage(trend: Trend): string {
  const view = describeTrend(trend);
  const { title, verdict } = view;
  return renderDocument({
    title: `plumbline trend: ${verdict ?? 'no runs'}`,
    verdict: verdict ?? 'unjudged',
    styles: ['pages'],
    children: (
      <main>
        <h1 class={`tone ${verdict}`}>{title}</h1>
        {verdict !== undefined && renderTrend(view)}
      </main>
    ),
  });
}

function renderTrend(view: TrendView): Content {
  return (
    <>
      <p>{view.range}</p>
      {view.warnings.map((warning) => (
        <p class="warning">{warning}</p>
      ))}
      {view.depths.map(({ depth, heading, charts, isPartial }) => (
        <section aria-labelledby={`depth-${depth}`}>
          <h2 id={`depth-${depth}`}>{heading}</h2>
          <div class="charts">{charts.map((chart) => renderChart(chart, depth))}</div>
          {isPartial && (
            <p class="quiet">The charts leave out runs that judged only a part; the table says which.</p>
          )}
        </section>
      ))}
      <section aria-labelledby="violations">
        <h2 id="violations">Violations</h2>
        {renderViolations(view)}
        <p class="quiet">{view.gone}</p>
      </section>
      <section aria-labelledby="runs">
        <h2 id="runs">Runs</h2>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard */}
        <section class="scroll" tabIndex={0} aria-label="Table of runs">
          {renderRuns(view)}
        </section>
      </section>
    </>
  );
}

const area = { width: 360, height: 150, left: 46, right: 350, top: 14, bottom: 128 };
// The requirements that fill the height of a chart: few enough for the loss of two to show.
const usualSpan = 10;

/** Draws a figure of each run as a dot; the table of runs has the numbers. */
function renderChart(chart: TrendChart, depth: string): Content {
  const { name, meaning, points, format, now, range } = chart;
  const { dots, edges, pitch } = placeDots(chart);
  const [first, last] = [points[0], points.slice(1).at(-1)].map(
    (point) => point && `${point.run}, ${point.started.slice(0, 10)}`,
  );
  return (
    <figure class={name.replace(' ', '-')}>
      <figcaption>
        <span>
          <b>{capitalize(name)}</b> <span class="quiet">{meaning}</span>
        </span>
        <b class="now">{now}</b>
      </figcaption>
      <svg
        viewBox={`0 0 ${area.width} ${area.height}`}
        role="img"
        aria-label={`${capitalize(name)} in ${formatCount(points.length, 'run')}, depth ${depth}: ${range}`}
      >
        {edges.map(([y, value]) => (
          <g>
            <line x1={area.left} x2={area.right} y1={y} y2={y} />
            <text x={area.left - 6} y={y + 4} text-anchor="end">
              {format(value)}
            </text>
          </g>
        ))}
        <text x={area.left} y={area.height - 6}>
          {first}
        </text>
        <text x={area.right} y={area.height - 6} text-anchor="end">
          {last}
        </text>
        <polyline points={dots.map(({ x, y }) => `${x},${y}`).join(' ')} />
        {dots.map(({ run, started, label, value, x, y }) => (
          <circle cx={x} cy={y} r={round(Math.min(4, Math.max(2, pitch / 3)))}>
            <title>{`${run}${label === '' ? '' : ` (${label})`}, ${started}: ${format(value)}`}</title>
          </circle>
        ))}
      </svg>
    </figure>
  );
}

/** Places a dot for each run, and the lines of the highest and the lowest value. */
function placeDots({ points, isFromZero, ...chart }: TrendChart) {
  const span = isFromZero ? 1 : usualSpan;
  const highest = Math.max(span, chart.highest);
  const lowest = isFromZero ? 0 : Math.max(0, Math.min(highest - span, chart.lowest));
  const pitch = (area.right - area.left) / points.length;
  const dots = points.map((point, at) => ({
    ...point,
    x: round(area.left + pitch * (at + 0.5)),
    y: round(area.bottom - ((point.value - lowest) / (highest - lowest)) * (area.bottom - area.top)),
  }));
  const edges = [
    [area.top, highest],
    [area.bottom, lowest],
  ] as const;
  return { dots, edges, pitch };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Every violation of the runs: when it first appeared, what each run says of it, and where it stands. */
function renderViolations({ violations }: TrendView): Content {
  if (violations.length === 0) return <p>Nothing failed in these runs.</p>;
  const rows = violations.map(({ id, qualifier, tone, firstSeen, seen, standing, marks }) => (
    <tr>
      <th scope="row">
        <span class="id">{id}</span>
        <span class="quiet">{qualifier}</span>
        <span class="marks" role="img" aria-label={marks.map(({ word }) => word).join(', ')}>
          {marks.map(({ sign, status }) => (
            <span class={`tone ${status}`}>{sign}</span>
          ))}
        </span>
      </th>
      <td>
        {firstSeen}, <span class="quiet">{seen}</span>
      </td>
      <td class={`tone ${tone}`}>{standing}</td>
    </tr>
  ));
  return [
    <p class="quiet">{`One symbol per run, the last one at the end: ${markLegend}`}</p>,
    renderTable(['Requirement', 'First seen', 'Now'], rows),
  ];
}

/** A table of the charted figures, latest run first, for readers who cannot see the charts. */
function renderRuns({ runs }: TrendView): Content {
  const headings = ['Run', 'Started, UTC', 'Depth', 'Verdict', ...figureNames.map(capitalize)];
  const rows = runs.toReversed().map(({ number, started, depth, verdict, remark, figures, ...run }) => {
    const name = [number, run.label !== '' && <code title={run.label}> {run.shortLabel}</code>];
    // An address of another kind could act.
    const isLink = /^https?:\/\//i.test(run.link ?? '');
    return (
      <tr>
        <th scope="row">
          {isLink ? (
            <a href={run.link} rel="noopener noreferrer">
              {name}
            </a>
          ) : (
            name
          )}
        </th>
        <td>{started}</td>
        <td>{depth}</td>
        <td>
          <span class={`tone ${verdict}`}>{verdict}</span> <span class="quiet">{remark}</span>
        </td>
        {figures.map((figure) => (
          <td class="figure">{figure}</td>
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
