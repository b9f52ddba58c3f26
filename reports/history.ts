import { constants } from 'node:fs';
import { access, type FileHandle, open, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { exitCodes } from '../spec/exit-codes.js';
import { readJson } from '../spec/json.js';
import { schemaValidator } from '../spec/json-schema.js';
import { readFileBytes } from '../spec/read-file.js';
import { isUnproven, type Report, type ReportedRequirement, type Status } from '../spec/report.js';
import { codeOf, UsageError } from '../spec/thrown.js';
import { explainWriteError } from './atomic-write.js';
import { explainSchemaError } from './load-report.js';
import { renderJson } from './sanitize.js';

/** One run in a history file: a line of JSON, described by history.schema.json. */
export type HistoryEntry = ReturnType<typeof buildHistoryEntry> & {
  /** What was measured with the run, such as the ratios of the bench, by name. */
  readonly figures?: Readonly<Record<string, number>>;
};

/** How a run ended: by itself, interrupted, stopped by a limit, or by a failure of the suite. */
export type RunEnd = 'complete' | 'interrupted' | 'cut-short' | 'suite-failed';

/** Builds what a history file keeps of a run: `label` says what was judged, `link` where to read more about the run. */
export function buildHistoryEntry(
  report: Report,
  { label, link }: { readonly label?: string | undefined; readonly link?: string | undefined } = {},
) {
  const { tool, run, target, totals, verdict, gate } = report;
  const { id, started_at, duration_ms, seed, depth, shard, selection, requests, cases } = run;
  const idsOf = (status: Status, isWanted: (row: ReportedRequirement) => boolean = () => true): string[] =>
    report.requirements.filter((row) => row.status === status && isWanted(row)).map((row) => row.id);
  return {
    format: 'plumbline-history/1',
    tool_version: tool.version,
    ...(label === undefined ? {} : { label }),
    ...(link === undefined ? {} : { link }),
    ...{ id, started_at, duration_ms, ended: findEnd(report), verdict, exit_code: gate.exit_code },
    ...{ target: target.base_url, seed, depth, shard, selection, requests, cases, totals },
    /** How many of the selected `must` neither passed nor failed. */
    unproven: report.requirements.filter(isUnproven).length,
    /** Failed requirements that decide, then those that do not. */
    violated: idsOf('fail', ({ level }) => level !== 'advisory'),
    advisory: idsOf('fail', ({ level }) => level === 'advisory'),
    inconclusive: idsOf('inconclusive'),
    /** Including those not selected. What is in none of these lists passed, or is not observable. */
    not_exercised: idsOf('not-exercised'),
  };
}

function findEnd({ run, gate }: Report): RunEnd {
  if (gate.exit_code === exitCodes.suiteFault) return 'suite-failed';
  if (gate.exit_code === exitCodes.interrupted) return 'interrupted';
  return run.complete ? 'complete' : 'cut-short';
}

/** Checks that a line could be appended, and writes nothing. Throws UsageError. */
export async function assertAppendable(file: string): Promise<void> {
  try {
    const found = await stat(file).catch(() => undefined);
    if (found?.isDirectory() === true) throw systemError('EISDIR');
    const folder = dirname(file);
    if (found === undefined && !(await stat(folder)).isDirectory()) throw systemError('ENOTDIR');
    await access(found === undefined ? folder : file, constants.W_OK);
  } catch (error) {
    throw unwritable(file, error);
  }
}

/** Appends the line of a run with one write, so that runs that end at once do not mix theirs. Throws UsageError. */
export async function appendHistory(file: string, entry: HistoryEntry): Promise<void> {
  const line = `${renderJson(entry, 0)}\n`;
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, 'a+');
    const bytes = Buffer.from((await endsMidLine(handle)) ? `\n${line}` : line);
    const { bytesWritten } = await handle.write(bytes);
    if (bytesWritten < bytes.length) throw systemError('ENOSPC');
  } catch (error) {
    throw unwritable(file, error);
  } finally {
    await handle?.close();
  }
}

/** Whether the last line is incomplete because its writer was killed or the disk was full. */
async function endsMidLine(handle: FileHandle): Promise<boolean> {
  const found = await handle.stat();
  // A pipe or a terminal has no end to look at.
  if (!found.isFile() || found.size === 0) return false;
  const last = Buffer.alloc(1);
  const { bytesRead } = await handle.read(last, 0, 1, found.size - 1);
  return bytesRead === 1 && last.toString('latin1') !== '\n';
}

function systemError(code: string): Error {
  return Object.assign(new Error(code), { code });
}

function unwritable(file: string, error: unknown): UsageError {
  const why =
    codeOf(error) === 'ENOENT'
      ? 'its folder does not exist; create it first.'
      : explainWriteError(error, basename(file), '--history');
  return new UsageError(`${file} cannot be appended to: ${why}`);
}

/** The runs of a history file, in the order in which they started, and the lines, from 1, that are not a run record. */
export type History = Awaited<ReturnType<typeof readHistory>>;

// A line is a few kilobytes long: this is many years of runs.
const mostBytes = 100_000_000;

/** Reads a history file. Skips and lists invalid lines; throws UsageError where there is nothing else. */
export async function readHistory(file: string) {
  const advice = 'Give the file that run --history appends to.';
  const refuse = (why: string) => new UsageError(`${file} ${why}. ${advice}`);
  const bytes = await readFileBytes(file, mostBytes, refuse);
  const entries: HistoryEntry[] = [];
  const invalid: { readonly line: number; readonly why: string }[] = [];
  // A line that is not UTF-8 is skipped like any other invalid one.
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const { value, fault } = readJson(line);
    const validate = schemaValidator('history');
    if (fault === undefined && validate(value)) entries.push(value as HistoryEntry);
    else {
      const notJson = 'it is not valid JSON; its writer may have been stopped midway';
      const notRun = `it is not a run of plumbline (${explainSchemaError(validate.errors)})`;
      invalid.push({ line: at + 1, why: fault === undefined ? notRun : notJson });
    }
  }
  const [first] = invalid;
  if (entries.length === 0 && first !== undefined)
    throw new UsageError(
      `${file}:${first.line} is not a run record; neither is any other line: ${first.why}. ${advice}`,
    );
  entries.sort((one, other) => Date.parse(one.started_at) - Date.parse(other.started_at));
  return { entries, invalid };
}
