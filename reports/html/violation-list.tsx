import type { Report } from '../../spec/report.js';
import { decides, type Violation, violationsOf } from '../violations.js';
import { RequirementLink } from './requirement-link.js';
import { told } from './told.js';

/** The violations of a run at a glance, those that decide first; each leads to its evidence. */
export function ViolationList({ report }: { readonly report: Report }) {
  const violations = violationsOf(report);
  const deciding = violations.filter(decides);
  const advice = violations.filter((violation) => !decides(violation));
  const { waived } = report.gate;
  if (violations.length === 0) return null;
  return (
    <section id="violations" aria-labelledby="violations-heading">
      <h2 id="violations-heading">
        Violated <span class="amount">{deciding.length}</span>
      </h2>
      <Violations violations={deciding} waived={waived} />
      {advice.length > 0 && (
        <>
          <h3>
            Advice not kept, which does not decide <span class="amount">{advice.length}</span>
          </h3>
          <Violations violations={advice} waived={waived} />
        </>
      )}
    </section>
  );
}

function Violations({ violations, waived }: ViolationsProps) {
  return (
    <ol class="violations">
      {violations.map(({ requirement: { id, level, section, statement, reason }, failures: [first] }) => (
        <li key={id}>
          <p class="head">
            <RequirementLink id={id} />{' '}
            <span class="rank">
              {waived.includes(id) && 'waived, '}
              {level} <span class="section">§{section}</span>
            </span>
          </p>
          <p>{told(statement)}</p>
          {first === undefined ? (
            <p class="quiet">{told(reason ?? 'No evidence of it is in this report.')}</p>
          ) : (
            <p class="quiet">
              expected {told(first.expected)}, came <b class="came">{told(first.actual)}</b>
            </p>
          )}
        </li>
      ))}
    </ol>
  );
}

/** Violations, and which requirements the gate lets pass. */
interface ViolationsProps {
  readonly violations: readonly Violation[];
  readonly waived: readonly string[];
}
