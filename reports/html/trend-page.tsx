import type { Trend } from '../trend.js';
import { describeTrend, figureNames, markLegend, type TrendView } from '../trend-view.js';
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
      {view.depths.map((depth) => (
        <section>
          <h2>{depth.heading}</h2>
          <table>
            <tbody>{renderCharts(depth)}</tbody>
          </table>
          {depth.isPartial && <p class="quiet">The charts leave out partial runs; the table marks them.</p>}
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

/** Renders each figure of a depth as a line of blocks; the table of runs has the numbers. */
function renderCharts({ heading, charts }: TrendView['depths'][number]): Content {
  return charts.map(({ name, line, range }) => (
    <tr>
      <th scope="row">{capitalize(name)}</th>
      <td>
        <span class="chart" role="img" aria-label={`${name}, ${heading}: ${range}`}>
          {line}
        </span>
      </td>
      <td>{range}</td>
    </tr>
  ));
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

/** A table of the charted figures, the latest run first. */
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
