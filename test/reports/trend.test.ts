import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  appendHistory,
  assertAppendable,
  buildHistoryEntry,
  type History,
  readHistory,
} from '../../reports/history.js';
import { renderTrendPage } from '../../reports/html/trend-page.js';
import { renderJson } from '../../reports/sanitize.js';
import { countColumns } from '../../reports/terminal-layout.js';
import { buildTrend } from '../../reports/trend.js';
import { renderTrendTerminal } from '../../reports/trend-text.js';
import { UsageError } from '../../spec/thrown.js';
import { folder } from '../folders.js';
import { compileSchema, readSchema } from '../spec/schemas.js';
import { expectOwnOnly } from './own-style.js';
import { sampleHistory, watched } from './sample-history.js';
import { eventfulReport, sampleReport } from './sample-report.js';

function fresh(text?: string): string {
  const file = join(folder(), 'history.ndjson');
  if (text !== undefined) writeFileSync(file, text);
  return file;
}

const entry = buildHistoryEntry(eventfulReport());
const line = `${renderJson(entry, 0)}\n`;

test('a line of a history keeps the ids of requirements by what became of them', () => {
  expect(entry).toMatchObject({
    verdict: 'non-conformant',
    exit_code: 1,
    target: 'http://127.0.0.1:4010/v1',
    seed: -77,
    advisory: ['secrecy.key-echo'],
    ended: 'complete',
  });
  expect(entry.violated).toContain('key-info.usage.nested');
  expect(entry.violated).not.toContain('secrecy.key-echo');
  const inconclusive = ['auth.bearer', 'vault-delete.502.unreachable', 'vault-delete.504.timeout'];
  expect(entry.inconclusive.toSorted()).toEqual(inconclusive);
  // Not selected is not judged, and a later run must not take it for held.
  expect(entry.not_exercised).toContain('guardrail-read.200.read');
  expect(entry.unproven).toBeLessThan(entry.inconclusive.length + entry.not_exercised.length);
});

test.each([
  [130, false, 'interrupted'],
  [5, false, 'suite-failed'],
  [4, false, 'cut-short'],
  [4, true, 'complete'],
])('a line of a history of exit code %d, complete %s, ended as %s', (exitCode, complete, ended) => {
  expect(buildHistoryEntry(sampleReport({ exitCode, complete })).ended).toBe(ended);
});

test('a line of a history is what the schema describes, and every member of it is needed', () => {
  const schema = readSchema('history');
  const validate = compileSchema('history');
  expect(validate(entry), JSON.stringify(validate.errors)).toBe(true);
  for (const name of Object.keys(entry)) expect(validate({ ...entry, [name]: undefined })).toBe(false);
  const optional = ['figures', 'label', 'link'];
  expect([...schema.required, ...optional].sort()).toEqual(Object.keys(schema.properties).sort());
});

test('appending makes the file and adds whole lines, also when many end at once', async () => {
  const file = fresh();
  await Promise.all(Array.from({ length: 40 }, () => appendHistory(file, entry)));
  expect(readFileSync(file, 'utf8')).toBe(line.repeat(40));
});

test('appending begins a new line after one that was cut short', async () => {
  const file = fresh(`${line}{"format":"plumb`);
  await appendHistory(file, entry);
  expect(await readHistory(file)).toMatchObject({ entries: [entry, entry], invalid: [{ line: 2 }] });
});

test.each([
  ['a missing folder', join(folder(), 'nowhere', 'h.ndjson'), 'its folder does not exist'],
  ['a folder', folder(), 'is in the way'],
  ['a file for a folder', join(fresh('x'), 'h.ndjson'), 'there is a file of that name'],
])('%s is told before and after appending', async (_name, file, words) => {
  for (const attempt of [() => assertAppendable(file), () => appendHistory(file, entry)]) {
    const error: unknown = await attempt().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UsageError);
    expect(String(error)).toContain(`${file} cannot be appended to: `);
  }
  await expect(assertAppendable(file)).rejects.toThrow(words);
});

test('a look beforehand leaves nothing behind', async () => {
  const file = fresh();
  await assertAppendable(file);
  await expect(readHistory(file)).rejects.toThrow(UsageError);
});

test.runIf(existsSync('/dev/full'))('a full disk is told', async () => {
  await expect(appendHistory('/dev/full', entry)).rejects.toThrow('the disk is full');
});

test('reading skips lines that are not run records and lists them', async () => {
  const other = JSON.stringify({ ...entry, format: 'plumbline-history/2' });
  const short = JSON.stringify({ ...entry, totals: {} });
  const file = fresh(`\uFEFF${line}\r\n\n[]\nnull\n${other}\n${short}\n${line.slice(0, 40)}\n${line.trim()}`);
  const { entries, invalid } = await readHistory(file);
  expect(entries).toEqual([entry, entry]);
  expect(invalid.map(({ line: number }) => number)).toEqual([4, 5, 6, 7, 8]);
  expect(invalid.at(-1)?.why).toContain('not valid JSON');
  expect(invalid[2]?.why).toContain('/format');
});

