import { expect, it } from 'vitest';
import { findShardFaults, type ShardReport } from '../../judge/shard-set.js';
import type { Policy, Report } from '../../spec/report.js';
import { sampleReport } from '../reports/sample-report.js';

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
    ['part-2 began more than a day after part-1: most likely another run (--run-id tells runs apart)'],
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
