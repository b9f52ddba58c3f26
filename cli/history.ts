import {
  appendHistory,
  assertAppendable,
  historyLine,
  UnwritableHistory,
} from '../reports/history/append-history.js';
import { historyEntry } from '../reports/history/history-entry.js';
import type { Report } from '../spec/report.js';
import { UsageError } from '../spec/thrown.js';

/** Makes sure before a run that its line can be appended afterwards. Throws UsageError. */
export async function mayAppend(file: string): Promise<void> {
  await assertAppendable(file).catch((error: unknown) => {
    if (error instanceof UnwritableHistory) throw new UsageError(error.message);
    throw error;
  });
}

/** Appends the line of a run. That it could not be is told, and takes nothing from what the run found out. */
export async function appended(report: Report, file: string): Promise<void> {
  await appendHistory(file, historyLine(historyEntry(report))).catch((error: unknown) => {
    if (!(error instanceof UnwritableHistory)) throw error;
    process.stderr.write(`plumbline: ${error.message} This run is missing there.\n`);
  });
}
