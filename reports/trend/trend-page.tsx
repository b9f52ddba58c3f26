import type { JSX } from 'preact';
import { renderToStaticMarkup } from 'preact-render-to-string';
import type { Verdict } from '../../spec/report.js';
import { counted } from '../amount-text.js';
import { withInertTexts } from '../inert-text.js';
import { Runs } from './run-table.js';
import { series } from './series.js';
import type { Trend } from './trend.js';
import { TrendChart } from './trend-chart.js';
import { trendStyle } from './trend-style.js';
import { nowText, rangeText, targetsRemark } from './trend-words.js';
import { Verdicts } from './verdict-strip.js';
import { Violations } from './violation-table.js';

/** The last runs as a page that stands by itself: no script, nothing fetched. Text from the history is made inert. */
export function trendPage(trend: Trend): string {
  return `<!doctype html>\n${renderToStaticMarkup(<Page trend={withInertTexts(trend)} />)}\n`;
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
        <style>{trendStyle}</style>
      </head>
      <body>
        <main>
          {verdict === undefined ? <h1>{rangeText(trend)}</h1> : <Story trend={trend} verdict={verdict} />}
        </main>
      </body>
    </html>
  );
}

function Story({ trend, verdict }: { readonly trend: Trend; readonly verdict: Verdict }): JSX.Element {
  const { runs, targets, broken_lines: broken } = trend;
  const remark = targetsRemark(trend);
  return (
    <>
      <h1 class={verdict}>{nowText(trend)}</h1>
      <p>{rangeText(trend)}</p>
      {targets.length === 1 && <p class="quiet">{targets[0]}</p>}
      {remark !== undefined && <p class="warning">{remark}</p>}
      {broken.length > 0 && (
        <p class="warning">
          {`${counted(broken.length, 'line')} of the history could not be read and ${broken.length === 1 ? 'is' : 'are'} missing here: line ${broken.map(({ line }) => line).join(', ')}.`}
        </p>
      )}
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
