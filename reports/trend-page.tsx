import type { ComponentChildren, JSX } from 'preact';
import type { Verdict } from '../spec/report.js';
import { renderPlainPage, Table } from './plain-page.js';
import { sanitizeTexts } from './sanitize.js';
import {
  type DepthRuns,
  describeGone,
  describeLast,
  describeRange,
  describeStanding,
  groupByDepth,
  markLegend,
  markSigns,
  type NumberedRun,
  nameRun,
  qualifyViolation,
  remarkOn,
  series,
  shortenLabel,
  type Trend,
  type ViolationHistory,
  warnOfTargets,
} from './trend.js';
import { capitalize, TrendChart } from './trend-chart.js';
import { formatCount, formatInstant, shortList } from './wording.js';

/** Renders the last runs as a page that stands by itself: no script, nothing fetched. Text from the history is sanitized. */
export function renderTrendPage(original: Trend): string {
  const trend = sanitizeTexts(original);
  const verdict = trend.runs.at(-1)?.verdict;
  return renderPlainPage(
    `plumbline trend: ${verdict ?? 'no runs'}`,
    verdict === undefined ? <h1>{describeRange(trend)}</h1> : <Story trend={trend} verdict={verdict} />,
  );
}

function Story({ trend, verdict }: { readonly trend: Trend; readonly verdict: Verdict }): JSX.Element {
  const { runs, targets, broken_lines: invalid } = trend;
  const lines = invalid.map(({ line }) => String(line));
  const warnings = [
    warnOfTargets(trend),
    lines.length === 0
      ? undefined
      : `${formatCount(lines.length, 'line')} of the history could not be read: ${shortList(lines, 10)}.`,
  ].filter((warning) => warning !== undefined);
  return (
    <>
      <h1 class={verdict}>{describeLast(trend)}</h1>
      <p>{describeRange(trend)}</p>
      {targets.length === 1 && <p class="quiet">{targets[0]}</p>}
      {warnings.map((warning) => (
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

const verdictSigns: Readonly<Record<Verdict, string>> = {
  conformant: '✓',
  'non-conformant': '✗',
  incomplete: '?',
  unjudged: '·',
};

/** The verdicts and figures of the runs of one depth. */
function DepthSection({ depth, runs }: DepthRuns): JSX.Element {
  const isPartial = runs.some((run) => remarkOn(run) !== undefined);
  return (
    <section aria-labelledby={`depth-${depth}`}>
      <h2 id={`depth-${depth}`}>{`Depth ${depth}, ${formatCount(runs.length, 'run')}`}</h2>
      <Verdicts runs={runs} />
      <div class="charts">
        {series.map((one) => (
          <TrendChart key={one.name} series={one} runs={runs} depth={depth} />
        ))}
      </div>
      {isPartial && <p class="legend">A hollow dot is a run that judged only a part; see the table.</p>}
    </section>
  );
}

/** A sign for the verdict of each run, oldest first: colour alone never carries the meaning. */
function Verdicts({ runs }: { readonly runs: readonly NumberedRun[] }): JSX.Element {
  const seen = (Object.keys(verdictSigns) as Verdict[]).filter((verdict) =>
    runs.some((run) => run.verdict === verdict),
  );
  const legend = seen.map((verdict) => `${verdictSigns[verdict]} ${verdict}`).join(', ');
  const isEarly = runs.some(({ ended }) => ended !== 'complete');
  return (
    <>
      <ol class="strip">
        {runs.map((run) => {
          const { number, started_at, verdict, ended } = run;
          const label = `${nameRun(run)}, ${formatInstant(started_at)}: ${verdict}`;
          return (
            <li key={number} class={`${verdict}${ended === 'complete' ? '' : ' early'}`} title={label}>
              <RunLink run={run}>
                <span role="img" aria-label={label}>
                  {verdictSigns[verdict]}
                </span>
              </RunLink>
            </li>
          );
        })}
      </ol>
      <p class="legend">{`${legend}${isEarly ? '; dashed: the run stopped early' : ''}`}</p>
    </>
  );
}

/** Links to what the history names of a run; an address of another kind could act. */
function RunLink({
  run: { link },
  children,
}: {
  readonly run: NumberedRun;
  readonly children: ComponentChildren;
}): ComponentChildren {
  if (link === undefined || !/^https?:\/\//i.test(link)) return children;
  return (
    <a href={link} rel="noopener noreferrer">
      {children}
    </a>
  );
}

/** Every violation of the runs: when it first appeared, what each run says of it, and where it stands. */
function Violations({ trend }: { readonly trend: Trend }): JSX.Element {
  const { violations } = trend;
  const gone = describeGone(trend);
  return (
    <section aria-labelledby="violations">
      <h2 id="violations">Violations</h2>
      {violations.length === 0 ? (
        <p>Nothing failed in these runs.</p>
      ) : (
        <>
          <p class="legend">{`One sign per run, the last one at the end: ${markLegend}`}</p>
          <Table headings={['Requirement', 'First seen', 'Now']}>
            {violations.map((violation) => (
              <ViolationRow
                key={`${violation.id} ${violation.depth}`}
                violation={violation}
                qualification={qualifyViolation(violation, trend)}
              />
            ))}
          </Table>
        </>
      )}
      {gone !== undefined && <p class="quiet">{gone}</p>}
    </section>
  );
}

function ViolationRow({
  violation,
  qualification,
}: {
  readonly violation: ViolationHistory;
  readonly qualification: string;
}): JSX.Element {
  const { id, decides, first_seen, times_seen, now, marks } = violation;
  return (
    <tr>
      <th scope="row">
        <span class="id">
          {id.split('.').map((part, at) => (at === 0 ? part : [<wbr key={part} />, `.${part}`]))}
        </span>
        {qualification !== '' && <span class="quiet">{qualification}</span>}
        <span class="marks" role="img" aria-label={marks.map((mark) => markSigns[mark].word).join(', ')}>
          {marks.map((mark, at) => (
            <span key={at} class={mark}>
              {markSigns[mark].sign}
            </span>
          ))}
        </span>
      </th>
      <td>
        <Instant at={first_seen} />
        <br />
        <span class="quiet">{`in ${formatCount(times_seen, 'run')}`}</span>
      </td>
      <td class={now === 'gone' ? 'conformant' : decides ? 'non-conformant' : 'incomplete'}>
        {describeStanding(violation)}
      </td>
    </tr>
  );
}

/** The runs in numbers, the last one first: what the charts draw, for those who cannot see them. */
function Runs({ runs }: { readonly runs: readonly NumberedRun[] }): JSX.Element {
  const figures = series.map(({ name }) => capitalize(name));
  return (
    <section aria-labelledby="runs">
      <h2 id="runs">Runs</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard */}
      <section class="scroll" tabIndex={0} aria-label="Table of runs">
        <Table
          headings={['Run', 'Started, UTC', 'Depth', 'Verdict', ...figures]}
          numbers={['Run', ...figures]}
        >
          {runs.toReversed().map((run) => (
            <RunRow key={run.number} run={run} />
          ))}
        </Table>
      </section>
    </section>
  );
}

function RunRow({ run }: { readonly run: NumberedRun }): JSX.Element {
  const remark = remarkOn(run);
  return (
    <tr>
      <th scope="row" class="number">
        <RunLink run={run}>
          {run.number}
          {run.label !== undefined && (
            <span class="label" title={run.label}>
              {` ${shortenLabel(run.label)}`}
            </span>
          )}
        </RunLink>
      </th>
      <td>
        <Instant at={run.started_at} />
      </td>
      <td>{run.depth}</td>
      <td>
        <span class={run.verdict}>{run.verdict}</span>
        {remark !== undefined && <span class="quiet"> {remark}</span>}
      </td>
      {series.map(({ name, of, format }) => (
        <td key={name} class="number">
          {format(of(run))}
        </td>
      ))}
    </tr>
  );
}

function Instant({ at }: { readonly at: string }): JSX.Element {
  const [day, time] = formatInstant(at).split(' ');
  return (
    <time dateTime={at}>
      <span class="whole">{day}</span> {time}
    </time>
  );
}
