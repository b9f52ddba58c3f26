import { readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FolderInUse, type FolderLock, lockFile, lockFolder } from './folder-lock.js';
import { fileOfFormat, formats } from './formats.js';
import { madeFolder } from './made-folder.js';
import { explainedWrite, UnwritableFile } from './write-whole.js';

/** The file that a run's evidence is written to as it goes. */
export const journalFile = 'journal.ndjson';

/**
 * Makes the folder of a report ready: made if missing, locked, and without what an earlier run left there, so that a run
 * that is killed leaves no verdict of another. Other files stay. Throws UnwritableFile, or FolderInUse.
 */
export async function prepareFolder(directory: string): Promise<FolderLock> {
  const lock = await holdFolder(directory);
  try {
    await removeOwn(directory);
    return lock;
  } catch (error) {
    lock.release();
    if (error instanceof UnwritableFile) throw error;
    throw cannotHold(directory, explainedWrite(error, directory));
  }
}

/** Locks the folder of a report, made if missing; what is in it stays. Throws UnwritableFile, or FolderInUse. */
export async function holdFolder(directory: string): Promise<FolderLock> {
  try {
    await madeFolder(directory);
    return lockFolder(directory);
  } catch (error) {
    if (error instanceof FolderInUse) throw error;
    throw cannotHold(directory, explainedWrite(error, lockFile));
  }
}

/** Leaves nothing of a run in a folder of reports, nor the folder where nothing else is in it. */
export async function abandonFolder(directory: string): Promise<void> {
  await removeOwn(directory);
  await rm(join(directory, lockFile), { force: true });
  await rmdir(directory).catch(() => undefined);
}

async function removeOwn(directory: string): Promise<void> {
  const stale = (await readdir(directory)).filter(isOwn);
  await Promise.all(stale.map((name) => removed(directory, name)));
}

function isOwn(name: string): boolean {
  const own = [journalFile, ...formats.map(fileOfFormat)];
  const isUnfinished = (file: string) => name.startsWith(`${file}.`) && name.endsWith('.tmp');
  return own.includes(name) || [...own, lockFile].some(isUnfinished);
}

async function removed(directory: string, name: string): Promise<void> {
  try {
    await rm(join(directory, name), { force: true });
  } catch (error) {
    throw cannotHold(directory, explainedWrite(error, name));
  }
}

function cannotHold(directory: string, why: string): UnwritableFile {
  return new UnwritableFile(`${directory} cannot hold the reports: ${why}`);
}
