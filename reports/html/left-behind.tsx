import type { Report } from '../../spec/report.js';
import { counted } from '../amount-text.js';
import { told } from './told.js';

/** What the run stored and could not delete: somebody has to. */
export function LeftBehind({ left }: { readonly left: Report['run']['left_behind'] }) {
  if (left.length === 0) return null;
  return (
    <details class="note" open>
      <summary>{counted(left.length, 'secret')} left behind, to be deleted by hand</summary>
      <ul>
        {left.map(({ scope, name, why }) => (
          <li key={`${scope}/${name}`}>
            <code>{told(`${scope}/${name}`)}</code>: {told(why)}
          </li>
        ))}
      </ul>
    </details>
  );
}
