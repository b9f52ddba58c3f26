import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Limits, limitsOf } from '../judge/run-limits.js';
import { FolderInUse } from '../reports/folder-lock.js';
import { fileOfFormat, formats, writeFormats } from '../reports/formats.js';
import { inertText } from '../reports/inert-text.js';
import { appendReport } from '../reports/journal-writer.js';
import { UnreadableReport } from '../reports/read-report.js';
import { holdFolder } from '../reports/report-folder.js';
import { exitCodes } from '../spec/exit-codes.js';
import type { Report } from '../spec/report.js';
import { messageOf, UsageError } from '../spec/thrown.js';
import { isLoopback, UnusableConnection } from '../targets/agents.js';
import { ControlError, UnusableControl } from '../targets/control-client.js';
import { openTarget } from '../targets/open-target.js';
import type { LeftBehind, Removal, Target } from '../targets/target.js';
import { chooseTarget } from './chosen-target.js';
import { ProcessDeadline } from './process-deadline.js';
import { type RecordedRun, recordedRun } from './recorded-run.js';
import type { RunFlags } from './run.js';
import { type DescriptionFlags, describeTarget } from './target-description.js';

/** The flags of `plumbline clean`, read and checked: those of `run` that say what the target is and what may be done. */
export type CleanFlags = Pick<RunFlags, 'allowDestructive' | 'timeout'> &
  DescriptionFlags & {
    /** The folder that a run wrote into, or its report.json. */
    readonly from: string;
  };

// A few hundred deletes; more time means that something hangs.
const maxTimeMs = 120_000;

/**
 * Removes what a run left on its target, prints a line for each part of it, and takes what is gone out of the reports of
 * the run. Returns the exit code: 0 where nothing is left, 3 where something is or the target cannot be reached. Throws
 * UsageError.
 */
export async function clean(flags: CleanFlags): Promise<number> {
  const run = await recordedRun(flags.from).catch((error: unknown) => {
    throw error instanceof UnreadableReport ? new UsageError(error.message) : error;
  });
  const { report } = run;
  const left = report.run.left_behind;
  if (left.length === 0) {
    process.stdout.write('Nothing to remove: the run left nothing behind, or it is removed already.\n');
    return exitCodes.conformant;
  }
  if (report.target.embedded === true) {
    process.stdout.write('Nothing to remove: the embedded server of the run ended with it.\n');
    return exitCodes.conformant;
  }
  const chosen = chooseTarget('clean', flags);
  assertSameMeans(chosen, left);
  // A run that goes on still uses what it made.
  const lock = await holdFolder(run.folder).catch((error: unknown) => {
    if (error instanceof FolderInUse) throw new UsageError(error.message);
    return undefined;
  });
  const deadline = new ProcessDeadline(maxTimeMs);
  try {
    const target = await openCleanable(chosen, deadline);
    if (target === undefined) return exitCodes.unjudged;
    try {
      assertSameTarget(report, target, flags.from);
      assertPermitted(chosen, target);
      const removals = await Promise.all(left.map((each) => target.remove(each)));
      print(left, removals, target);
      await record(run, removals);
      if (deadline.isInterrupted) return exitCodes.interrupted;
      return removals.some((removal) => typeof removal !== 'string')
        ? exitCodes.unjudged
        : exitCodes.conformant;
    } finally {
      await target.close();
    }
  } finally {
    deadline.release();
    lock?.release();
  }
}

/** Takes what is gone out of the journal of a run and out of its reports; report.json is written where there is none. */
async function record({ report, traffic, folder, journal }: RecordedRun, removals: readonly Removal[]) {
  const left_behind = report.run.left_behind.filter((_, at) => typeof removals[at] !== 'string');
  const cleaned = { ...report, run: { ...report.run, left_behind } };
  const isThere = (file: string) => existsSync(join(folder, file));
  const wanted = formats.filter((format) => format === 'json' || isThere(fileOfFormat(format)));
  try {
    if (journal !== undefined) appendReport(journal, cleaned);
    await writeFormats({ report: cleaned, traffic }, folder, wanted);
  } catch (error) {
    process.stderr.write(`plumbline: the reports still list what was removed: ${messageOf(error)}\n`);
  }
}

