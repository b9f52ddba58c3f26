import type { FolderLock } from '../reports/folder-lock.js';
import { holdFolder, prepareFolder } from '../reports/report-folder.js';
import { messageOf, UsageError } from '../spec/thrown.js';

/**
 * Makes the folder of a command's reports ready, and keeps other processes out of it until it is released. Throws
 * UsageError where it cannot hold them, or another process writes there.
 */
export function folderFor(directory: string): Promise<FolderLock> {
  return prepareFolder(directory).catch(refuse);
}

/** As `folderFor`, and leaves what is in the folder. */
export function folderAsItIs(directory: string): Promise<FolderLock> {
  return holdFolder(directory).catch(refuse);
}

function refuse(error: unknown): never {
  throw new UsageError(messageOf(error));
}
