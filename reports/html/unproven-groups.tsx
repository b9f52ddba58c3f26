import { isLeftOut, type Report, type ReportedRequirement, type Status } from '../../spec/report.js';
import { counted, numberText } from '../amount-text.js';
import { isMust, type ReasonGroup, reasonGroups } from '../unproven.js';
import { RequirementLinks } from './requirement-links.js';
import { told } from './told.js';

/** What the run did not get to see, by what kept it from that, and so by what would unlock it. */
export function UnprovenGroups({ report }: { readonly report: Report }) {
  const leftOut = report.requirements.filter(isLeftOut).length;
  return (
    <section id="unproven" aria-labelledby="unproven-heading">
      <h2 id="unproven-heading">Not proven, and why</h2>
      <Groups report={report} status="inconclusive" heading="Undecided" />
      <Groups report={report} status="not-exercised" heading="Not exercised, and what would unlock it" />
      {leftOut > 0 && <p class="quiet">{counted(leftOut, 'requirement')} not selected.</p>}
      <Groups report={report} status="not-observable" heading="Not observable by any client" />
    </section>
  );
}

function Groups({ report, status, heading }: GroupsProps) {
  const groups = reasonGroups(report, status);
  if (groups.length === 0) return null;
  const size = groups.reduce((sum, { requirements }) => sum + requirements.length, 0);
  return (
    <>
      <h3>
        {heading} <span class="amount">{numberText(size)}</span>
      </h3>
      <ul class="reasons">
        {groups.map((group) => (
          <li key={group.reason}>
            <Group group={group} />
          </li>
        ))}
      </ul>
    </>
  );
}

const listedOpenly = 3;

/** A reason and whom it keeps from a result; a long list is folded away. */
function Group({ group: { reason, requirements } }: { readonly group: ReasonGroup }) {
  const ids = requirements.map(({ id }) => id);
  if (ids.length <= listedOpenly) {
    return (
      <>
        <p>{told(reason)}</p>
        <RequirementLinks ids={ids} />
      </>
    );
  }
  return (
    <details>
      <summary>
        {told(reason)} <span class="quiet">({sizes(requirements)})</span>
      </summary>
      <RequirementLinks ids={ids} />
    </details>
  );
}

function sizes(requirements: readonly ReportedRequirement[]): string {
  const musts = requirements.filter(isMust).length;
  if (musts === requirements.length) return counted(musts, 'must');
  const all = counted(requirements.length, 'requirement');
  return musts === 0 ? all : `${all}, ${counted(musts, 'must')} among them`;
}

/** Which requirements, under which heading. */
interface GroupsProps {
  readonly report: Report;
  readonly status: Status;
  readonly heading: string;
}
