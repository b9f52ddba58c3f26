import { describe, expect, test } from 'vitest';
import { type Comparison, compareReports } from '../../reports/comparison.js';
import { renderComparisonMarkdown, renderComparisonTerminal } from '../../reports/comparison-text.js';
import { countColumns } from '../../reports/terminal-layout.js';
import { eventfulReport, sampleFailure, sampleReport } from './sample-report.js';

const eventful = { ...eventfulReport(), run: { ...eventfulReport().run, id: 'later', seed: 5 } };
const worse = compareReports(sampleReport(), eventful, ['lost-coverage']);
const better = compareReports(eventful, sampleReport());

// Control and format characters, line ends aside.
const live = /(?!\n)[\p{Cc}\p{Cf}]/u;

function unwrapped(text: string): string {
  return text.replace(/\s+/g, ' ');
}

function onTerminal(comparison: Comparison): string {
  return renderComparisonTerminal(comparison, { color: false, width: 100 });
}

describe('on a terminal', () => {
  const text = onTerminal(worse);

  test('the verdicts and what changed come first, the exit code last', () => {
    expect(text.split('\n')[0]).toMatch(
      /^conformant → non-conformant: 4 newly failed, \d+ lost, 3 inconclusive now/,
    );
    expect(text).toMatch(/Stopped by new violation and lost coverage: exit code 1\.\n$/);
  });

  test('a new violation has what it takes to reproduce it', () => {
    const told = unwrapped(text);
    expect(told).toContain('vault-delete.404.other-intern (must, §7.1)');
    expect(told).toMatch(
      /before passed situation vault-delete answered 204 .* expected 404 got 204 confirmed in 3 of 3 attempts/,
    );
    expect(text).toMatch(/^ {2}plumbline run .*--only vault-delete\.404\.other-intern --seed -77$/m);
  });

  test('that there was no result before is shown', () => {
    const before = sampleReport({ rows: { 'auth.bearer': ['inconclusive', 'out of time'] } });
    const after = sampleReport({ failures: [sampleFailure('auth.bearer')] });
    expect(onTerminal(compareReports(before, after))).toContain('before     inconclusive, out of time');
  });

  test('lost coverage, inconclusive results and left out requirements are kept apart', () => {
    expect(text).toMatch(/^Lost coverage \(\d+\): had a result before, not exercised now$/m);
    expect(text).toMatch(/^Inconclusive now \(3\): .*a disturbance/m);
    expect(text).toMatch(/^Not comparable \(2\):/m);
    expect(unwrapped(text)).toContain('both not selected guardrail-read.200.read');
  });

  test('improvements are shown too', () => {
    const told = onTerminal(better);
    expect(told).toMatch(/^Newly passed \(4\): failed before, passed now$/m);
    expect(told).toMatch(/^Gained coverage \(\d+\):/m);
    expect(told).toMatch(/No deciding new violation: exit code 0\.\n$/);
  });

  test('it fits 60 columns but for commands, which stand whole', () => {
    const lines = renderComparisonTerminal(worse, { color: false, width: 60 }).split('\n');
    expect(lines.filter((line) => countColumns(line) > 60 && !line.startsWith('  plumbline run'))).toEqual(
      [],
    );
  });

  test('colour is asked for or absent', () => {
    const esc = String.fromCharCode(27);
    expect(text).not.toContain(esc);
    expect(renderComparisonTerminal(worse, { color: true, width: 80 })).toContain(`${esc}[31m`);
  });
});

test('in Markdown each new violation stands open, the rest folded', () => {
  const page = renderComparisonMarkdown(worse);
  expect(page).toMatch(/^## conformant → non-conformant: 4 newly failed/);
  expect(page.match(/^#### `.*`/gm)).toHaveLength(4);
  expect(page).toContain('<summary><b>Lost coverage (');
});

test('in Markdown text from a server stays text', () => {
  const actual = 'a | b `c` <img src=x> [l](http://x) @you **b**\n# top\u202e\u001b[2J';
  const after = sampleReport({ failures: [sampleFailure('auth.bearer', { actual })] });
  const page = renderComparisonMarkdown(compareReports(sampleReport(), after));
  const line = page.split('\n').find((text) => text.startsWith('- got '));
  expect(line).toContain('``a | b `c` <img');
  const outsideCode = line?.replace(/(`+)(?!`).*?(?<!`)\1(?!`)/g, '');
  expect(outsideCode).not.toMatch(/[`*[\]]|@y|<img|http:/);
  expect(page).not.toMatch(/^# top/m);
  expect(page).not.toMatch(live);
});

test('hostile text does not act on a terminal', () => {
  const hostile = '\u001b[2J\u202egone';
  const after = sampleReport({
    baseUrl: hostile,
    failures: [sampleFailure('auth.bearer', { actual: hostile })],
    rows: { 'auth.missing-key': ['inconclusive', hostile] },
  });
  const text = onTerminal(compareReports(sampleReport(), after));
  expect(text).not.toMatch(live);
  expect(text).toContain('\\u001b[2J\\u202egone');
});
