import { describe, expect, it } from 'vitest';
import type { Check } from '../../judge/check.js';
import type { Depth } from '../../judge/plan.js';
import { Selection } from '../../judge/selection.js';
import { estimateRequests, planShard } from '../../judge/shard-plan.js';
import { findShardFaults, type ShardReport } from '../../judge/shard-set.js';
import type { Policy, Report } from '../../spec/report.js';
import { allChecks } from '../../suites/all-checks.js';
import { sampleReport } from '../reports/sample-report.js';

const everything = new Selection({ only: [], skip: [] });

function partsOf(of: number, depth: Depth = 'standard', selection = everything, checks = allChecks) {
  const plan = { seed: 1, depth };
  return Array.from({ length: of }, (_, at) =>
    planShard(checks, { selection, plan, shard: { index: at + 1, of } }),
  );
}

describe.each<Depth>(['quick', 'standard', 'deep'])('the shards of a run at depth %s', (depth) => {
  const whole = planShard(allChecks, { selection: everything, plan: { seed: 1, depth } });

  it.each([2, 5])('each check that is not divided is in exactly one of %i shards', (of) => {
    const parts = partsOf(of, depth);
    const [{ divided = new Set<Check>() } = {}] = parts;
    for (const part of parts) {
      expect(part.divided).toEqual(divided);
      expect(part.own).toEqual(expect.arrayContaining([...divided]));
    }
    // Every shard runs the checks that judge what others left.
    const idsOf = (checks: readonly Check[]) =>
      checks.flatMap((check) => (check.kind === 'final' || divided.has(check) ? [] : [check.id])).toSorted();
    const ids = idsOf(parts.flatMap(({ own }) => own));
    expect(ids).toEqual(idsOf(whole.own));
    expect(new Set(ids).size).toBe(ids.length);
    for (const { chosen, own } of parts) {
      expect(own.some(({ kind }) => kind === 'final')).toBe(true);
      expect(chosen).toEqual(whole.chosen);
      expect(own, 'in the order of one run').toEqual(whole.chosen.filter((check) => own.includes(check)));
    }
  });

  it('each requirement is answered for by one shard, or by none where the check that comes first is divided', () => {
    const parts = partsOf(3, depth);
    for (const id of new Set(whole.chosen.flatMap(({ decides }) => decides))) {
      const answering = parts.filter(
        ({ division }) => division?.ofOtherShards.has(id) === false && !division.shared.has(id),
      );
      const first = whole.chosen.find(({ decides }) => decides.includes(id));
      const isDivided = first !== undefined && parts[0]?.divided.has(first);
      expect([id, answering.length]).toEqual([id, isDivided ? 0 : 1]);
    }
  });

  it.each([3, 8])('%i shards send about the same number of requests each', (of) => {
    const loads = partsOf(of, depth).map(({ own, divided }) =>
      own.reduce((sum, check) => sum + estimateRequests(check, { depth }) / (divided.has(check) ? of : 1), 0),
    );
    const mean = loads.reduce((sum, load) => sum + load, 0) / of;
    expect(Math.max(...loads)).toBeLessThan(1.2 * mean);
  });
});

it('a run that is not split leaves nothing to other shards', () => {
  const [whole] = partsOf(1);
  expect(whole?.division).toBeUndefined();
  expect(whole?.own).toEqual(whole?.chosen);
  expect(new Set(whole?.own)).toEqual(new Set(allChecks));
});

it('checks that choose their own names stay in one shard', () => {
  const usesNames = (check: Check) => check.sideEffects === 'names';
  const with_ = partsOf(4).filter(({ own }) => own.some(usesNames));
  expect(with_).toHaveLength(1);
  expect(new Set(with_[0]?.own.filter(usesNames))).toEqual(new Set(allChecks.filter(usesNames)));
});

it('the order of the checks does not change their shards', () => {
  const ids = (checks: readonly Check[]) =>
    partsOf(3, 'deep', everything, checks).map(({ own }) => own.map(({ id }) => id).toSorted());
  // Checks that stay together are named by the first of them.
  const moved = [...allChecks.filter(({ kind }) => kind === 'generated'), ...allChecks];
  expect(ids([...new Set(moved)])).toEqual(ids(allChecks));
});

it('a shard without checks leaves its requirements to the others', () => {
  const selection = new Selection({ only: ['key-info.usage.nested'], skip: [] });
  const parts = partsOf(9, 'standard', selection);
  const idle = parts.filter(({ own }) => own.length === 0);
  expect(idle.length).toBeGreaterThan(0);
  for (const { division } of idle) expect(division?.ofOtherShards.has('key-info.usage.nested')).toBe(true);
});

it('the first checks of a run are the same at every depth, and decide every requirement that a written check decides', () => {
  const openings = (['quick', 'standard', 'deep'] as const).map((depth) => {
    const { chosen, opening } = planShard(allChecks, { selection: everything, plan: { seed: 1, depth } });
    expect(chosen.slice(0, opening.size)).toEqual([...opening]);
    return [...opening];
  });
  const [quick = []] = openings;
  for (const opening of openings) expect(opening.map(({ id }) => id)).toEqual(quick.map(({ id }) => id));
  const rowsOf = (checks: readonly Check[]) =>
    new Set(checks.flatMap(({ kind, decides }) => (kind === 'written' ? decides : [])));
  const silent = new Set(['secret-name.routing']);
  expect([...rowsOf(allChecks)].filter((id) => !rowsOf(quick).has(id) && !silent.has(id))).toEqual([]);
});