/** Opens the target; undefined, once that is printed, where it cannot be reached. Throws UsageError. */
async function openCleanable(flags: CleanFlags, { signal }: ProcessDeadline): Promise<Target | undefined> {
  const { target, control, controlToken, timeout, allowDestructive } = flags;
  const profile = await describeTarget(flags);
  const { concurrency, rate }: Limits = limitsOf({ depth: 'standard' }, profile);
  const token = controlToken ?? process.env.PLUMBLINE_CONTROL_TOKEN;
  try {
    return await openTarget({
      ...(target === undefined ? {} : { baseUrl: target }),
      ...(control === undefined
        ? {}
        : { control: token === undefined ? { url: control } : { url: control, token } }),
      ...(profile === undefined ? {} : { profile }),
      permissions: { destructive: allowDestructive, inference: false },
      concurrency,
      ...(rate === undefined ? {} : { rate }),
      timeoutMs: timeout,
      signal,
    });
  } catch (error) {
    if (error instanceof UnusableConnection || error instanceof UnusableControl)
      throw new UsageError(error.message);
    if (!(error instanceof ControlError)) throw error;
    process.stderr.write(`plumbline: ${inertText(error.message)}; nothing was removed.\n`);
    return undefined;
  }
}

/** What a control protocol made only it can remove, and so with a profile. */
function assertSameMeans({ control, profile }: CleanFlags, left: readonly LeftBehind[]): void {
  const hasWorlds = left.some(({ kind }) => kind === 'world');
  if (hasWorlds && control === undefined)
    throw new UsageError('the run left worlds behind, which take its control protocol. Give --control URL.');
  if (!hasWorlds && (control !== undefined || profile === undefined))
    throw new UsageError(
      'the run left secrets behind that it stored as a profile says. Give --profile FILE, without --control.',
    );
}

/** On any other target the same names are somebody else's. */
function assertSameTarget({ target: { base_url: judged } }: Report, { baseUrl }: Target, from: string): void {
  if (judged !== null && normalized(judged) === normalized(baseUrl)) return;
  throw new UsageError(
    `the run in ${from} judged ${judged ?? 'no target'}, and this target is ${baseUrl}. Give the target of that run.`,
  );
}

function normalized(url: string): string {
  return URL.canParse(url) ? new URL(url).href.replace(/\/+$/, '') : url;
}

function assertPermitted({ control, allowDestructive }: CleanFlags, { baseUrl }: Target): void {
  if (allowDestructive || [baseUrl, control ?? baseUrl].every(isLoopback)) return;
  throw new UsageError(
    'the target is not on loopback, and cleaning deletes on it. Give --allow-destructive to allow that.',
  );
}

function print(left: readonly LeftBehind[], removals: readonly Removal[], { redactor }: Target): void {
  const lines = left.map((each, at) => lineOf(each, removals[at] ?? { why: 'it was not tried' }));
  const count = (state: string) => removals.filter((removal) => removal === state).length;
  const remaining = removals.filter((removal) => typeof removal !== 'string').length;
  const sum = `${count('deleted')} removed, ${count('not-there')} gone already, ${remaining} left.`;
  process.stdout.write([...lines, sum].map((line) => `${inertText(redactor.redact(line))}\n`).join(''));
}

function lineOf({ scope, name }: LeftBehind, removal: Removal): string {
  const what = `${scope}/${name}`;
  if (removal === 'deleted') return `removed            ${what}`;
  if (removal === 'not-there') return `gone already       ${what}`;
  return `could not remove   ${what}: ${removal.why}`;
}
