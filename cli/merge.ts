import { mergedReport } from '../judge/merge/merged-report.js';
import { faultsAmong } from '../judge/merge/one-run.js';
import type { ShardReport } from '../judge/merge/shard-report.js';
import { inertText } from '../reports/inert-text.js';
import { readReport, UnreadableReport } from '../reports/read-report.js';
import { terminalSummary } from '../reports/terminal.js';
import { writeJson } from '../reports/write-json.js';
import type { Report } from '../spec/report.js';
import { toolVersion } from '../spec/version.js';
import { allChecks } from '../suites/all-checks.js';
import { UsageError } from './usage-error.js';

/** The flags of `plumbline merge`, read and checked. */
interface MergeFlags {
  /** Where the report goes. */
  readonly report: string;
  readonly quiet: boolean;
  readonly color: boolean;
}

/**
 * Joins the reports of the shards of one run, writes the report that one machine would have given, and prints its
 * summary. Returns the exit code that `run` would; throws UsageError where they are not the shards of one run.
 * @param paths report files, or the folders of them
 */
export async function merge(paths: readonly string[], flags: MergeFlags): Promise<number> {
  const shards = await Promise.all(paths.map(shardReport));
  assertOneRun(shards);
  const order = allChecks.map(({ id }) => id);
  const merged = mergedReport(
    shards.map(({ report }) => report),
    order,
  );
  return published(merged, flags);
}

async function shardReport(name: string): Promise<ShardReport> {
  const report = await readReport(name).catch((error: unknown) => {
    throw error instanceof UnreadableReport ? new UsageError(error.message) : error;
  });
  return { name, report };
}

function assertOneRun(shards: readonly ShardReport[]): void {
  const faults = [...faultsAmong(shards), ...otherVersion(shards)];
  if (faults.length === 0) return;
  throw new UsageError(
    [
      'these are not the shards of one run:',
      ...faults.map((fault) => `  ${inertText(fault)}`),
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

async function published(report: Report, { report: directory, quiet, color }: MergeFlags): Promise<number> {
  const file = await writeJson(report, directory);
  const width = process.stdout.columns ?? 100;
  const isColored = color && process.stdout.isTTY === true;
  process.stdout.write(
    quiet
      ? `${report.verdict} (${file})\n`
      : terminalSummary(report, { color: isColored, width, reportDir: directory }),
  );
  return report.gate.exit_code;
}
