import { describe, expect, test } from 'vitest';
import { renderTrendPage } from '../../reports/html/trend-page.js';
import { countColumns } from '../../reports/terminal-layout.js';
import { buildTrend } from '../../reports/trend.js';
import { renderTrendTerminal } from '../../reports/trend-text.js';
import { expectOwnOnly } from './own-style.js';
import { sampleHistory, watched } from './sample-history.js';

const day = (number: number) => `2030-04-0${number}T02:15:00.000Z`;

test.each([
  [
    'vvx',
    { now: 'there', first_seen: day(3), last_seen: day(3), times_seen: 1, returns: 0, gone_since: null },
  ],
  [
    'xxv',
    { now: 'gone', first_seen: day(1), last_seen: day(2), times_seen: 2, returns: 0, gone_since: day(3) },
  ],
  ['xvx', { now: 'there', first_seen: day(1), times_seen: 2, returns: 1 }],
  ['x?x', { now: 'there', returns: 0 }],
  ['x?.', { now: 'not-judged-since', gone_since: null }],
  ['x.v', { now: 'gone', gone_since: day(3) }],
  ['xv.', { now: 'gone', gone_since: day(2) }],
])('the course of a violation is followed: %s', (signs, course) => {
  const { violations } = buildTrend(sampleHistory(signs), 30);
  expect(violations).toEqual([expect.objectContaining({ id: watched, decides: true, ...course })]);
});

test('the course of a violation counts from the whole history though only the last runs are shown', () => {
  const { runs, runs_in_all, violations } = buildTrend(sampleHistory('xvvxx'), 2);
  expect([runs_in_all, runs.map(({ number }) => number)]).toEqual([5, [4, 5]]);
  expect(violations).toEqual([
    expect.objectContaining({ first_seen: day(1), times_seen: 3, marks: ['violated', 'violated'] }),
  ]);
});

test('what was gone before the shown runs is only counted', () => {
  expect(buildTrend(sampleHistory('xvvv'), 2)).toMatchObject({ violations: [], gone_before: 1 });
  expect(buildTrend(sampleHistory('x???'), 2)).toMatchObject({ violations: [{ now: 'not-judged-since' }] });
});

test('an advisory finding does not decide', () => {
  const history = sampleHistory('v', (entry) => ({ ...entry, advisory: ['secrecy.key-echo'] }));
  expect(buildTrend(history, 5).violations).toMatchObject([{ id: 'secrecy.key-echo', decides: false }]);
});

test('what was measured beside the runs is charted by name', () => {
  const ratio = 'the whole way ÷ bare node:http';
  const measured = buildTrend(
    sampleHistory('vvv', (entry, at) => (at === 0 ? entry : { ...entry, figures: { [ratio]: at / 4 } })),
    30,
  );
  const text = renderTrendTerminal(measured, { color: false, width: 80 });
  expect(text).toMatch(/^the whole way ÷ bare node:http\n +▁█ +0\.5 now, 0\.25 to 0\.5$/m);
  expect(renderTrendPage(measured)).toContain('The whole way ÷ bare node:http');
});

const eventful = sampleHistory('vvxxv?x', (entry, at) => ({
  ...entry,
  ...(at === 4 ? { ended: 'interrupted' as const, exit_code: 130 } : {}),
  ...(at === 5 ? { shard: '2/3', selection: { only: ['auth.*'], skip: [] } } : {}),
}));

describe('on a terminal', () => {
  const text = renderTrendTerminal(buildTrend(eventful, 30), { color: false, width: 100 });

  test('the last result, a line for each run, when the violation appeared', () => {
    expect(text.split('\n')[0]).toMatch(/^non-conformant: \d+ passed, 1 failed$/);
    expect(text).toContain('7 runs, 2030-04-01 02:15 to 2030-04-07 02:15 UTC');
    expect(text).toMatch(/^ *3 {2}04-03 02:15 {2}non-conformant +\d+ +1 +0$/m);
    expect(text).toContain('first seen 2030-04-03 02:15, in 3 runs, still failed, came back once');
    expect(text).toContain('✓✓✗✗✓?✗');
  });

  test('runs of a part only are marked', () => {
    expect(text).toMatch(/^ *\*5 /m);
    expect(text).toContain('* Run 5 was interrupted.');
    expect(text).toContain('* Run 6 judged only shard 2/3, ran with --only auth.*.');
  });

  test('every figure has a chart from its lowest to its highest value', () => {
    expect(text).toMatch(/^failed {5}▁▁███ {2}1 now, 0 to 1$/m);
    expect(renderTrendTerminal(buildTrend(sampleHistory('v'), 9), { color: false, width: 80 })).not.toMatch(
      /[▁-█]/,
    );
  });

  test.each([1, 7, 31])('%d runs fit 60 columns', (amount) => {
    const history = sampleHistory('x'.repeat(amount), (entry, at) => ({
      ...entry,
      violated: Array.from({ length: (at % 3) * 60 + 1 }, (_, one) => `auth.${one}`),
      duration_ms: 200_000,
      totals: { ...entry.totals, pass: 1_234 },
    }));
    const lines = renderTrendTerminal(buildTrend(history, 100), { color: false, width: 60 }).split('\n');
    expect(lines.filter((line) => countColumns(line) > 60)).toEqual([]);
  });

  test('an empty history says so', () => {
    const none = buildTrend({ entries: [], invalid: [] }, 5);
    expect(renderTrendTerminal(none, { color: false, width: 80 })).toBe('This history has no run yet.\n');
    expect(renderTrendPage(none)).toContain('This history has no run yet.');
  });

  test('runs of several servers are pointed out', () => {
    const mixed = sampleHistory('vv', (entry, at) => ({ ...entry, target: `http://${at}/v1` }));
    expect(renderTrendTerminal(buildTrend(mixed, 5), { color: false, width: 100 })).toContain(
      'These runs judged 2 addresses',
    );
  });
});

