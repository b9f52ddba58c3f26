import type { Report } from '../spec/report.js';
import type { Redactor } from '../targets/redaction.js';
import { exitCodes, strongestExitCode } from './verdict.js';

/**
 * The last look at what is to be written: a report in which a secret stands is cleaned, and says that the suite failed.
 * @param held files written before in which secrets stood
 */
export function lookedThrough(report: Report, redactor: Redactor, held: readonly string[] = []): Report {
  const text = JSON.stringify(report);
  const clean = redactor.scrub(text);
  const holding = clean === text ? held : ['the report', ...held];
  return holding.length === 0 ? report : failedBySecrets(JSON.parse(clean) as Report, holding);
}

/** The report of a run that wrote a secret down: that is the suite's own failure. */
function failedBySecrets(report: Report, holding: readonly string[]): Report {
  const note = `a secret stood in ${holding.join(', ')} and was taken out`;
  return {
    ...report,
    run: { ...report.run, complete: false, notes: [...report.run.notes, note] },
    gate: {
      ...report.gate,
      exit_code: strongestExitCode([report.gate.exit_code, exitCodes.suiteFault]),
    },
  };
}
