import type { Report, Verdict as VerdictWord } from '../../spec/report.js';
import { verdictReason } from '../verdict-reason.js';
import { waiverFaults } from '../waiver-faults.js';
import { told } from './told.js';

const signs: Readonly<Record<VerdictWord, string>> = {
  conformant: '✓',
  'non-conformant': '✕',
  incomplete: '…',
  unjudged: '?',
};

const suiteFailed = 5;

/** The verdict and why, with all that a reader must know before relying on it. */
export function Verdict({ report }: { readonly report: Report }) {
  const { verdict, run, gate } = report;
  const reason = verdictReason(report);
  const warnings = [
    ...(gate.exit_code === suiteFailed
      ? ['The suite itself failed, so do not rely on this verdict; please report it.']
      : []),
    ...(run.complete ? [] : ['The run did not reach its end; this is what it found out until then.']),
    ...waiverFaults(report),
    ...run.notes.filter((note) => note !== reason),
  ];
  return (
    <section class={`verdict ${verdict}`} aria-labelledby="verdict-heading">
      <span class="sign" aria-hidden="true">
        {signs[verdict]}
      </span>
      <div>
        <h1 id="verdict-heading">{verdict}</h1>
        <p class="why">{told(reason)}</p>
        {warnings.length > 0 && (
          <ul class="warnings">
            {warnings.map((warning) => (
              <li key={warning}>{told(warning)}</li>
            ))}
          </ul>
        )}
      </div>
    </section>
  );
}
