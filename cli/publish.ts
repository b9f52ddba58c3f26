import { appendFile, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { explainWriteError, UnwritableFile, writeAtomically } from '../reports/atomic-write.js';
import { type RunEvidence, renderReportJson, reportFiles, writeFormats } from '../reports/formats.js';
import { renderAnnotations } from '../reports/github-annotations.js';
import { appendHistory, assertAppendable, buildHistoryEntry } from '../reports/history.js';
import { renderMarkdown, summaryBytes } from '../reports/markdown.js';
import { embeddedSuffix, listExceptions, type RenderOptions } from '../reports/report-view.js';
import { readResultLocation } from '../reports/result-location.js';
import { renderTerminal } from '../reports/terminal.js';
import type { LayoutOptions } from '../reports/terminal-layout.js';
import { exitCodes, strongestExitCode } from '../spec/exit-codes.js';
import type { Report } from '../spec/report.js';
import { codeOf, messageOf, UsageError } from '../spec/thrown.js';
import { allTests } from '../suites/all-checks.js';
import type { FlagsOf } from './flag-rows.js';
import type { HistoryFlags, publicationFlags } from './flags.js';

/** How a command prints its result. */
export interface OutputFlags {
  readonly color: boolean;
  readonly quiet?: boolean;
}

/** Where and how the result of a run is published. */
export type Publication = FlagsOf<typeof publicationFlags> & {
  /** Whether report.json goes to standard output, and everything else to standard error. */
  readonly json?: boolean;
};

/** Returns the layout of what is printed on standard output. */
export function chooseLayout({ color }: OutputFlags): { readonly color: boolean; readonly width: number } {
  return { color: color && process.stdout.isTTY === true, width: process.stdout.columns ?? 100 };
}

/** Writes the reports of a run and prints its summary, which gets exit code 5 if they cannot be written. */
export async function publishRun(run: RunEvidence, publication: Publication): Promise<number> {
  const { error, report } = await publish(run, publication);
  if (error !== undefined) process.stderr.write(`plumbline: ${messageOf(error)}\n`);
  return report.gate.exit_code;
}

/** Publishes a run as `publishRun` does, and returns the error instead of printing it. */
export async function publish(run: RunEvidence, publication: Publication) {
  const { sarifLocation } = publication;
  const location =
    sarifLocation === undefined ? undefined : readResultLocation(sarifLocation, run.report.target.base_url);
  const options = { tests: allTests, location, directory: publication.report };
  const error = await writeFormats(run, publication.report, publication.format, options).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  const isWritten = error === undefined;
  const report = isWritten ? run.report : noteUnwritten(run.report, messageOf(error));
  const { stdout, stderr } = process;
  const summaryStream = publication.json === true ? stderr : stdout;
  summaryStream.write(summarize(report, publication, isWritten));
  await publishOnGithub(report, process.env, { stdout: summaryStream, stderr }, options);
  if (publication.json === true) stdout.write(renderReportJson(report));
  return { report, error };
}

/** Adds to a report that it could not be written, which is a failure of the suite. */
function noteUnwritten(report: Report, why: string): Report {
  const { run, gate } = report;
  return {
    ...report,
    run: { ...run, notes: [...run.notes, `no report was written: ${why}`] },
    gate: { ...gate, exit_code: strongestExitCode([gate.exit_code, exitCodes.suiteFault]) },
  };
}

function summarize(report: Report, publication: Publication, isWritten: boolean): string {
  const { quiet, format, report: reportDir } = publication;
  if (!quiet)
    return renderTerminal(report, { ...chooseLayout(publication), ...(isWritten ? { reportDir } : {}) });
  const { gate, verdict, target } = report;
  const isBroken = gate.exit_code === exitCodes.suiteFault;
  const result = `${isBroken ? 'the suite failed' : verdict}${embeddedSuffix(target)}`;
  const path = format.includes('json') ? join(reportDir, reportFiles.json) : reportDir;
  const where = isWritten ? path : 'no report was written';
  return `${[result, ...listExceptions(gate)].join(', ')} (${where})\n`;
}

/** The least space that must be left in a step's summary for this one to be worth writing. */
const leastRoom = 65_536;

/** Under GitHub Actions prints annotations and appends to the summary, up to its limit. Never throws. */
export async function publishOnGithub(
  report: Report,
  env: NodeJS.ProcessEnv,
  { stdout, stderr }: Readonly<Record<'stdout' | 'stderr', { write(text: string): unknown }>>,
  options: RenderOptions = {},
): Promise<void> {
  if (env.GITHUB_ACTIONS !== 'true') return;
  stdout.write(renderAnnotations(report, options));
  const path = env.GITHUB_STEP_SUMMARY;
  if (path === undefined || path === '') return;
  try {
    // Reading a pipe would wait for a writer.
    if ((await stat(path).catch(() => undefined))?.isFIFO() === true) throw new Error('it is a pipe');
    const before = await readFile(path, 'utf8').catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return '';
      throw error;
    });
    const separator = before === '' || before.endsWith('\n') ? '' : '\n\n';
    const room = summaryBytes - Buffer.byteLength(before + separator);
    if (room < leastRoom) throw new Error('the summary of this step is full');
    await appendFile(path, `${separator}${renderMarkdown(report, { ...options, mostBytes: room })}`);
  } catch (error) {
    const why = codeOf(error) ?? messageOf(error);
    stderr.write(
      `plumbline: could not write GITHUB_STEP_SUMMARY (${why}). summary.md in the report folder has the same text.\n`,
    );
  }
}

/** The flags of a command that prints a result in a format, or writes it to a file. */
export interface ResultFlags<Format extends string> extends OutputFlags {
  readonly format: Format;
  readonly output?: string | undefined;
}

/** Writes a result as `--format` says to the file of `--output`, or to standard output. Throws UnwritableFile. */
export async function writeResult<Format extends string>(
  { format, output: file, color }: ResultFlags<Format>,
  renderers: Readonly<Record<Format, (layout: LayoutOptions) => string | Promise<string>>>,
): Promise<void> {
  const text = await renderers[format](chooseLayout({ color: color && file === undefined }));
  if (file === undefined) {
    process.stdout.write(text);
    return;
  }
  const found = await stat(file).catch(() => undefined);
  if (found === undefined || found.isFile() || found.isDirectory()) {
    await writeAtomically(file, text, '--output');
  } else {
    // Devices and pipes are written to, not replaced.
    await writeFile(file, text).catch((error: unknown) => {
      throw new UnwritableFile(`${file} was not written: ${explainWriteError(error, file, '--output')}`);
    });
  }
  process.stderr.write(`plumbline: written to ${file}\n`);
}

/** Checks that the line of a run could be appended to its history, and writes nothing. Throws UsageError. */
export async function assertRecordable({ history, label, historyLink }: HistoryFlags): Promise<void> {
  if (history !== undefined) await assertAppendable(history);
  else if (label !== undefined || historyLink !== undefined)
    throw new UsageError('--label and --history-link are kept in a history. Give --history FILE too.');
}

/** Appends the line of a run to its history; if that fails, it says so and the result stands. */
export async function recordRun(
  { history, label, historyLink: link }: HistoryFlags,
  report: Report,
): Promise<void> {
  if (history === undefined) return;
  await appendHistory(history, buildHistoryEntry(report, { label, link })).catch((error: unknown) => {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`plumbline: ${error.message} This run was not recorded.\n`);
  });
}
