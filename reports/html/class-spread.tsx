import type { Report, ReportedCheck } from '../../spec/report.js';
import { counted, numberText } from '../amount-text.js';
import { told } from './told.js';

/** How many cases of each class were sent, check by check: what was hardly tried shows. */
export function ClassSpread({ checks }: Pick<Report, 'checks'>) {
  const spreads = spreadsOf(checks);
  const drawn = spreads.filter(({ ofResponses }) => !ofResponses);
  const seen = spreads.filter(({ ofResponses }) => ofResponses);
  if (spreads.length === 0) return null;
  return (
    <section id="spread" aria-labelledby="spread-heading">
      <h2 id="spread-heading">How cases were spread</h2>
      {drawn.length > 0 && <p class="lead">Generated cases by the class that they were drawn from.</p>}
      <div class="spreads">
        {drawn.map((spread) => (
          <SpreadTable key={spread.checks[0]} spread={spread} unit="class" />
        ))}
      </div>
      {seen.length > 0 && (
        <details class="of-responses">
          <summary>Rules on every response: answers by operation and status</summary>
          <div class="spreads">
            {seen.map((spread) => (
              <SpreadTable key={spread.checks[0]} spread={spread} unit="operation and status" />
            ))}
          </div>
        </details>
      )}
    </section>
  );
}

/** Checks whose cases were spread alike. */
interface Spread {
  readonly checks: readonly string[];
  readonly classes: readonly (readonly [string, number])[];
  /** Counted over the answers of the run, by rules that send nothing. */
  readonly ofResponses: boolean;
}

/** Twenty rules that saw the same answers make one table. */
function spreadsOf(checks: readonly ReportedCheck[]): readonly Spread[] {
  const spreads = new Map<string, { readonly checks: string[] } & Omit<Spread, 'checks'>>();
  for (const { id, classes, requests } of checks) {
    if (classes === null || Object.keys(classes).length === 0) continue;
    const alike = JSON.stringify(classes);
    const known = spreads.get(alike);
    if (known === undefined)
      spreads.set(alike, { checks: [id], classes: Object.entries(classes), ofResponses: requests === 0 });
    else known.checks.push(id);
  }
  return [...spreads.values()];
}

function SpreadTable({ spread, unit }: { readonly spread: Spread; readonly unit: string }) {
  const [first = '', ...others] = spread.checks;
  const most = Math.max(1, ...spread.classes.map(([, count]) => count));
  return (
    <table class="spread">
      <caption>
        {told(first)}
        {others.length > 0 && (
          <span class="quiet" title={others.slice(0, 30).join(', ')}>
            {' '}
            and {counted(others.length, 'rule')} more
          </span>
        )}
      </caption>
      <thead>
        <tr>
          <th scope="col">{unit}</th>
          <th scope="col" class="figure">
            cases
          </th>
          <td class="bar" />
        </tr>
      </thead>
      <tbody>
        {spread.classes.map(([name, count]) => (
          <tr key={name} class={count === 0 ? 'none' : undefined}>
            <th scope="row">{told(name)}</th>
            <td class="figure">{numberText(count)}</td>
            <td class="bar">
              <svg width="100%" height="8" aria-hidden="true">
                <rect width={`${((100 * count) / most).toFixed(1)}%`} height="8" />
              </svg>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
