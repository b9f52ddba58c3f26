import { expect, it } from 'vitest';
import type { Check } from '../../judge/check.js';
import { mergeReports } from '../../judge/merge-reports.js';
import type { Report } from '../../spec/report.js';
import { everyName, generatedChecks, judge, wrongFor } from './generated-run.js';

async function judgeShards(checks: readonly Check[], options: Parameters<typeof judge>[0], of = 3) {
  const shards = [];
  for (let index = 1; index <= of; index++)
    shards.push((await judge({ ...options, checks, shard: { index, of } })).report);
  return {
    shards,
    merged: mergeReports(
      shards,
      checks.map(({ id }) => id),
    ),
  };
}

it('shards divide the cases of a large check, each once, and together send those of one run', async () => {
  const sent: string[] = [];
  const check = everyName({ count: 60, onStart: (name) => sent.push(name) });
  await judge({ checks: [check] });
  const whole = sent.splice(0);
  const { shards, merged } = await judgeShards([check], {});
  expect(sent.toSorted()).toEqual(whole.toSorted());
  expect(shards.map(({ checks: [one] }) => one?.cases)).toEqual([20, 20, 20]);
  expect(merged.checks[0]?.cases).toBe(60);
  expect(merged.requirements.find(({ id }) => id === 'secret-name.accepts.words')?.status).toBe('pass');
});

it('combinations of a divided check add up to those of one run', async () => {
  const checks = generatedChecks.filter((check) => check.property === 'key-pairs');
  const { report } = await judge({ checks });
  const { merged } = await judgeShards(checks, {});
  expect(merged.checks[0]?.coverage).toEqual(report.checks[0]?.coverage);
  expect(merged.checks[0]?.cases).toBe(report.checks[0]?.cases);
});

it('a case that fails in one shard fails the run, with the path that it has in a run that is not split', async () => {
  const names = new Set<string>();
  const check = everyName({ count: 9, onStart: (name) => names.add(name) });
  await judge({ checks: [check] });
  const [wrong] = [...names].slice(4);
  const options = { behaviour: wrongFor((name) => name === wrong) };
  const { shards, merged } = await judgeShards([check], options);
  expect(shards.map(({ gate }) => gate.exit_code).filter((code) => code === 1)).toHaveLength(1);
  expect(merged.gate.exit_code).toBe(1);
  const { report } = await judge({ checks: [check], ...options });
  const pathOf = ({ checks: [one] }: Report) => one?.failure?.reproduce?.origin?.path;
  expect(pathOf(merged)).toMatch(/^every-name:0:/);
  expect(pathOf(merged)).toBe(pathOf(report));
});
