import { join } from 'node:path';
import { type Format, fileOfFormat, type RunFiles, writeFormats } from '../reports/formats.js';
import { onEmbedded } from '../reports/judged-server.js';
import { terminalSummary } from '../reports/terminal.js';
import { UnwritableFile } from '../reports/write-whole.js';
import { exitCodes, strongestExitCode } from '../spec/exit-codes.js';
import type { Report } from '../spec/report.js';
import { messageOf, UsageError } from '../spec/thrown.js';
import { tellGithub } from './github.js';

/** How the outcome of a command is told. */
export interface Publication {
  /** The folder of the reports. */
  readonly report: string;
  readonly format: readonly Format[];
  readonly quiet: boolean;
  readonly color: boolean;
}

/**
 * Writes the reports of a run and prints its summary, and where GitHub Actions runs it tells that too. Returns the exit
 * code that follows. Where the reports cannot be written the summary is printed all the same, and says so.
 */
export async function published(run: RunFiles, publication: Publication): Promise<number> {
  const { trouble, report } = await told(run, publication);
  if (trouble !== undefined) process.stderr.write(`plumbline: ${messageOf(trouble)}\n`);
  return report.gate.exit_code;
}

/** As `published`, of a run that is over: where the disk refuses its reports, that is wrong usage. Throws UsageError. */
export async function publishedAgain(run: RunFiles, publication: Publication): Promise<void> {
  const { trouble } = await told(run, publication);
  if (trouble instanceof UnwritableFile) throw new UsageError(trouble.message);
  if (trouble !== undefined) throw trouble;
}

/** What was printed of a run. */
interface Told {
  readonly report: Report;
  /** What kept the reports from being written. */
  readonly trouble: unknown;
}

async function told(run: RunFiles, publication: Publication): Promise<Told> {
  const trouble = await writeFormats(run, publication.report, publication.format).then(
    () => undefined,
    (error: unknown) => error ?? new Error('the reason is unknown'),
  );
  const isWritten = trouble === undefined;
  const report = isWritten ? run.report : withoutReports(run.report, messageOf(trouble));
  process.stdout.write(summary(report, publication, isWritten));
  await tellGithub(report, process.env, { stdout: process.stdout, stderr: process.stderr });
  return { report, trouble };
}

/** A run whose reports could not be written: the suite failed, whatever the server did right. */
function withoutReports(report: Report, why: string): Report {
  const { run, gate } = report;
  return {
    ...report,
    run: { ...run, notes: [...run.notes, `none of the reports was written: ${why}`] },
    gate: { ...gate, exit_code: strongestExitCode([gate.exit_code, exitCodes.suiteFault]) },
  };
}

function summary(
  report: Report,
  { quiet, color, format, report: reportDir }: Publication,
  isWritten: boolean,
): string {
  if (quiet) {
    const isBroken = report.gate.exit_code === exitCodes.suiteFault;
    const path = format.includes('json') ? join(reportDir, fileOfFormat('json')) : reportDir;
    const where = isWritten ? path : 'no report was written';
    return `${isBroken ? 'the suite failed' : report.verdict}${onEmbedded(report.target)} (${where})\n`;
  }
  const width = process.stdout.columns ?? 100;
  return terminalSummary(report, {
    color: color && process.stdout.isTTY === true,
    width,
    ...(isWritten ? { reportDir } : {}),
  });
}
