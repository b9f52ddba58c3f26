import { areaOf } from '../../spec/ledger.js';
import type { ReportedRequirement } from '../../spec/report.js';
import { CheckList } from './check-list.js';
import type { EvidenceIndex } from './evidence-index.js';
import { Failures } from './failures.js';
import { StatusBadge } from './status-badge.js';
import { told, toldInLine } from './told.js';

/** A row of the ledger; what is behind it opens. */
export function RequirementRow({ requirement, index }: RowProps) {
  const { id, section, level, statement, status, reason } = requirement;
  return (
    <details
      class={`row ${status}`}
      id={toldInLine(id)}
      data-row
      data-status={status}
      data-level={level}
      data-area={areaOf(id)}
    >
      <summary>
        <StatusBadge status={status} />{' '}
        <span class="what">
          <span class="id">{told(id)}</span> <span class="statement">{told(statement)}</span>
          {reason !== null && (
            <>
              {' '}
              <span class="reason">{told(reason)}</span>
            </>
          )}
        </span>{' '}
        <span class="rank">
          {level} §{section}
        </span>
      </summary>
      <div class="behind">
        <p class="quiet">
          Section {section} of the document, {level}.{' '}
          <a href={`#${toldInLine(id)}`}>Link to this requirement</a>
        </p>
        {status === 'fail' && <Failures failures={index.failuresOf(requirement)} />}
        <CheckList requirement={requirement} checks={index.checksOf(requirement)} index={index} />
      </div>
    </details>
  );
}

/** A requirement and where its evidence is. */
interface RowProps {
  readonly requirement: ReportedRequirement;
  readonly index: EvidenceIndex;
}
