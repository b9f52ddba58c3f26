import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folder } from '../folders.js';
import { sampleReport } from '../reports/sample-report.js';
import { plumbline } from './plumbline-process.js';

/** Writes a report into its own folder. */
function writeReport(shard: string, seed = 1): string {
  const directory = folder();
  const report = sampleReport();
  writeFileSync(
    join(directory, 'report.json'),
    JSON.stringify({ ...report, run: { ...report.run, shard, seed } }),
  );
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
