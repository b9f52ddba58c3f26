import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, UsageError } from '../spec/thrown.js';
import { madeFolder } from './made-folder.js';

/** A file that could not be written, told in a line with its path and what to do. */
export class UnwritableFile extends UsageError {
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
  await writeTogether(directory, [{ name: fileName, render: () => Promise.resolve(text) }], flag);
  return join(directory, fileName);
}

/** A file to write: its name, and what gives its text. */
interface WholeFile {
  readonly name: string;
  readonly render: () => Promise<string>;
}

/**
 * Writes files into a folder, made if missing: all of them, or none. They appear in the order given, once every text is on
 * the disk. Throws UnwritableFile, or what a render throws.
 * @param flag where the user named the folder
 */
export async function writeTogether(
  directory: string,
  files: readonly WholeFile[],
  flag = '--report',
): Promise<void> {
  const written: string[] = [];
  const attempt = async (name: string, write: () => Promise<void>) => {
    await write().catch((error: unknown) => {
      const why = explainedWrite(error, name, flag);
      throw new UnwritableFile(`${join(directory, name)} was not written: ${why}`);
    });
  };
  const suffix = `.${randomUUID()}.tmp`;
  try {
    // One after another, so that one text at a time is held.
    for (const { name, render } of files) {
      const text = await render();
      await attempt(name, async () => {
        await madeFolder(directory);
        const temporary = join(directory, `${name}${suffix}`);
        written.push(temporary);
        await writeFile(temporary, text, { flag: 'wx' });
      });
    }
    // Only a rename within one folder puts the whole file in place at once.
    for (const { name } of files) {
      const path = join(directory, name);
      await attempt(name, () => rename(`${path}${suffix}`, path));
      written.push(path);
    }
  } catch (error) {
    await Promise.all(written.map((path) => rm(path, { force: true }).catch(() => undefined)));
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
  EDQUOT: (flag) => `the disk quota is used up; free some space, or give ${flag} a folder on another disk.`,
  EFBIG: (flag) =>
    `it is larger than a file may be here (ulimit -f); raise the limit, or ${anotherFolder(flag)}`,
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
