import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { chooseSeed } from '../../cli/run-flags.js';
import { wholeRun } from '../../judge/plan.js';
import { folder } from '../folders.js';
import { sampleReport } from '../reports/sample-report.js';
import { plumbline } from './plumbline-process.js';

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
