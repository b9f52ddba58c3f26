import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../spec/thrown.js';
import { madeFolder } from './made-folder.js';

/** A file that could not be written, told in a line with its path and what to do. */
export class UnwritableFile extends Error {
  override readonly name = 'UnwritableFile';
}

/**
 * Writes a file into a folder, made if missing, and gives its path back. It is there whole or not at all; one from an
 * earlier run is replaced. Throws UnwritableFile.
 * @param flag where the user named the folder, or the file in it
 */
export async function writeWhole(
  directory: string,
  fileName: string,
  text: string,
  flag = '--report',
): Promise<string> {
  const path = join(directory, fileName);
  try {
    await madeFolder(directory);
    await replace(path, text);
  } catch (error) {
    throw new UnwritableFile(`${path} was not written: ${explainedWrite(error, fileName, flag)}`);
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

const reasons: Readonly<Record<string, (flag: string) => string>> = {
  EACCES: (flag) => `permission denied; ${anotherFolder(flag)}`,
  EPERM: (flag) => `permission denied; ${anotherFolder(flag)}`,
  EROFS: (flag) => `the disk is read-only; ${anotherFolder(flag)}`,
  EEXIST: notAFolder,
  ENOTDIR: notAFolder,
  ENOSPC: (flag) => `the disk is full; free some space, or give ${flag} a folder on another disk.`,
  ENOENT: (flag) => `nothing can be made there, or a link leads nowhere; give ${flag} another folder.`,
  ELOOP: (flag) => `a link leads to itself; remove it, or give ${flag} another folder.`,
  ENAMETOOLONG: (flag) => `the name of the folder is too long; give ${flag} a shorter one.`,
};

function anotherFolder(flag: string): string {
  return `give ${flag} a folder that can be written to.`;
}

function notAFolder(flag: string): string {
  return `a file stands where the folder is to be; remove it, or give ${flag} another folder.`;
}

/** Why a disk refused to write a file, and what to do, in one line without the file. */
export function explainedWrite(error: unknown, fileName: string, flag = '--report'): string {
  const code = codeOf(error) ?? 'unknown error';
  if (code === 'EISDIR' || code === 'ERR_FS_EISDIR' || code === 'ENOTEMPTY')
    return `a folder of the name ${fileName} is in the way; remove it, or give ${flag} another folder.`;
  return reasons[code]?.(flag) ?? `the disk refused it (${code}); ${anotherFolder(flag)}`;
}