test('reading sorts the runs by their start', async () => {
  // A later version may have added a member.
  const early = { ...entry, id: 'early', started_at: '2029-01-01T00:00:00Z', later: 1 };
  const { entries } = await readHistory(fresh(line + JSON.stringify(early)));
  expect(entries.map(({ id }) => id)).toEqual(['early', entry.id]);
});

const day = (number: number) => `2030-04-0${number}T02:15:00.000Z`;

function render(history: History, width = 100) {
  const trend = buildTrend(history, 100);
  return { text: renderTrendTerminal(trend, { color: false, width }), page: renderTrendPage(trend) };
}

test.each([
  ['vvx', { now: 'there', first_seen: day(3), last_seen: day(3), times_seen: 1, gone_since: null }],
  ['xxv', { now: 'gone', first_seen: day(1), last_seen: day(2), times_seen: 2, gone_since: day(3) }],
  ['xvx', { now: 'there', first_seen: day(1), times_seen: 2, returns: 1 }],
  ['x?x', { now: 'there', returns: 0 }],
  ['x?.', { now: 'not-judged-since', gone_since: null }],
  ['x.v', { now: 'gone', gone_since: day(3) }],
  ['xv.', { now: 'gone', gone_since: day(2) }],
])('the course of a violation is followed: %s', (signs, course) => {
  const { violations } = buildTrend(sampleHistory(signs), 30);
  expect(violations).toEqual([expect.objectContaining({ id: watched, decides: true, ...course })]);
});

test('the course of a violation counts from the whole history, though only the last runs are shown', () => {
  const { runs, runs_in_all, violations } = buildTrend(sampleHistory('xvvxx'), 2);
  expect([runs_in_all, runs.map(({ number }) => number)]).toEqual([5, [4, 5]]);
  const expected = { first_seen: day(1), times_seen: 3, marks: ['violated', 'violated'] };
  expect(violations).toEqual([expect.objectContaining(expected)]);
  expect(buildTrend(sampleHistory('xvvv'), 2)).toMatchObject({ violations: [], gone_before: 1 });
  expect(buildTrend(sampleHistory('x???'), 2)).toMatchObject({ violations: [{ now: 'not-judged-since' }] });
});

test('an advisory finding does not decide', () => {
  const history = sampleHistory('v', (entry) => ({ ...entry, advisory: ['secrecy.key-echo'] }));
  expect(buildTrend(history, 5).violations).toMatchObject([{ id: 'secrecy.key-echo', decides: false }]);
});

test('what was measured beside the runs is charted by name', () => {
  const ratio = 'the whole way ÷ bare node:http';
  const { text, page } = render(
    sampleHistory('vvv', (entry, at) => (at === 0 ? entry : { ...entry, figures: { [ratio]: at / 4 } })),
  );
  expect(text).toMatch(/^the whole way ÷ bare node:http\n +▁█ +0\.5 now, 0\.25 to 0\.5$/m);
  expect(page).toContain('The whole way ÷ bare node:http');
});

const eventful = render(
  sampleHistory('vvxxv?x', (entry, at) => ({
    ...entry,
    ...(at === 4 ? { ended: 'interrupted' as const, exit_code: 130 } : {}),
    ...(at === 5 ? { shard: '2/3', selection: { only: ['auth.*'], skip: [] } } : {}),
  })),
);

test('on a terminal stand the last result, a line for each run, when the violation appeared, and charts', () => {
  const { text } = eventful;
  expect(text).toMatch(/^non-conformant: \d+ passed, 1 failed\n/);
  expect(text).toMatch(/^ *3 {2}04-03 02:15 {2}non-conformant +\d+ +1 +0$/m);
  expect(text).toMatch(/^ *\*5 /m);
  // From the lowest to the highest value.
  expect(text).toMatch(/^failed {5}▁▁███ {2}1 now, 0 to 1$/m);
  for (const words of [
    '7 runs, 2030-04-01 02:15 to 2030-04-07 02:15 UTC',
    'first seen 2030-04-03 02:15, in 3 runs, still failed, came back once',
    '✓✓✗✗✓?✗',
    '* Run 5 was interrupted.',
    '* Run 6 judged only shard 2/3, ran with --only auth.*.',
  ])
    expect(text).toContain(words);
  expect(render(sampleHistory('v')).text).not.toMatch(/[▁-█]/);
});

