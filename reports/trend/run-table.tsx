import type { JSX } from 'preact';
import { Instant } from './instant.js';
import type { NumberedRun } from './numbered-run.js';
import { series } from './series.js';
import { remarkOn } from './trend-words.js';

/** The runs in numbers, the last one first: what the charts draw, for who cannot see them. */
export function Runs({ runs }: { readonly runs: readonly NumberedRun[] }): JSX.Element {
  return (
    <section aria-labelledby="runs">
      <h2 id="runs">Runs</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard */}
      <section class="scroll" tabIndex={0} aria-label="Table of runs">
        <table>
          <thead>
            <tr>
              <th scope="col" class="number">
                Run
              </th>
              <th scope="col">Started, UTC</th>
              <th scope="col">Verdict</th>
              {series.map(({ name }) => (
                <th key={name} scope="col" class="number">
                  {name.charAt(0).toUpperCase() + name.slice(1)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {[...runs].reverse().map((run) => (
              <RunRow key={run.number} run={run} />
            ))}
          </tbody>
        </table>
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
      {series.map(({ name, of, text }) => (
        <td key={name} class="number">
          {text(of(run))}
        </td>
      ))}
    </tr>
  );
}
