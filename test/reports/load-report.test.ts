import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { loadReport, UnreadableReport } from '../../reports/load-report.js';
import { fileOf } from '../folders.js';
import { eventfulReport, sampleFailure, sampleReport } from './sample-report.js';

test('a report is read from its file and from its folder', async () => {
  const file = fileOf(JSON.stringify(eventfulReport()), 'report.json');
  expect(await loadReport(file)).toEqual(eventfulReport());
  expect(await loadReport(dirname(file))).toEqual(eventfulReport());
});

test('members that an earlier writer did not know get their defaults', async () => {
  const { notes, left_behind, ...run } = sampleReport().run;
  const { newer, notes: reasons, ...gate } = sampleReport().gate;
  const [check] = sampleReport().checks;
  const { situation, ...failure } = sampleFailure('auth.bearer');
  const failed = { ...check, outcome: 'fail', failure, further_failures: [failure] };
  const old = {
    ...sampleReport(),
    run,
    gate,
    checks: [{ ...check, attempts: undefined, further_failures: undefined, started_ms: undefined }, failed],
  };
  const read = await loadReport(fileOf(JSON.stringify(old)));
  expect(read.run).toMatchObject({ notes: [], left_behind: [] });
  expect(read.gate).toMatchObject({ newer: [], notes: [] });
  expect(read.checks[1]).toMatchObject({ failure: { situation: '' }, further_failures: [{ situation: '' }] });
  expect(read.checks[0]).toMatchObject({ attempts: [], further_failures: [], started_ms: 0 });
});

test.each([
  ['not selected', 'not-selected'],
  ['would take a key of the role disabled', 'lacking'],
  ['no answer of this run showed it', 'not-shown'],
  ['intermittent, 5 of 10 attempts: got 502', 'intermittent'],
  ['nobody listens there', 'unjudged'],
  ['got 502', null],
  [null, null],
])('the reason %j of version 0.1, which wrote no codes, gets its code', async (reason, code) => {
  const { requirements, checks, run, ...report } = sampleReport();
  const uncoded = <Part extends { readonly reason_code?: unknown }>({ reason_code: _, ...part }: Part) => ({
    ...part,
    reason,
  });
  const old = {
    ...report,
    run: { ...run, notes: ['nobody listens there'] },
    requirements: requirements.slice(0, 1).map((row) => ({ ...uncoded(row), status: 'inconclusive' })),
    checks: checks.slice(0, 1).map((check) => ({
      ...uncoded(check),
      says: [{ requirement: 'auth.bearer', outcome: 'inconclusive', reason }],
    })),
  };
  const read = await loadReport(fileOf(JSON.stringify(old)));
  const [check] = read.checks;
  const parts = [read.requirements[0], check, check?.says?.[0]];
  expect(parts.map((part) => part?.reason_code)).toEqual([code, code, code]);
});

test.each([
  ['{"format":"else/1"}', 'is not a report of plumbline'],
  ['{"format":"plumbline-report/1"}', 'is not a valid report'],
])('%s is refused in a line that names its file', async (text, words) => {
  const file = fileOf(text);
  const refusal = loadReport(file);
  await expect(refusal).rejects.toThrow(UnreadableReport);
  await expect(refusal).rejects.toThrow(`${file} ${words}`);
});
