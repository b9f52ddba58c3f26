import type { Status } from '../../spec/report.js';

/** The share of each status as a bar; the numbers stand beside it in words. */
export function ShareBar({ shares }: ShareBarProps) {
  const all = shares.reduce((sum, { count }) => sum + count, 0);
  let before = 0;
  return (
    <svg class="share" width="100%" height="6" aria-hidden="true">
      {shares.map(({ status, count }) => {
        const from = before;
        before += count;
        return (
          <rect key={status} class={status} x={percent(from, all)} width={percent(count, all)} height="6" />
        );
      })}
    </svg>
  );
}

function percent(part: number, all: number): string {
  return `${((100 * part) / all).toFixed(2)}%`;
}

/** How many have each status. */
interface ShareBarProps {
  readonly shares: readonly { readonly status: Status; readonly count: number }[];
}
