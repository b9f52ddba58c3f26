import { join } from 'node:path';
import { exitCodes } from '../judge/verdict.js';
import { type Format, fileOfFormat, type RunFiles, writeFormats } from '../reports/formats.js';
import { terminalSummary } from '../reports/terminal.js';
import type { Report } from '../spec/report.js';
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
 * code that follows. Where the disk refuses the reports the summary is printed all the same.
 */
export async function published(run: RunFiles, publication: Publication): Promise<number> {
  const { report } = run;
  const trouble = await writeFormats(run, publication.report, publication.format).then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  process.stdout.write(summary(report, publication));
  await tellGithub(report, process.env, { stdout: process.stdout, stderr: process.stderr });
  if (trouble === undefined) return report.gate.exit_code;
  process.stderr.write(`plumbline: ${trouble}\n`);
  return exitCodes.suiteFault;
}

function summary(report: Report, { quiet, color, format, report: reportDir }: Publication): string {
  if (quiet) {
    const isBroken = report.gate.exit_code === exitCodes.suiteFault;
    const where = format.includes('json') ? join(reportDir, fileOfFormat('json')) : reportDir;
    return `${isBroken ? 'the suite failed' : report.verdict} (${where})\n`;
  }
  const width = process.stdout.columns ?? 100;
  return terminalSummary(report, { color: color && process.stdout.isTTY === true, width, reportDir });
}
