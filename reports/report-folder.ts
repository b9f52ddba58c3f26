import { mkdir, readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileOfFormat, formats } from './formats.js';
import { explainedWrite } from './write-whole.js';

/** The file that a run's evidence is written to as it goes. */
export const journalFile = 'journal.ndjson';

/**
 * Makes the folder of a report ready: made if missing, and without what an earlier run left there, so that a run that is
 * killed leaves no verdict of another. Other files stay. Throws an error of one line that says what to do.
 */
export async function prepareFolder(directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true });
    await removeOwn(directory);
  } catch (error) {
    throw new Error(`${directory} cannot hold the reports: ${explainedWrite(error, directory)}`);
  }
}

/** Leaves nothing of a run in a folder of reports, nor the folder where nothing else is in it. */
export async function abandonFolder(directory: string): Promise<void> {
  await removeOwn(directory);
  await rmdir(directory).catch(() => undefined);
}

async function removeOwn(directory: string): Promise<void> {
  const stale = (await readdir(directory)).filter(isOwn);
  await Promise.all(stale.map((name) => rm(join(directory, name), { force: true })));
}

function isOwn(name: string): boolean {
  const own = [journalFile, ...formats.map(fileOfFormat)];
  return own.some((file) => name === file || (name.startsWith(`${file}.`) && name.endsWith('.tmp')));
}
