import type { ReportedCheck } from '../../spec/report.js';
import { counted } from '../amount-text.js';
import { Exchange } from './exchange.js';
import { RequirementLink } from './requirement-link.js';
import { told } from './told.js';

/** The attempts of a check that did not hold, or where they are shown. */
export function Attempts({ check, at, here }: AttemptsProps) {
  if (at !== undefined && at !== here) {
    return (
      <p class="quiet">
        What was tried is shown at <RequirementLink id={at} />.
      </p>
    );
  }
  return (
    <details class="attempts">
      <summary>{counted(check.attempts.length, 'attempt')} that did not hold</summary>
      <ol>
        {check.attempts.map(({ attempt, came, exchanges }) => (
          <li key={attempt} value={attempt}>
            <p>{told(came)}</p>
            {exchanges.map((exchange, index) => (
              <Exchange key={String(index)} exchange={exchange} number={index + 1} />
            ))}
          </li>
        ))}
      </ol>
    </details>
  );
}

/** Whose attempts, and where. */
interface AttemptsProps {
  readonly check: ReportedCheck;
  /** The requirement that shows them. */
  readonly at: string | undefined;
  /** The requirement whose row this is. */
  readonly here: string;
}
