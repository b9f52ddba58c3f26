import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Report } from '../../spec/report.js';
import { behaveAsMutant } from '../behaviours.js';
import { folder } from '../folders.js';
import { sampleReport } from '../reports/sample-report.js';
import { serveReference } from '../servers.js';
import { plumbline, readReport } from './plumbline-process.js';

/** Returns the parts of a report that do not depend on the number of shards. */
function pickComparable({ verdict, gate, requirements, checks, totals, run }: Report) {
  const { complete, seed, depth, cases, shard, selection, notes } = run;
  return {
    verdict,
    gate,
    requirements,
    totals,
    run: { complete, seed, depth, cases, shard, selection, notes },
    checks: checks
      .filter(({ id }) => !id.endsWith('/every-response'))
      .map(({ id, outcome, reason, says }) => ({ id, outcome, reason, says })),
  };
}

it('three shards and an unsplit run of the same server report the same', async () => {
  const { controlUrl } = await serveReference({
    behaviour: behaveAsMutant('vault-delete.sibling-secret-through-own'),
  });
  const only = ['--only', 'vault-delete.*', '--only', 'envelope.*', '--only', 'key-info.*'];
  const flags = ['run', '--control', controlUrl, '--depth', 'quick', '--run-id', 'night 7', ...only];
  const run = async (...shard: readonly string[]) => {
    const directory = folder();
    const { code } = await plumbline([...flags, ...shard, '--report', directory]);
    return { code, directory, report: readReport(directory) };
  };
  const shards = await Promise.all(['3/3', '1/3', '2/3'].map((shard) => run('--shard', shard)));
  const directory = folder();
  const places = shards.map((shard) => shard.directory);
  const merged = await plumbline(['merge', ...places, '--report', directory]);
  const report = readReport(directory);

  expect(merged.code, merged.stderr).toBe(1);
  expect(merged.stdout).toContain(`Reports: ${directory}`);
  expect(pickComparable(report)).toEqual(pickComparable((await run()).report));
  expect(report.run.requests).toBe(shards.reduce((sum, shard) => sum + shard.report.run.requests, 0));
  expect(shards.map((shard) => [shard.report.run.shard, shard.report.run.group])).toEqual([
    ['3/3', 'night 7'],
    ['1/3', 'night 7'],
    ['2/3', 'night 7'],
  ]);
  // Only one shard has the check that finds it.
  expect(shards.map(({ code }) => code).toSorted()).toEqual([0, 0, 1]);
});

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

it('plan shows what one shard would send', async () => {
  const flags = ['--only', 'key-info.*', '--depth', 'quick', '--run-id', 'night 7', '--concurrency', '9'];
  const { code, stdout, stderr } = await plumbline(['plan', '--reference', '--shard', '2/3', ...flags]);
  expect(code, stderr).toBe(0);
  expect(stdout).toMatch(/^Shard 2\/3 of a run at depth quick with --seed \d+ would send about \d+ requests/);
});
