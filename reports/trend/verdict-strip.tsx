import type { JSX } from 'preact';
import type { Verdict } from '../../spec/report.js';
import type { NumberedRun } from './numbered-run.js';
import { instantText } from './trend-words.js';

const verdictSigns: Readonly<Record<Verdict, string>> = {
  conformant: '✓',
  'non-conformant': '✗',
  incomplete: '?',
  unjudged: '·',
};

/** A sign for the verdict of each run, oldest first; colour is never all that tells one from another. */
export function Verdicts({ runs }: { readonly runs: readonly NumberedRun[] }): JSX.Element {
  const seen = (Object.keys(verdictSigns) as Verdict[]).filter((verdict) =>
    runs.some((run) => run.verdict === verdict),
  );
  const legend = seen.map((verdict) => `${verdictSigns[verdict]} ${verdict}`).join(', ');
  const isEarly = runs.some(({ ended }) => ended !== 'complete');
  return (
    <section aria-labelledby="verdicts">
      <h2 id="verdicts">Verdict of each run</h2>
      <ol class="strip">
        {runs.map((run) => {
          const told = `run ${run.number}, ${instantText(run.started_at)}: ${run.verdict}`;
          return (
            <li
              key={run.number}
              class={`${run.verdict}${run.ended === 'complete' ? '' : ' early'}`}
              title={told}
            >
              <span role="img" aria-label={told}>
                {verdictSigns[run.verdict]}
              </span>
            </li>
          );
        })}
      </ol>
      <p class="legend">{`${legend}${isEarly ? '; dashed: the run did not come to its end' : ''}`}</p>
    </section>
  );
}
