import { expect, it } from 'vitest';
import { redactReport } from '../../judge/evidence.js';
import { Redactor } from '../../targets/redaction.js';
import { sampleReport } from '../reports/sample-report.js';

const key = 'sk-0123456789abcdef';
const redactor = new Redactor();
redactor.register(key, '$PLUMBLINE_KEY_MEMBER');

it('a report is redacted and says so, with the same exit code', () => {
  const report = sampleReport({ notes: [`it said ${key}`] });
  const clean = redactReport(report, redactor);
  expect(clean.run.notes).toEqual([
    'it said $PLUMBLINE_KEY_MEMBER',
    'a secret stood in the report and was taken out',
  ]);
  expect(clean).toEqual({ ...report, run: { ...report.run, notes: clean.run.notes } });
});

it('a report names each file that contained a secret and keeps a clean file as it is', () => {
  const report = sampleReport();
  expect(redactReport(report, redactor)).toBe(report);
  expect(redactReport(report, redactor, ['journal.ndjson']).run.notes.at(-1)).toBe(
    'a secret stood in journal.ndjson and was taken out',
  );
});