describe('as a page', () => {
  const page = renderTrendPage(buildTrend(eventful, 30));

  test('stands by itself', () => {
    expect(page).toMatch(/^<!doctype html>\n<html lang="en">/);
    expectOwnOnly(page, ['style']);
    const alone = renderTrendPage(buildTrend(sampleHistory('x'), 30));
    expect(page + alone).not.toMatch(/<script|<img|url\(|NaN|Infinity|undefined/);
  });

  test('every figure has a chart with its range, and a table of runs the numbers', () => {
    expect(page.match(/role="img" aria-label="[^"]+, Depth standard, 7 runs: [^"]+"/g)).toHaveLength(5);
    expect(page.match(/<tr><th scope="row">\d/g)).toHaveLength(7);
  });

  test('shows the loss of two rows, and leaves a run that judged only a part to the table', () => {
    const counts = [203, 201, 203, 12];
    const lossy = sampleHistory('vvvv', (entry, at) => ({
      ...entry,
      totals: { ...entry.totals, pass: counts[at] ?? 0 },
      ...(at === 3 ? { selection: { only: ['auth.*'], skip: [] } } : {}),
    }));
    expect(renderTrendPage(buildTrend(lossy, 9))).toContain(
      'aria-label="passed, Depth standard, 4 runs: 203 now, 201 to 203">█▁█</span>',
    );
  });

  test('keeps the runs of different depths apart', () => {
    const mixed = sampleHistory('vvxv', (entry, at) => ({
      ...entry,
      depth: at % 2 === 0 ? 'quick' : 'standard',
    }));
    const [html, text] = [
      renderTrendPage(buildTrend(mixed, 9)),
      renderTrendTerminal(buildTrend(mixed, 9), { color: false, width: 100 }),
    ];
    expect([...html.matchAll(/<h2>(Depth[^<]*)/g)].map(([, heading]) => heading)).toEqual([
      'Depth standard, 2 runs',
      'Depth quick, 2 runs',
    ]);
    expect(html).toContain('"failed, Depth quick, 2 runs: 1 now, 0 to 1"');
    expect(html).toContain('"failed, Depth standard, 2 runs: 0"');
    expect(text).toMatch(
      /^Depth standard, 2 runs\n[\s\S]*^failed {5}▁▁ {2}0$[\s\S]*^Depth quick, 2 runs\n[\s\S]*^failed {5}▁█ {2}1 now/m,
    );
  });

  test('does not take what a run of another depth did not see for gone', () => {
    const mixed = sampleHistory('xvxv', (entry, at) => ({
      ...entry,
      depth: at % 2 === 0 ? 'standard' : 'quick',
    }));
    const trend = buildTrend(mixed, 9);
    expect(trend.violations).toEqual([
      expect.objectContaining({ id: watched, depth: 'standard', now: 'there', returns: 0 }),
    ]);
    expect(renderTrendPage(trend)).toContain('<span class="quiet"> (depth standard)</span>');
    expect(renderTrendTerminal(trend, { color: false, width: 100 })).toContain(
      `${watched} (depth standard)\n`,
    );
  });

  test('links runs and names commits, and takes no address that could act', () => {
    const sha = '0123456789abcdef0123456789abcdef01234567';
    const links = ['https://ci.example.com/1?a&b', 'javascript:alert(1)', 'data:text/html,x'];
    const named = sampleHistory('vvv', (entry, at) => ({ ...entry, label: sha, link: links[at] ?? '' }));
    const html = renderTrendPage(buildTrend(named, 9));
    expect(new Set([...html.matchAll(/<a href="([^"]*)"/g)].map(([, href]) => href))).toEqual(
      new Set(['https://ci.example.com/1?a&amp;b']),
    );
    expect(html).toContain(`<code title="${sha}"> 0123456789</code>`);
    expect(renderTrendTerminal(buildTrend(named, 9), { color: false, width: 120 })).toMatch(
      / label$[\s\S]* 0123456789$/m,
    );
  });
});

test('hostile text acts neither on a terminal nor on a page', () => {
  const hostile = '</style><script>alert(1)</script>\u001b[2J\u202e"';
  const history = sampleHistory('vv', (entry) => ({
    ...entry,
    target: hostile,
    violated: [hostile],
    selection: { only: [hostile], skip: [] },
  }));
  const trend = buildTrend(history, 5);
  const [text, page] = [renderTrendTerminal(trend, { color: false, width: 80 }), renderTrendPage(trend)];
  expect(`${text}${page}`).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
  expect(page).not.toContain('<script');
  expect(page.match(/<\/style>/g)).toHaveLength(1);
});
