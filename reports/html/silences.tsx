import type { ReportedSilence } from '../../spec/report.js';
import { counted } from '../amount-text.js';
import { RequirementLink } from './requirement-link.js';
import { told } from './told.js';

const shownOpenly = 4;

/** What the document does not show, and what this target did there. Nothing of it is right or wrong. */
export function Silences({ silences }: { readonly silences: readonly ReportedSilence[] }) {
  if (silences.length === 0) return null;
  return (
    <section id="silences" aria-labelledby="silences-heading">
      <h2 id="silences-heading">Silences</h2>
      <p class="lead">
        What the document does not show, and what was observed. None of it counts for or against.
      </p>
      <ul class="silences">
        {silences.map(({ id, section, statement, observed }) => (
          <li key={id}>
            <p>
              {told(statement)} <span class="section">§{section}</span>
            </p>
            <p class="quiet">
              <RequirementLink id={id} />
            </p>
            <Observed observed={observed} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Observed({ observed }: { readonly observed: readonly string[] }) {
  if (observed.length === 0) return <p class="quiet">Nothing was observed.</p>;
  const list = (
    <ul class="observed">
      {observed.map((seen) => (
        <li key={seen}>
          <code>{told(seen)}</code>
        </li>
      ))}
    </ul>
  );
  if (observed.length <= shownOpenly) return list;
  return (
    <details>
      <summary>{counted(observed.length, 'observation')}</summary>
      {list}
    </details>
  );
}
