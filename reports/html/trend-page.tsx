import type { Verdict } from '../../spec/report.js';
import { sanitizeTexts } from '../sanitize.js';
import {
  type Chart,
  type DepthRuns,
  describeGone,
  describeLast,
  describeRange,
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
  const verdict = trend.runs.at(-1)?.verdict;
  return renderDocument({
    title: `plumbline trend: ${verdict ?? 'no runs'}`,
    verdict: verdict ?? 'unjudged',
    styles: ['pages'],
    children: (
      <main>
        {verdict === undefined ? <h1>{describeRange(trend)}</h1> : <Story trend={trend} verdict={verdict} />}
      </main>
    ),
  });
}

function Story({ trend, verdict }: { readonly trend: Trend; readonly verdict: Verdict }) {
  const { runs, targets, broken_lines: invalid } = trend;
  const lines = invalid.map(({ line }) => String(line));
  const unread = `${formatCount(lines.length, 'line')} of the history could not be read: ${shortList(lines, 10)}.`;
  return (
    <>
      <h1 class={`tone ${verdict}`}>{describeLast(trend)}</h1>
      <p>{describeRange(trend)}</p>
      {targets.length === 1 && <p class="quiet">{targets[0]}</p>}
      {[...warnOfTargets(trend), ...(lines.length === 0 ? [] : [unread])].map((warning) => (
        <p key={warning} class="warning">
          {warning}
        </p>
      ))}
      {groupByDepth(runs).map((group) => (
        <DepthSection key={group.depth} {...group} />
      ))}
      <Violations trend={trend} />
      <Runs runs={runs} />
    </>
  );
}

function DepthSection({ depth, runs, charted }: DepthRuns) {
  return (
    <section aria-labelledby={`depth-${depth}`}>
      <h2 id={`depth-${depth}`}>{`Depth ${depth}, ${formatCount(runs.length, 'run')}`}</h2>
      <Verdicts runs={runs} />
      <div class="charts">
        {listCharts(charted).map((chart) => (
          <RunChart key={chart.figure.name} {...chart} depth={depth} />
        ))}
      </div>
      {charted.length < runs.length && (
        <p class="quiet">The charts leave out runs that judged only a part; the table says which.</p>
      )}
    </section>
  );
}

const verdictSigns: Readonly<Record<Verdict, string>> = {
  conformant: '✓',
  'non-conformant': '✗',
  incomplete: '?',
  unjudged: '·',
};

/** A sign for the verdict of each run, oldest first: colour alone never carries the meaning. */
function Verdicts({ runs }: { readonly runs: readonly NumberedRun[] }) {
  const seen = [...new Set(runs.map(({ verdict }) => verdict))];
  return (
    <>
      <ol class="strip">
        {runs.map((run) => {
          const label = `${nameRun(run)}, ${formatInstant(run.started_at)}: ${run.verdict}`;
          return (
            <li key={run.number} class={`tone ${run.verdict}`} title={label}>
              <RunLink run={run}>
                <span role="img" aria-label={label}>
                  {verdictSigns[run.verdict]}
                </span>
              </RunLink>
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

interface ChartProps extends Chart {
  readonly depth: string;
}

/** A figure of each run as a dot; the table of runs has the numbers. */
function RunChart({ figure, runs, depth }: ChartProps) {
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
          <g key={y}>
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
          <circle key={run.number} cx={x} cy={y} r={round(Math.min(4, Math.max(2, pitch / 3)))}>
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
function RunLink({ run: { link }, children }: { readonly run: NumberedRun; readonly children: Content }) {
  if (link === undefined || !/^https?:\/\//i.test(link)) return <>{children}</>;
  return (
    <a href={link} rel="noopener noreferrer">
      {children}
    </a>
  );
}

/** Every violation of the runs: when it first appeared, what each run says of it, and where it stands. */
function Violations({ trend }: { readonly trend: Trend }) {
  const { violations } = trend;
  return (
    <section aria-labelledby="violations">
      <h2 id="violations">Violations</h2>
      {violations.length === 0 ? (
        <p>Nothing failed in these runs.</p>
      ) : (
        <>
          <p class="quiet">{`One sign per run, the last one at the end: ${markLegend}`}</p>
          <Table headings={['Requirement', 'First seen', 'Now']}>
            {violations.map((violation) => {
              const { id, depth, decides, first_seen, times_seen, now, marks } = violation;
              return (
                <tr key={`${id} ${depth}`}>
                  <th scope="row">
                    <span class="id">{id}</span>
                    <span class="quiet">{qualifyViolation(violation, trend)}</span>
                    <span
                      class="marks"
                      role="img"
                      aria-label={marks.map((mark) => markSigns[mark].word).join(', ')}
                    >
                      {marks.map((mark, at) => (
                        <span key={at} class={`tone ${markSigns[mark].status}`}>
                          {markSigns[mark].sign}
                        </span>
                      ))}
                    </span>
                  </th>
                  <td>
                    {formatInstant(first_seen)},{' '}
                    <span class="quiet">in {formatCount(times_seen, 'run')}</span>
                  </td>
                  <td class={`tone ${now === 'gone' ? 'pass' : decides ? 'fail' : 'inconclusive'}`}>
                    {describeStanding(violation)}
                  </td>
                </tr>
              );
            })}
          </Table>
        </>
      )}
      <p class="quiet">{describeGone(trend)}</p>
    </section>
  );
}

/** A table of the charted figures, latest run first, for readers who cannot see the charts. */
function Runs({ runs }: { readonly runs: readonly NumberedRun[] }) {
  const headings = ['Run', 'Started, UTC', 'Depth', 'Verdict', ...series.map(({ name }) => capitalize(name))];
  return (
    <section aria-labelledby="runs">
      <h2 id="runs">Runs</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard */}
      <section class="scroll" tabIndex={0} aria-label="Table of runs">
        <Table headings={headings}>
          {runs.toReversed().map((run) => (
            <tr key={run.number}>
              <th scope="row">
                <RunLink run={run}>
                  {run.number}
                  {run.label !== undefined && <code title={run.label}> {shortenLabel(run.label)}</code>}
                </RunLink>
              </th>
              <td>{formatInstant(run.started_at)}</td>
              <td>{run.depth}</td>
              <td>
                <span class={`tone ${run.verdict}`}>{run.verdict}</span>{' '}
                <span class="quiet">{remarkOn(run)}</span>
              </td>
              {series.map(({ name, of, format }) => (
                <td key={name} class="figure">
                  {format(of(run))}
                </td>
              ))}
            </tr>
          ))}
        </Table>
      </section>
    </section>
  );
}

interface TableProps {
  readonly headings: readonly string[];
  readonly children: Content;
}

function Table({ headings, children }: TableProps) {
  return (
    <table>
      <thead>
        <tr>
          {headings.map((heading) => (
            <th key={heading} scope="col">
              {heading}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}
