import type { Format } from '../reports/formats.js';
import { UnreadableReport } from '../reports/read-report.js';
import { UsageError } from '../spec/thrown.js';
import { folderAsItIs } from './folder-for.js';
import { publishedAgain } from './publish.js';
import { recordedRun } from './recorded-run.js';

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
  const run = await recordedRun(flags.from).catch((error: unknown) => {
    throw error instanceof UnreadableReport ? new UsageError(error.message) : error;
  });
  const publication = { ...flags, report: flags.report ?? run.folder };
  const folder = await folderAsItIs(publication.report);
  await publishedAgain(run, publication).finally(() => folder.release());
  return 0;
}
