import { mergedReport } from '../judge/merge-reports.js';
import { faultsAmong, type ShardReport } from '../judge/shard-set.js';
import type { Format } from '../reports/formats.js';
import { inertText } from '../reports/inert-text.js';
import { UnreadableReport } from '../reports/read-report.js';
import { UnusablePattern } from '../spec/id-patterns.js';
import type { Report } from '../spec/report.js';
import { UsageError } from '../spec/thrown.js';
import type { KeptExchange, Traffic } from '../spec/traffic.js';
import { toolVersion } from '../spec/version.js';
import { allChecks } from '../suites/all-checks.js';
import { folderFor } from './folder-for.js';
import { published } from './publish.js';
import { recordedRun } from './recorded-run.js';

/** The flags of `plumbline merge`, read and checked. */
interface MergeFlags {
  /** Where the report goes. */
  readonly report: string;
  readonly format: readonly Format[];
  readonly quiet: boolean;
  readonly color: boolean;
}

/**
 * Joins the reports of the shards of one run, writes the report that one machine would have given, and prints its
 * summary. Returns the exit code that `run` would; throws UsageError where they are not the shards of one run.
 * @param paths report files, or the folders of them
 */
export async function merge(paths: readonly string[], flags: MergeFlags): Promise<number> {
  const shards = await Promise.all(paths.map(shardRun));
  assertOneRun(shards);
  const report = joined(shards);
  const traffic = mergedTraffic(shards, report.run.requests);
  const folder = await folderFor(flags.report);
  return await published({ report, traffic }, flags).finally(() => folder.release());
}

/** One report of all. Throws UsageError where the patterns of its selection or policy cannot be tried. */
function joined(shards: readonly ShardRun[]): Report {
  const order = allChecks.map(({ id }) => id);
  try {
    return mergedReport(
      shards.map(({ report }) => report),
      order,
    );
  } catch (error) {
    throw error instanceof UnusablePattern ? new UsageError(`${shards[0]?.name}: ${error.message}`) : error;
  }
}

/** A shard as it was given, and what was kept of its traffic. */
interface ShardRun extends ShardReport {
  readonly exchanges: readonly KeptExchange[];
}

async function shardRun(name: string): Promise<ShardRun> {
  const { report, traffic } = await recordedRun(name).catch((error: unknown) => {
    throw error instanceof UnreadableReport ? new UsageError(error.message) : error;
  });
  return { name, report, exchanges: traffic.exchanges };
}

function mergedTraffic(shards: readonly ShardRun[], sent: number): Traffic {
  const exchanges = shards.flatMap((shard) => shard.exchanges);
  return { exchanges: exchanges.sort((one, other) => (one.at < other.at ? -1 : 1)), sent };
}

const faultsTold = 10;

function assertOneRun(shards: readonly ShardReport[]): void {
  const faults = [...faultsAmong(shards), ...otherVersion(shards)];
  if (faults.length === 0) return;
  const more = faults.length - faultsTold;
  throw new UsageError(
    [
      'these are not the shards of one run:',
      ...faults.slice(0, faultsTold).map((fault) => `  ${inertText(fault)}`),
      ...(more > 0 ? [`  and ${more} more such faults`] : []),
      'Give the reports of all shards of one run, each run with the same flags but --shard and --report.',
    ].join('\n'),
  );
}

/** Another version may have other checks, and so another order and other rows. */
function otherVersion([first]: readonly ShardReport[]): readonly string[] {
  if (first === undefined || first.report.tool.version === toolVersion) return [];
  const { version } = first.report.tool;
  return [`${first.name} was written by version ${version}, and this is ${toolVersion}: merge by that one`];
}
