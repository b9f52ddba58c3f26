import { describe, expect, test } from 'vitest';
import { comparisonOf } from '../../../reports/comparison/compare-reports.js';
import { comparisonMarkdown } from '../../../reports/comparison/comparison-markdown.js';
import { comparisonText } from '../../../reports/comparison/comparison-text.js';
import { columnsOf } from '../../../reports/wrapped-text.js';
import { eventfulReport, sampleFailure, sampleReport } from '../sample-report.js';

const eventful = { ...eventfulReport(), run: { ...eventfulReport().run, id: 'later', seed: 5 } };
const worse = comparisonOf(sampleReport(), eventful, ['lost-coverage']);
const better = comparisonOf(eventful, sampleReport());

// Control and format characters, line ends aside.
const live = /(?!\n)[\p{Cc}\p{Cf}]/u;

function unwrapped(text: string): string {
  return text.replace(/\s+/g, ' ');
}

describe('on a terminal', () => {
  const text = comparisonText(worse, { color: false, width: 100 });

  test('the verdicts and what changed come first, the exit code last', () => {
    expect(text.split('\n')[0]).toMatch(
      /^conformant → non-conformant: 4 newly violated, \d+ lost, 3 undecided now/,
    );
    expect(text).toMatch(/Stopped by new violation and lost coverage: exit code 1\.\n$/);
  });

  test('a new violation has what it takes to see it again', () => {
    const told = unwrapped(text);
    expect(told).toContain('must vault-delete.404.other-intern §7.1');
    expect(told).toMatch(
      /before held before situation vault-delete answered 204 .* expected 404 came 204 confirmed 3\/3/,
    );
    expect(text).toMatch(/^ {2}plumbline run .*--only vault-delete\.404\.other-intern --seed -77$/m);
  });

  test('what was not judged before is said so', () => {
    const before = sampleReport({ rows: { 'auth.bearer': ['inconclusive', 'out of time'] } });
    const after = sampleReport({ failures: [sampleFailure('auth.bearer')] });
    const told = comparisonText(comparisonOf(before, after), { color: false, width: 100 });
    expect(told).toContain('not judged before: undecided, out of time');
  });

  test('lost coverage is told apart from a noisy night and from what was left out', () => {
    expect(text).toMatch(/^Lost coverage \(\d+\): judged before, not exercised now$/m);
    expect(text).toMatch(/^Undecided now \(3\): .*a disturbance rather than a loss$/m);
    expect(text).toMatch(/^Not comparable \(2\):/m);
    expect(unwrapped(text)).toContain(
      'not selected in the new run; not violated before guardrail-read.200.read',
    );
  });

  test('what is better is told too', () => {
    const told = comparisonText(better, { color: false, width: 100 });
    expect(told).toMatch(/^Newly held \(4\): violated before, held now$/m);
    expect(told).toMatch(/^Gained coverage \(\d+\):/m);
    expect(told).toMatch(/No new violation that decides: exit code 0\.\n$/);
  });

  test('it fits 60 columns but for commands, which stand whole', () => {
    const lines = comparisonText(worse, { color: false, width: 60 }).split('\n');
    expect(lines.filter((line) => columnsOf(line) > 60 && !line.startsWith('  plumbline run'))).toEqual([]);
  });

  test('colour is asked for or absent', () => {
    const esc = String.fromCharCode(27);
    expect(text).not.toContain(esc);
    expect(comparisonText(worse, { color: true, width: 80 })).toContain(`${esc}[31m`);
  });
});

describe('in Markdown', () => {
  test('a row for each new violation, the rest folded', () => {
    const page = comparisonMarkdown(worse);
    expect(page).toMatch(/^## conformant → non-conformant: 4 newly violated/);
    expect(page.match(/^\| <code>.*\|$/gm)).toHaveLength(4);
    expect(page).toContain('<summary><b>Lost coverage (');
  });

  test('text from a server stays text', () => {
    const actual = 'a | b `c` <img src=x> [l](http://x) @you **b**\n# top\u202e\u001b[2J';
    const after = sampleReport({ failures: [sampleFailure('auth.bearer', { actual })] });
    const page = comparisonMarkdown(comparisonOf(sampleReport(), after));
    const row = page.split('\n').find((line) => line.includes('auth.bearer'));
    expect(row?.split('|')).toHaveLength(7);
    expect(row).not.toMatch(/[`*[\]]|@y|<img|http:/);
    expect(page).not.toMatch(/^# top/m);
    expect(page).not.toMatch(live);
  });
});

test('hostile text does not act on a terminal', () => {
  const hostile = '\u001b[2J\u202egone';
  const after = sampleReport({
    baseUrl: hostile,
    failures: [sampleFailure('auth.bearer', { actual: hostile })],
    rows: { 'auth.missing-key': ['inconclusive', hostile] },
  });
  const text = comparisonText(comparisonOf(sampleReport(), after), { color: false, width: 80 });
  expect(text).not.toMatch(live);
  expect(text).toContain('\\u001b[2J\\u202egone');
});
