import { describe, expect, it } from 'vitest';
import { mergeReports } from '../../judge/merge-reports.js';
import { PassiveJudge } from '../../judge/passive.js';
import type { Report } from '../../spec/report.js';
import { allChecks } from '../../suites/all-checks.js';
import { authChecks } from '../../suites/auth.js';
import { type Judging, judged } from './judged.js';

async function shards(of: number, judging: Judging): Promise<readonly Report[]> {
  const parts = Array.from({ length: of }, (_, at) => judged({ ...judging, shard: { index: at + 1, of } }));
  return (await Promise.all(parts)).map(({ report }) => report);
}

const order = allChecks.map(({ id }) => id);

const runs: readonly (readonly [string, Judging])[] = [
  ['of some areas', { only: ['key-info.*', 'guardrail-read.*', 'envelope.*'] }],
  ['of rules for every response only', { only: ['envelope.*'], checks: authChecks }],
  [
    'on a target with few means',
    { only: ['key-info.*', 'stream-error.*'], capabilities: { inference: false } },
  ],
];

describe.each(runs)('a run %s', (_name, judging) => {
  it('gives the same report whole and merged from shards', async () => {
    const [parts, { report: whole }] = await Promise.all([shards(3, judging), judged(judging)]);
    const merged = mergeReports(parts, order);
    expect(merged.requirements).toEqual(whole.requirements);
    expect(merged.checks.map(({ id, outcome, reason, says }) => [id, outcome, reason, says])).toEqual(
      whole.checks.map(({ id, outcome, reason, says }) => [id, outcome, reason, says]),
    );
    expect(merged).toMatchObject({ verdict: whole.verdict, totals: whole.totals });
    expect(merged.gate.exit_code).toBe(whole.gate.exit_code);
    expect(merged.gate.exit_code).toBe(Math.max(...parts.map(({ gate }) => gate.exit_code)));
  });
});

it('a shard without checks tries the positive controls and leaves every row to others', async () => {
  const parts = await shards(4, { only: ['key-info.200.read'] });
  const idle = parts.filter(({ checks }) => checks.length === PassiveJudge.requirements.length);
  expect(idle.length).toBeGreaterThan(0);
  for (const { verdict, gate, requirements, run } of idle) {
    expect([verdict, gate.exit_code]).toEqual(['conformant', 0]);
    expect(requirements.every(({ reason }) => reason === 'not selected')).toBe(true);
    expect(run.requests).toBeGreaterThan(0);
  }
});
