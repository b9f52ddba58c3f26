import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Writes a file into a folder, made if missing, and gives its path back. It is there whole or not at all; one from an
 * earlier run is replaced. Throws an error of one line that says what to do.
 * @param flag the flag that says where the file goes
 */
export async function writeWhole(
  directory: string,
  fileName: string,
  text: string,
  flag = '--report',
): Promise<string> {
  const path = join(directory, fileName);
  try {
    await mkdir(directory, { recursive: true });
    await replace(path, text);
  } catch (error) {
    throw new Error(`${path} was not written: ${explainedWrite(error, fileName).replace('--report', flag)}`);
  }
  return path;
}

/** Only a rename within one folder puts the whole file in place at once. */
async function replace(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    await writeFile(temporary, text, { flag: 'wx' });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}

const anotherFolder = 'give --report a folder that can be written to.';
const notAFolder = 'a file stands where the folder is to be; remove it, or give --report another folder.';

const explanations: Readonly<Record<string, string>> = {
  EACCES: `permission denied; ${anotherFolder}`,
  EPERM: `permission denied; ${anotherFolder}`,
  EROFS: `the disk is read-only; ${anotherFolder}`,
  EEXIST: notAFolder,
  ENOTDIR: notAFolder,
  ENOSPC: 'the disk is full; free some space, or give --report a folder on another disk.',
  ENAMETOOLONG: 'the name of the folder is too long; give --report a shorter one.',
};

/** Why a disk refused to write a file, and what to do, in one line without the file. */
export function explainedWrite(error: unknown, fileName: string): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  if (code === 'EISDIR' || code === 'ENOTEMPTY')
    return `a folder of the name ${fileName} is in the way; remove it, or give --report another folder.`;
  return explanations[code] ?? `the disk refused it (${code}); ${anotherFolder}`;
}
