import { type CTRFReport, validateStrict } from 'ctrf';
import { expect, it, test } from 'vitest';
import { renderCtrf } from '../../reports/ctrf.js';
import { buildVerdictTest } from '../../reports/test-case-view.js';
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

test.each(reportsToRender)('the %s report has and counts a test for each check', (_name, make) => {
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
});

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
    {
      name: 'envelope.error.message',
      message: expect.stringMatching(/\(and 1 further violation\)$/),
      trace: expect.stringMatching(
        /got: error\.message is missing\n[\s\S]*got: error\.message is a number\n/,
      ),
    },
    { name: 'auth.bearer', status: 'other', rawStatus: 'inconclusive', message: 'out of time' },
    {
      name: 'vault-delete.503.writes-disabled',
      ...{ status: 'skipped', message: 'needs a key of the role write_disabled' },
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

it.each([
  [0, 'pass', 'conformant'],
  [1, 'fail', 'non-conformant'],
  [2, 'error', 'usage'],
  [3, 'error', 'unjudged'],
  [4, 'fail', 'incomplete'],
  [5, 'error', 'suite-fault'],
  [130, 'error', 'interrupted'],
  [77, 'error', 'unknown'],
])('the test of the verdict of a gate of %i is %s, of the type %s', (exitCode, result, type) => {
  expect(buildVerdictTest(sampleReport({ exitCode }))).toMatchObject({ result, type });
});

it('the test of the verdict says the exit code where the verdict has another, and that the run stopped early', () => {
  const message = (changes: Parameters<typeof sampleReport>[0]) =>
    buildVerdictTest(sampleReport(changes)).message;
  expect(message({})).toMatch(/^conformant: \d+ requirements passed on \S+$/);
  expect(message({ exitCode: 2, complete: false })).toMatch(
    /^conformant: .+; the run stopped early; exit code 2: the waivers or the policy are invalid$/,
  );
  expect(message({ exitCode: 130, complete: false })).toMatch(
    /^conformant: [^;]+; exit code 130: the run was interrupted$/,
  );
  expect(message({ verdict: 'unjudged', exitCode: 3, notes: ['down'] })).toBe('unjudged: down');
  const waived = { failures: [sampleFailure('auth.bearer')], waived: ['auth.bearer'] };
  expect(message({ verdict: 'non-conformant', ...waived })).toBe(
    'non-conformant: 1 must requirement failed; exit code 0: allowed by waivers, policy or ledger version',
  );
});

it('the test of the verdict lists what failed, but neither waived nor advisory requirements', () => {
  const report = eventfulReport();
  const gate = { ...report.gate, waived: ['key-info.usage.nested'] };
  const { detail } = buildVerdictTest({ ...report, gate });
  expect(detail).toEqual(['vault-delete.404.other-intern', 'envelope.error.message']);
});

it('the test of the verdict lists the musts that did not pass by reason, unless they are excused, and what to do', () => {
  const report = sampleReport({
    verdict: 'incomplete',
    exitCode: 4,
    rows: {
      'auth.bearer': ['inconclusive', 'out of time'],
      'auth.missing-key': ['inconclusive', 'out of time'],
      'guardrail-read.200.read': ['not-exercised', 'not selected'],
      'rate-limit.paid': ['not-exercised', 'needs a paid model'],
    },
  });
  const gate = { ...report.gate, excused: ['auth.missing-key'] };
  expect(buildVerdictTest({ ...report, gate }).detail).toEqual([
    'out of time: auth.bearer',
    'needs a paid model: rate-limit.paid',
    expect.stringContaining('policy.excused'),
  ]);
});

it('the test of the verdict repeats the notes of the run and of the gate, but for the one that is the reason', () => {
  const notes = { notes: ['down', 'out'], gateNotes: ['stale'] };
  const report = sampleReport({ verdict: 'unjudged', exitCode: 2, ...notes });
  expect(buildVerdictTest(report).detail).toEqual(['note: out', 'note: stale']);
});
