import { expect, test } from 'vitest';
import { type Comparison, compareReports } from '../../reports/comparison.js';
import { renderComparisonMarkdown, renderComparisonTerminal } from '../../reports/comparison-text.js';
import { renderComparisonPage } from '../../reports/html/comparison-page.js';
import { countColumns } from '../../reports/terminal-layout.js';
import { eventfulReport, sampleFailure, sampleReport } from './sample-report.js';

const eventful = { ...eventfulReport(), run: { ...eventfulReport().run, id: 'later', seed: 5 } };
const worse = compareReports(sampleReport(), eventful, ['lost-coverage']);

function onTerminal(comparison: Comparison, width = 100): string {
  return renderComparisonTerminal(comparison, { color: false, width });
}

test('on a terminal the verdicts and what changed come first, the exit code last, each kind of change apart', () => {
  const text = onTerminal(worse);
  for (const words of [
    /^conformant → non-conformant: 4 newly failed, \d+ lost, 3 inconclusive now/,
    /^Lost coverage \(\d+\): had a result before, not exercised now$/m,
    /^Inconclusive now \(3\): .*a disturbance/m,
    /^Not comparable \(2\):/m,
    /both\s+not\s+selected\s+guardrail-read\.200\.read/,
    /Stopped by new violation and lost coverage: exit code 1\.\n$/,
    // What it takes to reproduce a new violation.
    /^vault-delete\.404\.other-intern \(must, §7\.1\)$/m,
    /before +passed\n +situation +vault-delete answered 204 [^§]* expected +404\n +got +204\n +confirmed +in 3 of 3 attempts/,
    /^ {2}plumbline run .*--only vault-delete\.404\.other-intern --seed -77$/m,
  ])
    expect(text).toMatch(words);
});

test('on a terminal improvements are shown too, and that there was no result before', () => {
  const better = onTerminal(compareReports(eventful, sampleReport()));
  expect(better).toMatch(/^Newly passed \(4\): failed before, passed now$/m);
  expect(better).toMatch(/^Gained coverage \(\d+\):/m);
  expect(better).toMatch(/No deciding new violation: exit code 0\.\n$/);
  const before = sampleReport({ rows: { 'auth.bearer': ['inconclusive', 'out of time'] } });
  const after = sampleReport({ failures: [sampleFailure('auth.bearer')] });
  expect(onTerminal(compareReports(before, after))).toContain('before     inconclusive, out of time');
});

test('on a terminal it fits 60 columns but for commands, which stand whole, and colour is asked for or absent', () => {
  const lines = onTerminal(worse, 60).split('\n');
  const wide = lines.filter((line) => countColumns(line) > 60);
  expect(wide.filter((line) => !line.startsWith('  plumbline run'))).toEqual([]);
  expect(onTerminal(worse)).not.toContain('\u001b');
  expect(renderComparisonTerminal(worse, { color: true, width: 80 })).toContain('\u001b[31m');
});

test('a requirement that failed before in other situations counts among new violations, not as newly failed', () => {
  const inSituations = (...situations: readonly string[]) =>
    sampleReport({ failures: situations.map((situation) => sampleFailure('auth.bearer', { situation })) });
  const after = inSituations('expired', 'disabled');
  const later = { ...after, run: { ...after.run, id: 'later' } };
  const comparison = compareReports(inSituations('expired'), later);
  const heading = 'New violations: 1 requirement';
  expect(onTerminal(comparison)).toContain(`\n${heading}\n`);
  expect(renderComparisonMarkdown(comparison)).toContain(`\n### ${heading}\n`);
  expect(renderComparisonPage(comparison)).toContain(`<h2>${heading}</h2>`);
});

test('in Markdown each new violation stands open, the rest folded', () => {
  const page = renderComparisonMarkdown(worse);
  expect(page).toMatch(/^## conformant → non-conformant: 4 newly failed/);
  expect(page.match(/^#### `.*`/gm)).toHaveLength(4);
  expect(page).toContain('<summary><b>Lost coverage (');
});

test('hostile text acts neither on a terminal nor in Markdown', () => {
  const actual = 'a | b `c` <img src=x> [l](http://x) @you **b**\n# top\u202e\u001b[2J';
  const after = sampleReport({
    baseUrl: actual,
    failures: [sampleFailure('auth.bearer', { actual })],
    rows: { 'auth.missing-key': ['inconclusive', actual] },
  });
  const comparison = compareReports(sampleReport(), after);
  const [text, page] = [onTerminal(comparison), renderComparisonMarkdown(comparison)];
  // Control and format characters, line ends aside.
  expect(text + page).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
  expect(text).toContain('\\u202e\\u001b[2J');
  const line = page.split('\n').find((one) => one.startsWith('- got '));
  expect(line).toContain('``a | b `c` <img');
  const outsideCode = line?.replace(/(`+)(?!`).*?(?<!`)\1(?!`)/g, '');
  expect(outsideCode).not.toMatch(/[`*[\]]|@y|<img|http:/);
  expect(page).not.toMatch(/^# top/m);
});
