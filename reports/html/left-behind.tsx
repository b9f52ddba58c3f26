import type { Report } from '../../spec/report.js';
import { counted } from '../amount-text.js';
import { Told } from './told.js';

/** What the run stored and could not delete: somebody has to. */
export function LeftBehind({ left }: { readonly left: Report['run']['left_behind'] }) {
  if (left.length === 0) return null;
  return (
    <details class="note" open>
      <summary>{counted(left.length, 'secret')} left behind, to be deleted by hand</summary>
      <ul>
        {left.map(({ scope, name, why }) => (
          <li key={`${scope}/${name}`}>
            <code>
              <Told text={`${scope}/${name}`} />
            </code>
            : <Told text={why} />
          </li>
        ))}
      </ul>
    </details>
  );
}
