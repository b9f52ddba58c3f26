import { expect, it } from 'vitest';
import { renderBadge } from '../../reports/badge.js';
import { renderMetrics } from '../../reports/metrics.js';
import { reportsToRender } from './rendered-reports.js';
import { sampleReport } from './sample-report.js';

const label = '[a-z_]+="(?:[^"\\\\\\n]|\\\\[\\\\"n])*"';
const line = new RegExp(
  `^(?:# (?:TYPE|UNIT|HELP) .+|plumbline_[a-z_]+\\{${label}(?:,${label})*\\} -?[0-9.e+]+)$`,
);

function sumOf(metrics: string, name: string, text = ''): number {
  const samples = metrics.split('\n').filter((each) => each.startsWith(`${name}{`) && each.includes(text));
  return samples.reduce((sum, sample) => sum + Number(sample.slice(sample.lastIndexOf(' '))), 0);
}

it.each(reportsToRender)('metrics.prom of the %s report is OpenMetrics and counts rows', (_kind, make) => {
  const report = make();
  const metrics = renderMetrics(report);
  expect(metrics.endsWith('\n# EOF\n')).toBe(true);
  const lines = metrics.slice(0, -'# EOF\n'.length).trimEnd().split('\n');
  expect(lines.filter((each) => !line.test(each))).toEqual([]);
  const countOf = (status: string) => sumOf(metrics, 'plumbline_requirements', `status="${status}"`);
  const counts = Object.keys(report.totals).map((status) => [status, countOf(status)]);
  expect(Object.fromEntries(counts)).toEqual(report.totals);
  expect(sumOf(metrics, 'plumbline_gate_exit_code')).toBe(report.gate.exit_code);
  expect(sumOf(metrics, 'plumbline_verdict')).toBe(1);
  expect(sumOf(metrics, 'plumbline_verdict', `plumbline_verdict="${report.verdict}"`)).toBe(1);
});

it('metrics.prom reports a status that no requirement of an area has as 0, so that an alert sees it fall', () => {
  const metrics = renderMetrics(sampleReport());
  expect(metrics).toMatch(/^plumbline_requirements\{.*area="auth",level="must",status="fail"\} 0$/m);
});

it('metrics.prom prints no password of an address, nor what acts on a terminal or ends a label', () => {
  const metrics = renderMetrics(
    sampleReport({ baseUrl: 'https://bob:pa@ssphrase@h/a"b\\c\u001b[2J\u202e\nv1' }),
  );
  expect(metrics).toContain('target="https://h/a\\"b\\\\c\\\\u001b[2J\\\\u202e⏎v1"');
  expect(metrics).not.toContain('phrase');
});

it.each([
  ['passes', {}, 'brightgreen', /^\d+ passed$/],
  ['passes with a waiver', { waived: ['auth.bearer'] }, 'green', /^\d+ passed, 1 waived$/],
  ['is non-conformant', { exitCode: 1 }, 'red', /^non-conformant$/],
  ['has invalid waivers', { exitCode: 2 }, 'orange', /^invalid waivers or policy$/],
  ['was not judged', { exitCode: 3 }, 'orange', /^not judged$/],
  ['is incomplete', { exitCode: 4 }, 'orange', /^incomplete$/],
  ['met a fault of the suite', { exitCode: 5 }, 'orange', /^the suite failed$/],
  ['was interrupted', { exitCode: 130 }, 'orange', /^interrupted$/],
] as const)('badge.json of a run that %s says so, green if releasable', (_, changes, color, message) => {
  expect(JSON.parse(renderBadge(sampleReport(changes)))).toEqual({
    schemaVersion: 1,
    label: 'conformance',
    message: expect.stringMatching(message),
    color,
  });
});
