import { isDeepStrictEqual } from 'node:util';
import type { Report } from '../spec/report.js';
import type { Redactor } from '../targets/redaction.js';

/**
 * The last look at what is to be written: a report in which a secret stands is cleaned and says so. What the server is
 * judged by does not change with it.
 * @param held files written before in which secrets stood
 */
export function lookedThrough(report: Report, redactor: Redactor, held: readonly string[] = []): Report {
  const cleaned = redactor.redactTexts(report);
  const holding = isDeepStrictEqual(cleaned, report) ? held : ['the report', ...held];
  if (holding.length === 0) return report;
  const note = `a secret stood in ${holding.join(', ')} and was taken out`;
  return { ...cleaned, run: { ...cleaned.run, notes: [...cleaned.run.notes, note] } };
}
