import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { journalledReport } from '../judge/interrupted-report.js';
import type { RunFiles } from '../reports/formats.js';
import { readJournal } from '../reports/read-journal.js';
import { readReport, UnreadableReport } from '../reports/read-report.js';
import { journalFile } from '../reports/report-folder.js';
import type { Report } from '../spec/report.js';

/** A run as it is on disk. */
export interface RecordedRun extends RunFiles {
  readonly folder: string;
  /** The journal of this run; absent where there is none, or that of another run. */
  readonly journal?: string;
}

/**
 * Reads what a run left: its record, or where it was killed before it wrote one what its journal knew.
 * @param from the folder that the run wrote into, or its report.json
 * @throws UnreadableReport where neither can be read
 */
export async function recordedRun(from: string): Promise<RecordedRun> {
  const isFolder = (await stat(from).catch(() => undefined))?.isDirectory() === true;
  const folder = isFolder ? from : dirname(from);
  const path = join(folder, journalFile);
  const journal = await readJournal(path);
  const journalled = journal === undefined ? undefined : journalledReport(journal.lines);
  const report = await newest(from, journalled);
  // Exchanges of another run than the one that is told would be taken for its own.
  const isOfRun = report.run.id === journalled?.run.id;
  const exchanges = isOfRun ? (journal?.exchanges ?? []) : [];
  return {
    folder,
    report,
    traffic: { exchanges, sent: report.run.requests },
    ...(isOfRun ? { journal: path } : {}),
  };
}

/** The record of the run, or, where it was killed before it wrote one, what its journal knew. */
async function newest(from: string, journalled: Report | undefined): Promise<Report> {
  if (journalled === undefined) return readReport(from);
  const written = await readReport(from).catch((error: unknown) => {
    if (error instanceof UnreadableReport) return undefined;
    throw error;
  });
  if (written === undefined) return journalled;
  const isLater = Date.parse(written.run.started_at) >= Date.parse(journalled.run.started_at);
  return isLater ? written : journalled;
}
