import type { ReportedCheck } from '../../spec/report.js';
import { durationText, numberText } from '../amount-text.js';
import { outcomeWords } from './status-words.js';
import { told, toldInLine } from './told.js';

const listed = 10;

/** The checks that took longest. */
export function SlowestChecks({ checks }: { readonly checks: readonly ReportedCheck[] }) {
  const slowest = [...checks].sort((one, other) => other.duration_ms - one.duration_ms).slice(0, listed);
  return (
    <table class="slowest">
      <caption>The checks that took longest</caption>
      <thead>
        <tr>
          <th scope="col">check</th>
          <th scope="col">came of it</th>
          <th scope="col" class="figure">
            requests
          </th>
          <th scope="col" class="figure">
            from
          </th>
          <th scope="col" class="figure">
            took
          </th>
        </tr>
      </thead>
      <tbody>
        {slowest.map(({ id, requirements: [first = ''], outcome, requests, started_ms, duration_ms }) => (
          <tr key={id}>
            <th scope="row">
              <a class="id" href={`#${toldInLine(first)}`}>
                {told(id)}
              </a>
            </th>
            <td>{outcomeWords[outcome]}</td>
            <td class="figure">{numberText(requests)}</td>
            <td class="figure">{durationText(started_ms)}</td>
            <td class="figure">{durationText(duration_ms)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
