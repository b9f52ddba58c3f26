import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { formats, reportFiles, writeFormats } from '../reports/formats.js';
import { appendReport } from '../reports/journal.js';
import { FolderInUse, lockReportDirectory } from '../reports/report-folder.js';
import { sanitizeLine } from '../reports/sanitize.js';
import { exitCodes } from '../spec/exit-codes.js';
import type { Report } from '../spec/report.js';
import { messageOf, UsageError } from '../spec/thrown.js';
import { allTests } from '../suites/all-checks.js';
import { isLoopback, trimSlashes } from '../targets/agents.js';
import type { LeftBehind, Removal, Target } from '../targets/target.js';
import type { CleanFlags } from './flags.js';
import { ProcessDeadline } from './process-lifetime.js';
import { loadRun, type RecordedRun } from './report.js';
import { chooseTarget } from './target.js';
import { openDescribedTarget } from './target-description.js';

/** Removes what a run left and updates its reports. Returns 0 if nothing is left, else 3. Throws UsageError. */
export async function clean(flags: CleanFlags): Promise<number> {
  const run = await loadRun(flags.from);
  const { report } = run;
  const left = report.run.left_behind;
  if (left.length === 0 || report.target.embedded === true) {
    const why = left.length === 0 ? 'the run left nothing behind' : 'the embedded server ended with the run';
    process.stdout.write(`Nothing to remove: ${why}.\n`);
    return exitCodes.conformant;
  }
  const chosen = chooseTarget('clean', flags);
  assertSameMeans(chosen, left);
  // A run in progress still uses its worlds. If the folder cannot be locked, only its reports stay as they are.
  using _lock = await lockReportDirectory(run.folder).catch((error: unknown) => {
    if (error instanceof FolderInUse) throw error;
    return undefined;
  });
  using deadline = new ProcessDeadline();
  const permissions = { destructive: chosen.allowDestructive, inference: false };
  const address = { permissions, signal: deadline.signal };
  const target = await openDescribedTarget(chosen, address, 'nothing was removed');
  if (target === undefined) return exitCodes.unjudged;
  try {
    assertSameTarget(report, target, flags.from);
    assertPermitted(chosen, target);
    const removals = await Promise.all(
      left.map(async (item) => ({ item, removal: await target.remove(item) })),
    );
    const remaining = removals.flatMap(({ item, removal }) => (typeof removal === 'string' ? [] : [item]));
    printRemovals(removals, remaining.length, target);
    await updateReports(run, remaining);
    if (deadline.isInterrupted) return exitCodes.interrupted;
    return remaining.length > 0 ? exitCodes.unjudged : exitCodes.conformant;
  } finally {
    await target.close();
  }
}

/** Removes what was deleted from the journal and the reports of a run; writes report.json if it is missing. */
async function updateReports(
  { report, traffic, folder, journal }: RecordedRun,
  left_behind: readonly LeftBehind[],
) {
  const cleaned = { ...report, run: { ...report.run, left_behind } };
  const wanted = formats.filter(
    // SARIF does not list leftovers, and only the run knew where to put its results.
    (format) => format === 'json' || (format !== 'sarif' && existsSync(join(folder, reportFiles[format]))),
  );
  try {
    if (journal !== undefined) appendReport(journal, cleaned);
    await writeFormats({ report: cleaned, traffic }, folder, wanted, { tests: allTests });
  } catch (error) {
    process.stderr.write(`plumbline: the reports still list what was removed: ${messageOf(error)}\n`);
  }
}

/** Throws UsageError if worlds are to be removed without a control protocol, or secrets without a profile. */
function assertSameMeans({ control, profile }: CleanFlags, left: readonly LeftBehind[]): void {
  const hasWorlds = left.some(({ kind }) => kind === 'world');
  if (hasWorlds && control === undefined)
    throw new UsageError(
      'the run left worlds behind; only its control protocol can delete them. Give --control URL.',
    );
  if (!hasWorlds && (control !== undefined || profile === undefined))
    throw new UsageError(
      'the run left secrets behind that it stored by its profile. Give --profile FILE, without --control.',
    );
}

/** Throws UsageError for another target than that of the run: there the same names belong to others. */
function assertSameTarget({ target: { base_url: judged } }: Report, { baseUrl }: Target, from: string): void {
  if (judged !== null && normalizeUrl(judged) === normalizeUrl(baseUrl)) return;
  throw new UsageError(
    `the run in ${from} judged ${judged ?? 'no target'}, but this target is ${baseUrl}. Give the target of that run.`,
  );
}

function normalizeUrl(url: string): string {
  return URL.canParse(url) ? trimSlashes(new URL(url).href) : url;
}

function assertPermitted({ control, allowDestructive }: CleanFlags, { baseUrl }: Target): void {
  if (allowDestructive || [baseUrl, control ?? baseUrl].every(isLoopback)) return;
  throw new UsageError(
    'cleaning deletes on a target that is not on loopback. Give --allow-destructive to allow it.',
  );
}

interface TriedRemoval {
  readonly item: LeftBehind;
  readonly removal: Removal;
}

function printRemovals(removals: readonly TriedRemoval[], remaining: number, { redactor }: Target): void {
  const count = (state: string) => removals.filter(({ removal }) => removal === state).length;
  const lines = [
    ...removals.map(describeRemoval),
    `${count('deleted')} removed, ${count('not-there')} already gone, ${remaining} left.`,
  ];
  process.stdout.write(lines.map((line) => `${sanitizeLine(redactor.redact(line))}\n`).join(''));
}

function describeRemoval({ item: { scope, name }, removal }: TriedRemoval): string {
  const what = `${scope}/${name}`;
  if (removal === 'deleted') return `removed            ${what}`;
  if (removal === 'not-there') return `already gone       ${what}`;
  return `could not remove   ${what}: ${removal.why}`;
}
