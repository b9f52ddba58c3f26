import { expect, it } from 'vitest';
import { buildVerdictTest } from '../../reports/test-case-view.js';
import { eventfulReport, sampleFailure, sampleReport } from './sample-report.js';

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
      'rate-limit.paid': ['not-exercised', 'would take a paid model'],
    },
  });
  const gate = { ...report.gate, excused: ['auth.missing-key'] };
  expect(buildVerdictTest({ ...report, gate }).detail).toEqual([
    'out of time: auth.bearer',
    'would take a paid model: rate-limit.paid',
    expect.stringContaining('policy.excused'),
  ]);
});

it('the test of the verdict repeats the notes of the run and of the gate, but for the one that is the reason', () => {
  const notes = { notes: ['down', 'out'], gateNotes: ['stale'] };
  const report = sampleReport({ verdict: 'unjudged', exitCode: 2, ...notes });
  expect(buildVerdictTest(report).detail).toEqual(['note: out', 'note: stale']);
});
