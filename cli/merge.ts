import { mergeReports } from '../judge/merge-reports.js';
import { findShardFaults, type ShardReport } from '../judge/shard-set.js';
import { prepareReportDirectory } from '../reports/report-folder.js';
import { sanitizeLine } from '../reports/sanitize.js';
import { UnusablePattern } from '../spec/id-patterns.js';
import type { Report } from '../spec/report.js';
import { UsageError } from '../spec/thrown.js';
import { toolVersion } from '../spec/version.js';
import { allChecks } from '../suites/all-checks.js';
import { type Publication, publishRun } from './publish.js';
import { loadRun } from './report.js';

/** Merges the reports of the shards of one run. Returns the exit code that `run` would; throws UsageError. */
export async function merge(paths: readonly string[], flags: Publication): Promise<number> {
  const shards = await Promise.all(paths.map(async (name) => ({ name, ...(await loadRun(name)) })));
  assertOneRun(shards);
  const report = mergeShards(shards);
  const exchanges = shards
    .flatMap(({ traffic }) => traffic.exchanges)
    .sort((one, other) => (one.at < other.at ? -1 : 1));
  using _folder = await prepareReportDirectory(flags.report);
  return await publishRun({ report, traffic: { exchanges, sent: report.run.requests } }, flags);
}

/** Throws UsageError for patterns of the selection or policy that cannot be used. */
function mergeShards(shards: readonly ShardReport[]): Report {
  try {
    return mergeReports(
      shards.map(({ report }) => report),
      allChecks.map(({ id }) => id),
    );
  } catch (error) {
    throw error instanceof UnusablePattern ? new UsageError(`${shards[0]?.name}: ${error.message}`) : error;
  }
}

const faultsShown = 10;

function assertOneRun(shards: readonly ShardReport[]): void {
  const faults = [...findShardFaults(shards), ...findOtherVersion(shards)];
  if (faults.length === 0) return;
  const more = faults.length - faultsShown;
  throw new UsageError(
    [
      'these are not the shards of one run:',
      ...faults.slice(0, faultsShown).map((fault) => `  ${sanitizeLine(fault)}`),
      ...(more > 0 ? [`  and ${more} more`] : []),
      'Give the reports of all shards of one run. Only --shard and --report may differ between them.',
    ].join('\n'),
  );
}

/** Another version may have other checks, and so another order and other rows. */
function findOtherVersion([first]: readonly ShardReport[]): readonly string[] {
  if (first === undefined || first.report.tool.version === toolVersion) return [];
  const { version } = first.report.tool;
  return [
    `${first.name} was written by plumbline ${version}, and this is ${toolVersion}; merge with ${version}`,
  ];
}
