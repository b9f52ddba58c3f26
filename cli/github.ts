import { appendFile, open, stat } from 'node:fs/promises';
import { bytesOf } from '../reports/fitted-sections.js';
import { githubAnnotations } from '../reports/github.js';
import { markdownSummary, summaryBytes } from '../reports/markdown.js';
import type { Report } from '../spec/report.js';
import { codeOf, messageOf } from '../spec/thrown.js';

/** Where the words for GitHub Actions go beside the summary's file. */
export interface GithubOutputs {
  /** Annotations: GitHub reads both streams. */
  readonly stdout: { write(text: string): unknown };
  /** A summary that could not be written. */
  readonly stderr: { write(text: string): unknown };
}

/** What the whole summary of a step may have left for this one to be worth writing. */
const leastRoom = 65_536;

/**
 * Under GitHub Actions prints annotations and appends the summary to the file that `GITHUB_STEP_SUMMARY` names, up to
 * what GitHub takes of one step; elsewhere does nothing. Never throws: a summary that cannot be written is a line.
 */
export async function tellGithub(
  report: Report,
  env: NodeJS.ProcessEnv,
  { stdout, stderr }: GithubOutputs,
): Promise<void> {
  if (env.GITHUB_ACTIONS !== 'true') return;
  stdout.write(githubAnnotations(report));
  const path = env.GITHUB_STEP_SUMMARY;
  if (path === undefined || path === '') return;
  try {
    const { bytes, atLineStart } = await written(path);
    const parting = atLineStart ? '' : '\n\n';
    const room = summaryBytes - bytes - bytesOf(parting);
    if (room < leastRoom) throw new Error('the summary of this step is full');
    await appendFile(path, `${parting}${markdownSummary(report, room)}`);
  } catch (error) {
    const why = codeOf(error) ?? messageOf(error);
    stderr.write(
      `plumbline: GITHUB_STEP_SUMMARY was not written (${why}); the report folder has the same as summary.md.\n`,
    );
  }
}

/** How much a file holds already, and whether a line of it is left open; a missing file holds nothing. */
async function written(path: string): Promise<{ readonly bytes: number; readonly atLineStart: boolean }> {
  // A pipe would keep who writes into it until somebody reads.
  if ((await stat(path).catch(() => undefined))?.isFIFO() === true) throw new Error('it is a pipe');
  const file = await open(path, 'a+');
  try {
    const { size } = await file.stat();
    if (size === 0) return { bytes: 0, atLineStart: true };
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
    return { bytes: size, atLineStart: buffer.toString('latin1') === '\n' };
  } finally {
    await file.close();
  }
}
