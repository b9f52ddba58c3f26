import { type CTRFReport, validateStrict } from 'ctrf';
import { expect, test } from 'vitest';
import { renderCtrf } from '../../reports/ctrf.js';
import { areas } from '../../spec/ledger.js';
import { type Report, statuses } from '../../spec/report.js';
import { everyHostileText, hostileReport, textsIn } from './hostile-report.js';
import { reportsToRender } from './rendered-reports.js';
import { eventfulReport, sampleFailure, sampleReport } from './sample-report.js';

/** Reads a report back. Throws where the schema of CTRF refuses it. */
function rendered(report: Report): CTRFReport {
  const value: unknown = JSON.parse(renderCtrf(report));
  validateStrict(value);
  return value;
}

test.each(reportsToRender)(
  'the %s report has a test for each check, and its summary counts them',
  (_name, make) => {
    const report = make();
    const { results } = rendered(report);
    expect(results.summary.extra?.requirements).toEqual(report.totals);
    const rows = results.extra?.requirements as readonly { readonly status: string }[];
    for (const status of statuses)
      expect(rows.filter((row) => row.status === status)).toHaveLength(report.totals[status]);
    const ofRun = ['verdict', 'suite'];
    const failedOfRun = { 0: 0, 5: 2 }[report.gate.exit_code] ?? 1;
    expect(results.tests.map(({ name }) => name)).toEqual([...ofRun, ...report.checks.map(({ id }) => id)]);
    const withOutcome = (wanted: string) => report.checks.filter(({ outcome }) => outcome === wanted).length;
    expect(results.summary).toMatchObject({
      tests: report.checks.length + ofRun.length,
      passed: withOutcome('pass') + ofRun.length - failedOfRun,
      failed: withOutcome('fail') + failedOfRun,
      other: withOutcome('inconclusive'),
      skipped: withOutcome('skipped'),
      pending: 0,
    });
  },
);

test('the run, and a test of each result, are what a reader of CTRF expects', () => {
  const report = eventfulReport();
  const { results } = rendered(report);
  expect(results.environment).toMatchObject({
    healthy: false,
    extra: { target: 'http://127.0.0.1:4010/v1', seed: -77, depth: 'standard' },
  });
  expect(results.extra).toMatchObject({ verdict: 'non-conformant', gate: { exit_code: 1 } });
  const start = Date.parse(report.run.started_at);
  expect(results.summary).toMatchObject({ start, stop: start + 2140, duration: 2140 });
  expect(results.summary.suites).toBeLessThanOrEqual(areas.length + 1);
  const violated = 'vault-delete.404.other-intern';
  const { curl, command } = sampleFailure(violated).reproduce;
  const expected = [
    {
      name: violated,
      ...{ status: 'failed', rawStatus: 'fail', suite: ['vault-delete'] },
      tags: ['must', '§7.1', 'vault-delete'],
      message: `DELETE own/stored as member: expected 404, got 204 (${violated})`,
      trace: expect.stringContaining(`\ncurl: ${curl}\nreproduce: ${command}`),
      extra: { requirements: [violated] },
    },
    { name: 'auth.bearer', status: 'other', rawStatus: 'inconclusive', message: 'out of time' },
    {
      name: 'vault-delete.503.writes-disabled',
      ...{ status: 'skipped', message: 'would take a key of the role write_disabled' },
    },
    { name: 'auth.missing-key', status: 'passed', duration: 3 },
  ];
  for (const one of expected) expect(results.tests.find(({ name }) => name === one.name)).toMatchObject(one);
  const held = results.tests.filter(({ status }) => status === 'passed');
  const explained = held.filter((one) => 'message' in one || 'trace' in one);
  expect(explained.map(({ name }) => name)).toEqual(['suite']);
});

test('times of fractions become whole milliseconds', () => {
  const report = sampleReport();
  const checks = report.checks.map((check) => ({ ...check, started_ms: 10.4, duration_ms: 0.6 }));
  const [, , first] = rendered({ ...report, checks, run: { ...report.run, duration_ms: 7.5 } }).results.tests;
  expect(first).toMatchObject({ duration: 1, start: Date.parse(report.run.started_at) + 10 });
});

test('hostile text is sanitized once the file is read too', () => {
  const texts = textsIn(JSON.parse(renderCtrf(hostileReport(everyHostileText, everyHostileText))));
  expect(texts.filter((text) => text.includes('::error::')).length).toBeGreaterThan(20);
  // Line ends stand between the lines of a trace only, each of which begins with what it is.
  for (const text of texts) {
    expect(text).not.toMatch(/[^\P{C}\n]|[\p{Zl}\p{Zp}]/u);
    expect(text).not.toMatch(/\n(::|##\[)/);
  }
});