const sample = sampleReport();

type Changes = (report: Report) => Report;

function shard(index: number, of: number, change: Changes = (report) => report): ShardReport {
  const report = { ...sample, run: { ...sample.run, shard: `${index}/${of}` } };
  return { name: `part-${index}`, report: change(report) };
}

const inRun =
  (changes: Partial<Report['run']>): Changes =>
  (report) => ({ ...report, run: { ...report.run, ...changes } });

const onTarget =
  (changes: Partial<Report['target']>): Changes =>
  (report) => ({ ...report, target: { ...report.target, ...changes } });

const byPolicy = (reason: string): Changes => {
  const policy: Policy = { decides: ['must'], excused: [{ requirement: 'auth.bearer', reason }] };
  return (report) => ({ ...report, gate: { ...report.gate, policy } });
};
const later = (started_at: string, group?: string) => {
  const shared = group === undefined ? {} : { group };
  return [shard(1, 2, inRun(shared)), shard(2, 2, inRun({ ...shared, started_at }))];
};
const onPort = (port: number) => onTarget({ base_url: `http://127.0.0.1:${port}/v1`, embedded: true });

const counts = { entries: 1, judged: 1, elsewhere: 0, without_response: 0, without_body: 0, undecided: 0 };
const recording = { base_url: null, files: ['a.har'], skipped: 0, ...counts };

const both = (change: Changes) => [shard(1, 2, change), shard(2, 2, change)];

it.each<[string, readonly ShardReport[]]>([
  ['in any order', [shard(3, 3), shard(1, 3), shard(2, 3)]],
  ['of a run with one shard', [shard(1, 1)]],
  ['judged by one policy', both(byPolicy('not here'))],
  ['of which one has no known address', [shard(1, 2), shard(2, 2, onTarget({ base_url: null }))]],
  ['of embedded servers on different ports', [shard(1, 2, onPort(1)), shard(2, 2, onPort(2))]],
  ['hours apart', later('2030-04-06T05:07:08.901Z')],
  ['days apart with one run id', later('2030-04-09T06:07:08.901Z', 'a')],
])('a merge takes shards %s', (_name, shards) => {
  expect(findShardFaults(shards)).toEqual([]);
});

it.each<[string, readonly ShardReport[], readonly string[]]>([
  ['a set without one shard', [shard(1, 3), shard(3, 3)], ['shard 2/3 is missing']],
  [
    'a set with one shard in place of another',
    [shard(1, 2), { ...shard(1, 2), name: 'again' }],
    ['again and part-1 are both shard 1/2', 'shard 2/2 is missing'],
  ],
  [
    'a report on recorded traffic',
    [shard(1, 1, inRun({ requests: 0, recording }))],
    ['part-1 is a report on recorded traffic, not a shard of a run'],
  ],
  [
    'shards more than a day apart',
    later('2030-04-06T06:07:09.901Z'),
    ['part-2 began more than a day after part-1: most likely another run (--run-id distinguishes runs)'],
  ],
])('a merge refuses %s', (_name, shards, lines) => {
  expect(findShardFaults(shards)).toEqual(lines);
});

const withVersion: Changes = (report) => ({ ...report, tool: { ...report.tool, version: '9.9.9' } });
const withDocument: Changes = (report) => ({
  ...report,
  document: { ...report.document, openapi_sha256: 'cd' },
});

it.each<[string, Changes, string, string]>([
  ['seed', inRun({ seed: 8 }), '8', '-77'],
  ['target', onTarget({ base_url: 'http://other/v1' }), 'http://other/v1', 'http://127.0.0.1:4010/v1'],
  ['server', onTarget({ embedded: true }), 'the embedded one', 'a given one'],
  ['depth', inRun({ depth: 'deep' }), 'deep', 'standard'],
  ['--cases', inRun({ cases_per_property: 9 }), '9', 'that of the depth'],
  ['selection', inRun({ selection: { only: ['auth.*'], skip: [] } }), '--only auth.*', 'everything'],
  ['run id (--run-id)', inRun({ group: 'b' }), 'b', 'none'],
  ['number of shards', inRun({ shard: '2/3' }), '3', '2'],
  ['version of plumbline', withVersion, '9.9.9', '0.1.0'],
  ['document', withDocument, 'cd', 'ab'.repeat(32)],
])('a merge refuses another %s and names both', (trait, change, other, first) => {
  const line = `part-2: its ${trait} is ${other}, that of part-1 is ${first}`;
  expect(findShardFaults([shard(1, 2), shard(2, 2, change)])).toEqual([line]);
});

it('a merge refuses another policy and names both', () => {
  const [line] = findShardFaults([shard(1, 2, byPolicy('one')), shard(2, 2, byPolicy('other'))]);
  expect(line).toMatch(/^part-2: its policy is .*other.*, that of part-1 is .*one/);
});
