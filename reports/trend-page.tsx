import type { ComponentChildren, JSX } from 'preact';
import { renderToStaticMarkup } from 'preact-render-to-string';
import type { Verdict } from '../spec/report.js';
import { sanitizeTexts } from './sanitize.js';
import {
  describeGone,
  describeLast,
  describeRange,
  describeStanding,
  markLegend,
  markSigns,
  type NumberedRun,
  remarkOn,
  series,
  type Trend,
  type ViolationHistory,
  warnOfTargets,
} from './trend.js';
import { capitalize, TrendChart } from './trend-chart.js';
import { formatCount, formatInstant, shortList } from './wording.js';

/** Renders the last runs as a page that stands by itself: no script, nothing fetched. Text from the history is sanitized. */
export function renderTrendPage(trend: Trend): string {
  return `<!doctype html>\n${renderToStaticMarkup(<Page trend={sanitizeTexts(trend)} />)}\n`;
}

function Page({ trend }: { readonly trend: Trend }): JSX.Element {
  const verdict = trend.runs.at(-1)?.verdict;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
        <title>{`plumbline trend: ${verdict ?? 'no runs'}`}</title>
        <style>{style}</style>
      </head>
      <body>
        <main>
          {verdict === undefined ? (
            <h1>{describeRange(trend)}</h1>
          ) : (
            <Story trend={trend} verdict={verdict} />
          )}
        </main>
      </body>
    </html>
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
      <Verdicts runs={runs} />
      <h2>Figures</h2>
      <div class="charts">
        {series.map((one) => (
          <TrendChart key={one.name} series={one} runs={runs} />
        ))}
      </div>
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

/** A sign for the verdict of each run, oldest first: colour alone never carries the meaning. */
function Verdicts({ runs }: { readonly runs: readonly NumberedRun[] }): JSX.Element {
  const seen = (Object.keys(verdictSigns) as Verdict[]).filter((verdict) =>
    runs.some((run) => run.verdict === verdict),
  );
  const legend = seen.map((verdict) => `${verdictSigns[verdict]} ${verdict}`).join(', ');
  const isEarly = runs.some(({ ended }) => ended !== 'complete');
  return (
    <section aria-labelledby="verdicts">
      <h2 id="verdicts">Verdict of each run</h2>
      <ol class="strip">
        {runs.map(({ number, started_at, verdict, ended }) => {
          const label = `run ${number}, ${formatInstant(started_at)}: ${verdict}`;
          return (
            <li key={number} class={`${verdict}${ended === 'complete' ? '' : ' early'}`} title={label}>
              <span role="img" aria-label={label}>
                {verdictSigns[verdict]}
              </span>
            </li>
          );
        })}
      </ol>
      <p class="legend">{`${legend}${isEarly ? '; dashed: the run stopped early' : ''}`}</p>
    </section>
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
              <ViolationRow key={violation.id} violation={violation} />
            ))}
          </Table>
        </>
      )}
      {gone !== undefined && <p class="quiet">{gone}</p>}
    </section>
  );
}

function ViolationRow({ violation }: { readonly violation: ViolationHistory }): JSX.Element {
  const { id, decides, first_seen, times_seen, now, marks } = violation;
  return (
    <tr>
      <th scope="row">
        <span class="id">
          {id.split('.').map((part, at) => (at === 0 ? part : [<wbr key={part} />, `.${part}`]))}
        </span>
        {!decides && <span class="quiet"> advisory</span>}
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
        <Table headings={['Run', 'Started, UTC', 'Verdict', ...figures]} numbers={['Run', ...figures]}>
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
        {run.number}
      </th>
      <td>
        <Instant at={run.started_at} />
      </td>
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

interface TableProps {
  readonly headings: readonly string[];
  /** The headings of columns of numbers. */
  readonly numbers?: readonly string[];
  readonly children: ComponentChildren;
}

function Table({ headings, numbers = [], children }: TableProps): JSX.Element {
  return (
    <table>
      <thead>
        <tr>
          {headings.map((heading) => (
            <th key={heading} scope="col" class={numbers.includes(heading) ? 'number' : undefined}>
              {heading}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
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

/** Light and dark; one column where the window is narrow. */
const style = `
:root {
  color-scheme: light dark;
  --ground: #ffffff; --card: #f6f7f9; --text: #1b1f24; --quiet: #57606a; --rule: #d5dae0;
  --conformant: #1a7f37; --non-conformant: #c32026; --incomplete: #8a5a00; --unjudged: #8250df;
  --line: #0b62c4;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0f1318; --card: #181d24; --text: #e4e9ef; --quiet: #9aa5b1; --rule: #323b46;
    --conformant: #4ac26b; --non-conformant: #ff7b72; --incomplete: #e3b341; --unjudged: #c297ff;
    --line: #6cb2ff;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 62rem;
  background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif;
}
h1 { font-size: 1.5rem; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2.25rem 0 .5rem; }
p { margin: .25rem 0; }
.quiet { color: var(--quiet); }
.warning { border-left: .25rem solid var(--incomplete); padding-left: .75rem; overflow-wrap: anywhere; }
.conformant { color: var(--conformant); }
.non-conformant { color: var(--non-conformant); }
.incomplete { color: var(--incomplete); }
.unjudged { color: var(--unjudged); }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); gap: 1rem; }
figure { margin: 0; padding: .75rem; background: var(--card); border-radius: .5rem; }
figcaption { display: flex; justify-content: space-between; align-items: baseline; gap: .75rem; }
figcaption b { font-size: 1.35rem; font-variant-numeric: tabular-nums; white-space: nowrap; }
svg { display: block; width: 100%; height: auto; }
svg text { fill: var(--quiet); font: 11px system-ui, sans-serif; font-variant-numeric: tabular-nums; }
.grid { stroke: var(--rule); stroke-width: 1; }
.bar { fill: var(--line); }
.bar.failed { fill: var(--non-conformant); }
.bar.no-result { fill: var(--incomplete); }
.strip { list-style: none; margin: .5rem 0 0; padding: 0; display: flex; flex-wrap: wrap; gap: .25rem; }
.strip li {
  width: 1.75rem; height: 1.75rem; border: 2px solid currentColor; border-radius: .3rem; display: grid; place-items: center;
  font-weight: 700; line-height: 1;
}
.strip li.early { border-style: dashed; }
.legend { font-size: .875rem; color: var(--quiet); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9375rem; }
th, td { text-align: left; vertical-align: top; padding: .45rem .75rem .45rem 0; border-top: 1px solid var(--rule); }
th { font-weight: 600; }
thead th { border-top: 0; color: var(--quiet); }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
.whole { white-space: nowrap; }
.id { font-family: ui-monospace, monospace; font-size: .875rem; overflow-wrap: break-word; }
.marks { display: block; font-family: ui-monospace, monospace; overflow-wrap: anywhere; letter-spacing: .15em; margin-top: .15rem; }
.marks .violated { color: var(--non-conformant); font-weight: 700; }
.marks .held { color: var(--conformant); }
.marks .undecided { color: var(--incomplete); }
.marks .not-judged { color: var(--quiet); }
@media (max-width: 30rem) {
  th, td { padding-right: .6rem; }
  .marks { letter-spacing: .05em; }
}
`;
