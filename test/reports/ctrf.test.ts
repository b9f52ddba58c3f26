import { type CTRFReport, type Test, validateStrict } from 'ctrf';
import { describe, expect, test } from 'vitest';
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

function testNamed({ results }: CTRFReport, name: string): Test {
  const found = results.tests.find((one) => one.name === name);
  if (found === undefined) throw new Error(`There is no test ${name}.`);
  return found;
}

describe.each(reportsToRender)('of the %s report', (_name, make) => {
  const report = make();
  const { results } = rendered(report);

  test('the totals of the requirements are those of the report', () => {
    expect(results.summary.extra?.requirements).toEqual(report.totals);
    const rows = results.extra?.requirements as readonly { readonly status: string }[];
    for (const status of statuses)
      expect(rows.filter((row) => row.status === status)).toHaveLength(report.totals[status]);
  });

  test('every check is a test, and the summary counts them', () => {
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
  });
});

describe('the text for a reader', () => {
  const report = eventfulReport();
  const ctrf = rendered(report);

  test('of the run', () => {
    expect(ctrf.results.environment).toMatchObject({
      healthy: false,
      extra: { target: 'http://127.0.0.1:4010/v1', seed: -77, depth: 'standard' },
    });
    expect(ctrf.results.extra).toMatchObject({ verdict: 'non-conformant', gate: { exit_code: 1 } });
    const start = Date.parse(report.run.started_at);
    expect(ctrf.results.summary).toMatchObject({ start, stop: start + 2140, duration: 2140 });
    expect(ctrf.results.summary.suites).toBeLessThanOrEqual(areas.length + 1);
  });

  test('of a violation', () => {
    const told = testNamed(ctrf, 'vault-delete.404.other-intern');
    expect(told).toMatchObject({
      status: 'failed',
      rawStatus: 'fail',
      suite: ['vault-delete'],
      tags: ['must', '§7.1', 'vault-delete'],
      message: 'DELETE own/stored as member: expected 404, got 204 (vault-delete.404.other-intern)',
      extra: { requirements: ['vault-delete.404.other-intern'] },
    });
    const { curl, command } = sampleFailure('vault-delete.404.other-intern').reproduce;
    expect(told.trace).toContain(`\ncurl: ${curl}\nreproduce: ${command}`);
  });

  test('of inconclusive, skipped and passed checks', () => {
    expect(testNamed(ctrf, 'auth.bearer')).toMatchObject({
      status: 'other',
      rawStatus: 'inconclusive',
      message: 'out of time',
    });
    expect(testNamed(ctrf, 'vault-delete.503.writes-disabled')).toMatchObject({
      status: 'skipped',
      message: 'would take a key of the role write_disabled',
    });
    const held = testNamed(ctrf, 'auth.missing-key');
    expect(held).toMatchObject({ status: 'passed', duration: 3 });
    expect(held).not.toHaveProperty('message');
    expect(held).not.toHaveProperty('trace');
  });

  test('of a failure of the suite itself', () => {
    const told = testNamed(rendered(sampleReport({ exitCode: 5, notes: ['a stray rejection'] })), 'suite');
    expect(told).toMatchObject({ status: 'failed', rawStatus: 'error', trace: 'note: a stray rejection' });
  });
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
