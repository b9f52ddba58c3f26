import { describe, expect, it } from 'vitest';
import { renderCtrf } from '../../reports/ctrf.js';
import { renderAnnotations } from '../../reports/github-annotations.js';
import { renderHar } from '../../reports/har.js';
import { renderJUnit } from '../../reports/junit.js';
import { renderMarkdown } from '../../reports/markdown.js';
import { renderMetrics } from '../../reports/metrics.js';
import type { RenderOptions } from '../../reports/report-view.js';
import { renderSarif } from '../../reports/sarif.js';
import { renderTerminal } from '../../reports/terminal.js';
import type { Report } from '../../spec/report.js';
import { bigReport, bigTraffic } from './big-report.js';
import { hostileReport } from './hostile-report.js';
import { sampleFailure, sampleReport } from './sample-report.js';

type Render = (report: Report, options: RenderOptions) => string;

const onTerminal: Render = (report, { directory }) =>
  renderTerminal(report, { color: false, width: 200, reportDir: directory });

/** The processor time that a call takes, in milliseconds: other work on the machine is none of it. */
function measureCpuTime(call: () => unknown): number {
  const before = process.cpuUsage();
  call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const hostile = hostileReport();
const big = bigReport();
const traffic = bigTraffic();

it.each<readonly [string, () => unknown]>([
  ['traffic.har', () => renderHar(big, traffic)],
  ['junit.xml', () => renderJUnit(big)],
  ['ctrf.json', () => renderCtrf(big)],
  ['results.sarif', () => renderSarif(big)],
  ['summary.md', () => renderMarkdown(big)],
  ['annotations', () => renderAnnotations(big)],
  ['the summary on a terminal', () => onTerminal(big, {})],
  ['the summary of a hostile server', () => onTerminal(hostile, {})],
])('%s is rendered within 300 ms, however much is in it', (_format, render) => {
  // Other work on the machine slows down single tries.
  expect([1, 2, 3].some(() => measureCpuTime(render) < 300)).toBe(true);
});

describe.each<readonly [string, Render, length: number]>([
  ['junit.xml', renderJUnit, 300_000],
  ['ctrf.json', renderCtrf, 300_000],
  ['results.sarif', renderSarif, 1_000_000],
  ['summary.md', renderMarkdown, 200_000],
  ['annotations', renderAnnotations, 60_000],
  ['metrics.prom', renderMetrics, 300_000],
  ['the summary on a terminal', onTerminal, 200_000],
])('%s of a hostile server', (_format, render, length) => {
  const text = render(hostile, { directory: 'out' });

  it('has nothing that could act or hide, and is short', () => {
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
    expect(text.length).toBeLessThan(length);
  });

  it('has no line that GitHub Actions takes for a command but its own', () => {
    const commands = text.split('\n').filter((line) => /^\s*::/.test(line));
    expect(commands.filter((line) => !/^::(?:error|warning) title=plumbline%3A/.test(line))).toEqual([]);
  });
});

const ids = ['vault-delete.404.other-intern', 'envelope.error.message'] as const;

function reported(changes: { readonly control: boolean; readonly isOld?: boolean }): Report {
  const failures = ids.map((id) => {
    const failure = sampleFailure(id);
    const origin = changes.isOld === true ? {} : { origin: { check: id } };
    return { ...failure, reproduce: { ...failure.reproduce, ...origin } };
  });
  const report = sampleReport({ exitCode: 1, failures });
  return { ...report, target: { ...report.target, control: changes.control } };
}

it.each<readonly [string, Render, hasCurl: boolean]>([
  ['junit.xml', renderJUnit, true],
  ['ctrf.json', renderCtrf, true],
  ['results.sarif', renderSarif, false],
  ['summary.md', renderMarkdown, true],
  ['annotations', renderAnnotations, false],
  ['the summary on a terminal', onTerminal, true],
])('%s names the command that replays a finding, and says if curl lines need it', (_, render, hasCurl) => {
  const note = 'The curl lines need a world of their own; replay opens one.';
  const renderIn = (directory: string, ...changes: Parameters<typeof reported>) =>
    render(reported(...changes), { directory }).replace(/\s+/g, ' ');
  const world = renderIn('out/tonight', { control: true });
  expect(world).toContain('plumbline replay out/tonight 1');
  expect(renderIn("to night's", { control: true })).toContain("plumbline replay 'to night");
  expect(world.includes(note)).toBe(hasCurl);
  expect(renderIn('out', { control: false })).not.toContain(note);
  // Version 0.1 did not write which check made a finding.
  expect(renderIn('out', { control: true, isOld: true })).not.toContain('plumbline replay');
});