test.each([1, 7, 31])('on a terminal %d runs fit 60 columns', (amount) => {
  const history = sampleHistory('x'.repeat(amount), (entry, at) => ({
    ...entry,
    violated: Array.from({ length: (at % 3) * 60 + 1 }, (_, one) => `auth.${one}`),
    duration_ms: 200_000,
    totals: { ...entry.totals, pass: 1_234 },
  }));
  const lines = render(history, 60).text.split('\n');
  expect(lines.filter((line) => countColumns(line) > 60)).toEqual([]);
});

test('an empty history says so', () => {
  const { text, page } = render({ entries: [], invalid: [] });
  expect(text).toBe('This history has no run yet.\n');
  expect(page).toContain('This history has no run yet.');
});

test('runs of several servers are pointed out', () => {
  const mixed = sampleHistory('vv', (entry, at) => ({ ...entry, target: `http://${at}/v1` }));
  expect(render(mixed).text).toContain('These runs judged 2 addresses');
});

test('the page stands by itself, with a chart of every figure and a table of the runs', () => {
  const { page } = eventful;
  expect(page).toMatch(/^<!doctype html>\n<html lang="en">/);
  expectOwnOnly(page, ['style']);
  expect(page + render(sampleHistory('x')).page).not.toMatch(/<script|<img|url\(|NaN|Infinity|undefined/);
  expect(page.match(/role="img" aria-label="[^"]+, Depth standard, 7 runs: [^"]+"/g)).toHaveLength(5);
  expect(page.match(/<tr><th scope="row">\d/g)).toHaveLength(7);
});

test('the page shows the loss of two rows, and leaves a run that judged only a part to the table', () => {
  const counts = [203, 201, 203, 12];
  const lossy = sampleHistory('vvvv', (entry, at) => ({
    ...entry,
    totals: { ...entry.totals, pass: counts[at] ?? 0 },
    ...(at === 3 ? { selection: { only: ['auth.*'], skip: [] } } : {}),
  }));
  expect(render(lossy).page).toContain(
    'aria-label="passed, Depth standard, 4 runs: 203 now, 201 to 203">█▁█</span>',
  );
});

const ofTwoDepths = (signs: string) =>
  sampleHistory(signs, (entry, at) => ({ ...entry, depth: at % 2 === 0 ? 'quick' : 'standard' }));

test('runs of different depths are charted apart', () => {
  const { text, page } = render(ofTwoDepths('vvxv'));
  expect([...page.matchAll(/<h2>(Depth[^<]*)/g)].map(([, heading]) => heading)).toEqual([
    'Depth standard, 2 runs',
    'Depth quick, 2 runs',
  ]);
  expect(page).toContain('"failed, Depth quick, 2 runs: 1 now, 0 to 1"');
  expect(page).toContain('"failed, Depth standard, 2 runs: 0"');
  expect(text).toMatch(
    /^Depth standard, 2 runs\n[\s\S]*^failed {5}▁▁ {2}0$[\s\S]*^Depth quick, 2 runs\n[\s\S]*^failed {5}▁█ {2}1 now/m,
  );
});

test('what a run of another depth did not see is not gone', () => {
  const history = ofTwoDepths('xvxv');
  expect(buildTrend(history, 9).violations).toEqual([
    expect.objectContaining({ id: watched, depth: 'quick', now: 'there', returns: 0 }),
  ]);
  const { text, page } = render(history);
  expect(page).toContain('<span class="quiet"> (depth quick)</span>');
  expect(text).toContain(`${watched} (depth quick)\n`);
});

test('the page links runs and names commits, and takes no address that could act', () => {
  const sha = '0123456789abcdef0123456789abcdef01234567';
  const links = ['https://ci.example.com/1?a&b', 'javascript:alert(1)', 'data:text/html,x'];
  const named = sampleHistory('vvv', (entry, at) => ({ ...entry, label: sha, link: links[at] ?? '' }));
  const { text, page } = render(named, 120);
  const addresses = [...page.matchAll(/<a href="([^"]*)"/g)].map(([, address]) => address);
  expect(new Set(addresses)).toEqual(new Set(['https://ci.example.com/1?a&amp;b']));
  expect(page).toContain(`<code title="${sha}"> 0123456789</code>`);
  expect(text).toMatch(/ label$[\s\S]* 0123456789$/m);
});

test('hostile text acts neither on a terminal nor on a page', () => {
  const hostile = '</style><script>alert(1)</script>\u001b[2J\u202e"';
  const selection = { only: [hostile], skip: [] };
  const changes = { target: hostile, violated: [hostile], selection };
  const history = sampleHistory('vv', (entry) => ({ ...entry, ...changes }));
  const { text, page } = render(history, 80);
  expect(`${text}${page}`).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
  expect(page).not.toContain('<script');
  expect(page.match(/<\/style>/g)).toHaveLength(1);
});
