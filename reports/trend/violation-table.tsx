import type { JSX } from 'preact';
import { counted } from '../amount-text.js';
import { Instant } from './instant.js';
import type { Trend } from './trend.js';
import { markSigns, returnsText, standing } from './trend-words.js';
import type { ViolationCourse } from './violation-course.js';

/** Every violation of the runs: when it first appeared, what each run had to say, and where it stands. */
export function Violations({ trend }: { readonly trend: Trend }): JSX.Element {
  const { violations, gone_before: gone } = trend;
  const legend = Object.values(markSigns)
    .map(({ sign, word }) => `${sign} ${word}`)
    .join(', ');
  return (
    <section aria-labelledby="violations">
      <h2 id="violations">Violations</h2>
      {violations.length === 0 ? (
        <p>Nothing was violated in these runs.</p>
      ) : (
        <>
          <p class="legend">{`A sign for each run, the last one at the end: ${legend}`}</p>
          <table>
            <thead>
              <tr>
                <th scope="col">Requirement</th>
                <th scope="col">First seen</th>
                <th scope="col">Now</th>
              </tr>
            </thead>
            <tbody>
              {violations.map((violation) => (
                <ViolationRow key={violation.id} violation={violation} />
              ))}
            </tbody>
          </table>
        </>
      )}
      {gone > 0 && <p class="quiet">{`${counted(gone, 'violation')} gone before these runs.`}</p>}
    </section>
  );
}

function ViolationRow({ violation }: { readonly violation: ViolationCourse }): JSX.Element {
  const { id, decides, first_seen, times_seen, gone_since: goneSince, now, marks } = violation;
  const again = returnsText(violation);
  const told = marks.map((mark) => markSigns[mark].word).join(', ');
  return (
    <tr>
      <th scope="row">
        <span class="id">
          {id.split('.').map((part, at) => (at === 0 ? part : [<wbr key={part} />, `.${part}`]))}
        </span>
        {!decides && <span class="quiet"> advisory</span>}
        <span class="marks" role="img" aria-label={told}>
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
        <span class="quiet">{`in ${counted(times_seen, 'run')}`}</span>
      </td>
      <td>
        <span class={now === 'gone' ? 'conformant' : decides ? 'non-conformant' : 'incomplete'}>
          {standing(violation)}
        </span>
        {goneSince !== null && (
          <>
            {' since '}
            <Instant at={goneSince} />
          </>
        )}
        {again !== '' && <span class="quiet">{`, ${again}`}</span>}
      </td>
    </tr>
  );
}
