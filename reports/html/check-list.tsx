import type { ReportedCheck, ReportedRequirement } from '../../spec/report.js';
import { counted } from '../amount-text.js';
import { Attempts } from './attempts.js';
import type { EvidenceIndex } from './evidence-index.js';
import { outcomeWords } from './status-words.js';
import { told } from './told.js';

/** The checks that decide a requirement, each with what came of it. */
export function CheckList({ requirement, checks, index }: CheckListProps) {
  if (checks.length === 0) return null;
  return (
    <>
      <h4>{checks.length === 1 ? 'Decided by the check' : `Decided by ${checks.length} checks`}</h4>
      <ul class="checks">
        {checks.map((check) => (
          <li key={check.id}>
            {check.outcome !== 'pass' && (
              <>
                <span class={`outcome ${check.outcome}`}>{outcomeWords[check.outcome]}</span>{' '}
              </>
            )}
            <code>{told(check.id)}</code> <span class="quiet">{effort(check)}</span>
            {check.reason !== null && check.reason !== requirement.reason && <p>{told(check.reason)}</p>}
            {check.attempts.length > 0 && (
              <Attempts check={check} at={index.attemptsShownAt(check)} here={requirement.id} />
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

function effort({ cases, requests, duration_ms: duration }: ReportedCheck): string {
  // A rule on every response sends nothing itself.
  if (requests === 0) return counted(cases, 'case');
  return `${counted(cases, 'case')}, ${counted(requests, 'request')}, ${(duration / 1000).toFixed(2)} s`;
}

/** The checks of a row. */
interface CheckListProps {
  readonly requirement: ReportedRequirement;
  readonly checks: readonly ReportedCheck[];
  readonly index: EvidenceIndex;
}
