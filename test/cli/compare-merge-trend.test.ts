import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { chooseSeed } from '../../cli/run-flags.js';
import { wholeRun } from '../../judge/plan.js';
import { folder } from '../folders.js';
import { expectOwnOnly } from '../reports/own-style.js';
import { eventfulReport, sampleFailure, sampleReport } from '../reports/sample-report.js';
import { plumbline, readReport } from './plumbline-process.js';

const hostile = sampleFailure('auth.bearer', { actual: '</td><script>alert(1)</script>' });

function writeReports(): string {
  const cwd = folder();
  const [eventful, failed] = [eventfulReport(), sampleReport({ failures: [hostile] })];
  for (const [name, report] of [
    ['old', sampleReport()],
    ['new', { ...eventful, run: { ...eventful.run, id: 'later' } }],
    ['hostile', { ...failed, run: { ...failed.run, id: 'latest' } }],
  ] as const)
    writeFileSync(join(cwd, `${name}.json`), JSON.stringify(report));
  return cwd;
}

it('compare ends with 0 on a removed violation, and with 1 on lost coverage if asked to', async () => {
  const cwd = writeReports();
  const { code, stdout, stderr } = await plumbline('compare new.json old.json --format json', { cwd });
  expect([code, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout)).toMatchObject({ format: 'plumbline-comparison/1', totals: { 'newly-held': 4 } });
  const flags = '--fail-on lost-coverage --format markdown --output out/c.md';
  const failed = await plumbline(`compare old.json new.json ${flags}`, { cwd });
  expect([failed.code, failed.stdout]).toEqual([1, '']);
  const page = readFileSync(join(cwd, 'out/c.md'), 'utf8');
  expect(page).toContain('Stopped by new violation and lost coverage');
});

it('compare ends with 1 on a new violation, and writes a self-contained page with --format html', async () => {
  const cwd = writeReports();
  const args = 'compare old.json hostile.json --format html --output c.html';
  expect((await plumbline(args, { cwd })).code).toBe(1);
  const page = readFileSync(join(cwd, 'c.html'), 'utf8');
  expectOwnOnly(page, ['style']);
  expect(page).toContain('<h1 class="tone non-conformant">conformant → non-conformant: 1 newly failed</h1>');
  expect(page).toContain('Stopped by new violation: exit code 1.');
  expect(page).toContain('&lt;/td');
  expect(page).toContain(`<pre>${hostile.reproduce.command}</pre>`);
  expect(page).not.toContain('<script');
});

it('run --history appends a line for each run, and trend draws the lines', async () => {
  const cwd = folder();
  const history = '--history h.ndjson --label abc1234 --history-link https://ci.example.com/7';
  const args = `run --reference --only key-info.200.read --depth quick --quiet --report r --seed 7 ${history}`;
  expect((await plumbline(args, { cwd })).code).toBe(0);
  const line: unknown = JSON.parse(readFileSync(join(cwd, 'h.ndjson'), 'utf8'));
  expect(line).toMatchObject({ id: readReport(join(cwd, 'r')).run.id, seed: 7, ended: 'complete' });
  expect(line).toMatchObject({ label: 'abc1234', link: 'https://ci.example.com/7' });

  writeFileSync(join(cwd, 'h.ndjson'), '{"format":', { flag: 'a' });
  const { code, stdout, stderr } = await plumbline('trend h.ndjson', { cwd });
  const skipped = expect.stringMatching(/^plumbline: skipped line 2 of h\.ndjson: .*\n$/);
  expect([code, stderr]).toEqual([0, skipped]);
  expect(stdout).toMatch(/^conformant: \d+ passed, 0 failed\n1 run, /);
  await plumbline('trend h.ndjson --format html --output t.html', { cwd });
  expect(readFileSync(join(cwd, 't.html'), 'utf8')).toMatch(/^<!doctype html>\n/);
});

function writeReport(shard: string, seed = 1): string {
  const directory = folder();
  const { run, ...report } = sampleReport();
  writeFileSync(join(directory, 'report.json'), JSON.stringify({ ...report, run: { ...run, shard, seed } }));
  return directory;
}

it('merge refuses a missing shard and a different seed, and names the report', async () => {
  const other = writeReport('3/3', 2);
  const rows = [
    [[writeReport('1/3'), writeReport('3/3')], '  shard 2/3 is missing\n'],
    [[writeReport('1/3'), writeReport('2/3'), other], `  ${other}: its seed is 2, `],
  ] as const;
  for (const [shards, words] of rows) {
    const { code, stdout, stderr } = await plumbline(['merge', ...shards], { cwd: folder() });
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(words)]);
  }
});

const shard = { index: 2, of: 3 };

it('a seed is that of the flag, else that of the run id, which all shards share, else random', () => {
  expect(chooseSeed({ seed: 7, shard: wholeRun })).toBe(7);
  expect(chooseSeed({ seed: 7, runId: 'a', shard })).toBe(7);
  const seeds = ['16874629171', '16874629172', 'nightly'].map((runId) => chooseSeed({ runId, shard }));
  expect(new Set(seeds).size).toBe(3);
  for (const seed of seeds) expect(seed).toBeLessThan(2 ** 31);
  expect(chooseSeed({ runId: 'nightly', shard: wholeRun })).toBe(seeds[2]);
  expect(new Set(Array.from({ length: 5 }, () => chooseSeed({ shard: wholeRun }))).size).toBeGreaterThan(1);
});
