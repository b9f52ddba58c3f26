import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { recoverReport } from '../judge/interrupted-report.js';
import { readJournal } from '../reports/journal.js';
import { loadReport, UnreadableReport } from '../reports/load-report.js';
import { journalFile, lockReportDirectory } from '../reports/report-folder.js';
import type { Report } from '../spec/report.js';
import type { ReportFlags } from './flags.js';
import { publish } from './publish.js';

/** A run as it is on disk. */
export type RecordedRun = Awaited<ReturnType<typeof loadRun>>;

/** Renders the reports of a run again and prints its summary. Returns 0 however the run ended; throws UsageError. */
export async function report(flags: ReportFlags): Promise<number> {
  const run = await loadRun(flags.from);
  const publication = { ...flags, report: flags.report ?? run.folder };
  using _folder = await lockReportDirectory(publication.report);
  const { error } = await publish(run, publication);
  if (error !== undefined) throw error;
  return 0;
}

/** Reads the report of a run, or the journal of one that was killed before it wrote one. Throws UnreadableReport. */
export async function loadRun(from: string) {
  const isFolder = (await stat(from).catch(() => undefined))?.isDirectory() === true;
  const folder = isFolder ? from : dirname(from);
  const path = join(folder, journalFile);
  const journal = await readJournal(path);
  const journalled = journal === undefined ? undefined : recoverReport(journal.lines);
  const report = await loadNewest(from, journalled);
  const isOfRun = report.run.id === journalled?.run.id;
  return {
    folder,
    report,
    traffic: { exchanges: isOfRun ? (journal?.exchanges ?? []) : [], sent: report.run.requests },
    /** The journal of this run; undefined if there is none, or if it belongs to another run. */
    journal: isOfRun ? path : undefined,
  };
}

async function loadNewest(from: string, journalled: Report | undefined): Promise<Report> {
  if (journalled === undefined) return loadReport(from);
  const written = await loadReport(from).catch((error: unknown) => {
    if (error instanceof UnreadableReport) return undefined;
    throw error;
  });
  if (written === undefined) return journalled;
  const isLater = Date.parse(written.run.started_at) >= Date.parse(journalled.run.started_at);
  return isLater ? written : journalled;
}
