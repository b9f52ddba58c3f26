import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { journalledReport } from '../judge/journalled-report.js';
import type { Format, RunFiles } from '../reports/formats.js';
import { readJournal } from '../reports/read-journal.js';
import { readReport, UnreadableReport } from '../reports/read-report.js';
import { journalFile } from '../reports/report-folder.js';
import type { Report } from '../spec/report.js';
import { published } from './publish.js';
import { UsageError } from './usage-error.js';

/** The flags of `plumbline report`, read and checked. */
export interface ReportFlags {
  /** The folder that a run wrote into, or its report.json. */
  readonly from: string;
  /** The folder of what is rendered; where the run wrote, where absent. */
  readonly report?: string;
  readonly format: readonly Format[];
  readonly quiet: boolean;
  readonly color: boolean;
}

/**
 * Renders the reports of a run again, and prints its summary: from its record, or from the journal of a run that was
 * killed. Returns 0 however the run ended; throws UsageError where there is nothing to render.
 */
export async function report(flags: ReportFlags): Promise<number> {
  const isFolder = (await stat(flags.from).catch(() => undefined))?.isDirectory() === true;
  const folder = isFolder ? flags.from : dirname(flags.from);
  const run = await recorded(folder, flags.from).catch((error: unknown) => {
    throw error instanceof UnreadableReport ? new UsageError(error.message) : error;
  });
  await published(run, { ...flags, report: flags.report ?? folder });
  return 0;
}

async function recorded(folder: string, from: string): Promise<RunFiles> {
  const journal = await readJournal(join(folder, journalFile));
  const journalled = journal === undefined ? undefined : journalledReport(journal.lines);
  const report = await newest(from, journalled);
  // Exchanges of another run than the one that is told would be taken for its own.
  const exchanges = report.run.id === journalled?.run.id ? (journal?.exchanges ?? []) : [];
  return { report, traffic: { exchanges, sent: report.run.requests } };
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
