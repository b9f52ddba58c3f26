import type { ReportedCheck, ReportedRequirement } from '../../spec/report.js';
import { counted } from '../amount-text.js';
import { Attempts } from './attempts.js';
import type { EvidenceIndex } from './evidence-index.js';
import { RequirementLink } from './requirement-link.js';
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
            <code>{told(check.id)}</code> {effort(check)}
            {check.outcome !== 'pass' && (
              <WhatCame check={check} requirement={requirement} at={index.attemptsShownAt(check)} />
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

/** What came of a check that did not simply hold. */
function WhatCame({ check, requirement, at }: WhatCameProps) {
  const { failure, further_failures, outcome, reason } = check;
  const isHere = [failure, ...further_failures].some((one) => one?.requirement === requirement.id);
  if (failure !== null && !isHere) {
    return (
      <>
        , violated for another requirement: <RequirementLink id={failure.requirement} />
      </>
    );
  }
  return (
    <>
      , <b class={`outcome ${outcome}`}>{outcomeWords[outcome]}</b>
      {reason !== null && reason !== requirement.reason && <p>{told(reason)}</p>}
      {check.attempts.length > 0 && <Attempts check={check} at={at} here={requirement.id} />}
    </>
  );
}

/** The checks of a row. */
interface CheckListProps {
  readonly requirement: ReportedRequirement;
  readonly checks: readonly ReportedCheck[];
  readonly index: EvidenceIndex;
}

/** A check in a row, and the requirement under which its attempts are shown. */
interface WhatCameProps {
  readonly check: ReportedCheck;
  readonly requirement: ReportedRequirement;
  readonly at: string | undefined;
}
