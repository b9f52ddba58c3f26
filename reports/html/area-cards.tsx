import { type Area, areaOf, areas } from '../../spec/ledger.js';
import type { ReportedRequirement, Status } from '../../spec/report.js';
import { ShareBar } from './share-bar.js';
import { statusOrder, statusWords } from './status-words.js';

/** What held in each area of the document; an area leads to its rows. */
export function AreaCards({ requirements }: { readonly requirements: readonly ReportedRequirement[] }) {
  return (
    <section id="areas" aria-labelledby="areas-heading">
      <h2 id="areas-heading">Areas</h2>
      <ul class="areas">
        {areas.map((area) => (
          <AreaCard key={area} area={area} rows={requirements.filter(({ id }) => areaOf(id) === area)} />
        ))}
      </ul>
    </section>
  );
}

function AreaCard({ area, rows }: { readonly area: Area; readonly rows: readonly ReportedRequirement[] }) {
  const counts = statusOrder
    .map((status) => ({ status, count: rows.filter((row) => row.status === status).length }))
    .filter(({ count }) => count > 0);
  return (
    <li>
      <a class="name" href={`#area=${area}`}>
        {area}
      </a>
      <ShareBar shares={counts} />
      <p>
        {counts.map(({ status, count }, index) => (
          <span key={status} class={`count ${status}`}>
            {index > 0 && ', '}
            <AreaCount area={area} status={status} count={count} />
          </span>
        ))}
      </p>
    </li>
  );
}

/** What held is most of it and needs no link of its own. */
function AreaCount({ area, status, count }: AreaCountProps) {
  const text = `${count} ${statusWords[status]}`;
  return status === 'pass' ? <span>{text}</span> : <a href={`#status=${status}&area=${area}`}>{text}</a>;
}

/** How many rows of an area have a status. */
interface AreaCountProps {
  readonly area: Area;
  readonly status: Status;
  readonly count: number;
}
