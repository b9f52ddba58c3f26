import type { Status } from '../../spec/report.js';
import { statusWords } from './status-words.js';

/** A status in its word and its colour. */
export function StatusBadge({ status }: { readonly status: Status }) {
  return <span class={`badge ${status}`}>{statusWords[status]}</span>;
}
