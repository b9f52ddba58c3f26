import { areaOf, areas } from '../../spec/ledger.js';
import type { Report } from '../../spec/report.js';
import { evidenceIndex } from './evidence-index.js';
import { Filters } from './filters.js';
import { RequirementRow } from './requirement-row.js';

/** Every requirement in the order of the document, with filters. */
export function Ledger({ report }: { readonly report: Report }) {
  const index = evidenceIndex(report);
  const groups = areas
    .map((area) => ({ area, rows: report.requirements.filter(({ id }) => areaOf(id) === area) }))
    .filter(({ rows }) => rows.length > 0);
  return (
    <section id="ledger" aria-labelledby="ledger-heading">
      <h2 id="ledger-heading">Ledger</h2>
      <p class="lead">Every requirement of the document, in its order. A row opens into what is behind it.</p>
      <Filters report={report} />
      <p class="nothing" data-nothing hidden>
        No requirement has all of this.
      </p>
      {groups.map(({ area, rows }) => (
        <section class="group" data-group key={area} aria-labelledby={`area-${area}`}>
          <h3 id={`area-${area}`}>{area}</h3>
          {rows.map((requirement) => (
            <RequirementRow key={requirement.id} requirement={requirement} index={index} />
          ))}
        </section>
      ))}
    </section>
  );
}
