import type { Report } from '../../spec/report.js';
import { statusOrder, statusWords } from './status-words.js';

/** How many requirements ended with each status; each number leads to its rows. */
export function Totals({ totals }: { readonly totals: Report['totals'] }) {
  return (
    <ul class="totals" aria-label="Requirements by status">
      {statusOrder.map((status) => (
        <li key={status} class={totals[status] === 0 ? 'none' : status}>
          <a href={`#status=${status}`}>
            <b data-total={status}>{totals[status]}</b> <span>{statusWords[status]}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}
