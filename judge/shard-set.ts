import { listSelectionFlags, type Report } from '../spec/report.js';
import { readShard, type Shard, wholeRun, writeShard } from './plan.js';

/** What all shards of a run have in common, and how a report says it. */
type CommonFact = readonly [words: string, read: (report: Report) => string | undefined];

const commonFacts: readonly CommonFact[] = [
  ['its version of plumbline', ({ tool }) => tool.version],
  ['its document', ({ document }) => document.openapi_sha256],
  ['its run id (--run-id)', ({ run }) => run.group ?? 'none'],
  ['its number of shards', (report) => String(readReportShard(report).of)],
  ['its server', ({ target }) => (target.embedded === true ? 'the embedded one' : 'a given one')],
  // Embedded servers differ in their ports, and an unknown address contradicts none.
  ['its target', ({ target }) => (target.embedded === true ? undefined : (target.base_url ?? undefined))],
  ['its seed', ({ run }) => String(run.seed)],
  ['its depth', ({ run }) => run.depth],
  ['its --cases', ({ run }) => String(run.cases_per_property ?? 'that of the depth')],
  ['its selection', ({ run }) => listSelectionFlags(run.selection).join(' ') || 'everything'],
  ['its policy', ({ gate: { policy } }) => policy && JSON.stringify(policy)],
];

// Shards may wait for a free machine, but not for a day.
const longestApartMs = 24 * 60 * 60 * 1000;

/** Explains why reports are not the shards of one run, each exactly once; a line per fault. */
export function findShardFaults(shards: readonly ShardReport[]): readonly string[] {
  const unsent = shards.filter(({ report: { run } }) => run.recording !== undefined && run.requests === 0);
  if (unsent.length > 0)
    return unsent.map(({ name }) => `${name} is a report on recorded traffic, not a shard of a run`);
  const differing = commonFacts.flatMap((fact) => findDifferences(shards, fact));
  if (differing.length > 0) return differing;
  return [...findRepeated(shards), ...findMissingShards(shards), ...findFarApart(shards)];
}

function findDifferences(shards: readonly ShardReport[], [words, read]: CommonFact): readonly string[] {
  const known = shards.flatMap(({ name, report }) => {
    const value = read(report);
    return value === undefined ? [] : [{ name, value }];
  });
  const [first] = known;
  if (first === undefined) return [];
  return known
    .filter(({ value }) => value !== first.value)
    .map(({ name, value }) => `${name}: ${words} is ${value}, that of ${first.name} is ${first.value}`);
}

function findRepeated(shards: readonly ShardReport[]): readonly string[] {
  return shards.flatMap(({ name, report }, at) => {
    const before = shards
      .slice(0, at)
      .find((other) => readReportShard(other.report).index === readReportShard(report).index);
    return before === undefined ? [] : [`${name} and ${before.name} are both shard ${report.run.shard}`];
  });
}

function findMissingShards(shards: readonly ShardReport[]): readonly string[] {
  const [first] = shards;
  if (first === undefined) return [];
  const { of } = readReportShard(first.report);
  const there = new Set(shards.map(({ report }) => readReportShard(report).index));
  return Array.from({ length: of }, (_, at) => at + 1)
    .filter((index) => !there.has(index))
    .map((index) => `shard ${writeShard({ index, of })} is missing`);
}

/** Two runs can have the same seed; without a run id only their times tell them apart. */
function findFarApart(shards: readonly ShardReport[]): readonly string[] {
  const inTime = [...shards].sort((one, other) => readStart(one) - readStart(other));
  const [first, last] = [inTime[0], inTime.at(-1)];
  if (first === undefined || last === undefined || first.report.run.group !== undefined) return [];
  if (readStart(last) - readStart(first) <= longestApartMs) return [];
  return [
    `${last.name} began more than a day after ${first.name}: most likely another run (--run-id distinguishes runs)`,
  ];
}

function readStart({ report }: ShardReport): number {
  return Date.parse(report.run.started_at);
}

/** The report of one shard, and the name that the user gave it. */
export interface ShardReport {
  readonly name: string;
  readonly report: Report;
}

/** Reads the shard of a report; the whole run where it is unreadable. */
export function readReportShard({ run }: Report): Shard {
  return readShard(run.shard) ?? wholeRun;
}
