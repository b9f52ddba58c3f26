import type { Failure } from '../../spec/report.js';
import { counted } from '../amount-text.js';
import { FailureEvidence } from './failure-evidence.js';
import { told } from './told.js';

/** The violations of a requirement: the first in full, the others to be opened. */
export function Failures({ failures }: { readonly failures: readonly Failure[] }) {
  const [first, ...further] = failures;
  if (first === undefined) return <p>No evidence of it is in this report.</p>;
  return (
    <>
      <FailureEvidence failure={first} />
      {further.length > 0 && <h4>{counted(further.length, 'further violation')} of the same requirement</h4>}
      {further.map((failure, index) => (
        <details class="further" key={String(index)}>
          <summary>{told(failure.message)}</summary>
          <FailureEvidence failure={failure} />
        </details>
      ))}
    </>
  );
}
