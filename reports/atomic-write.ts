import { randomUUID } from 'node:crypto';
import { access, constants, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf, UsageError } from '../spec/thrown.js';

/** A file could not be written; the message says where, why and what to do. */
export class UnwritableFile extends UsageError {
  override readonly name = 'UnwritableFile';
}

/** Checks that `writeAtomically` could write a file, and makes its folder if missing. Throws UnwritableFile. */
export async function assertWritable(path: string, flag: string): Promise<void> {
  try {
    const found = await stat(path).catch(() => undefined);
    if (found?.isDirectory() === true) throw Object.assign(new Error(), { code: 'EISDIR' });
    await ensureDirectory(dirname(path));
    await access(dirname(path), constants.W_OK);
  } catch (error) {
    throw new UnwritableFile(`${path} cannot be written: ${explainWriteError(error, basename(path), flag)}`);
  }
}

/** Writes a file, in a folder that is made if missing, and returns its path. Throws UnwritableFile. */
export async function writeAtomically(path: string, text: string, flag = '--report'): Promise<string> {
  const [directory, name] = [dirname(path), basename(path)];
  await writeAllOrNone(directory, [{ name, render: () => Promise.resolve(text) }], flag);
  return join(directory, name);
}

/** Writes all files into a folder, in the order given, or none. Throws UnwritableFile, or what a render throws. */
export async function writeAllOrNone(
  directory: string,
  files: readonly { readonly name: string; readonly render: () => Promise<string> }[],
  flag = '--report',
): Promise<void> {
  const written: string[] = [];
  const attempt = async (name: string, write: () => Promise<void>) => {
    await write().catch((error: unknown) => {
      const why = explainWriteError(error, name, flag);
      throw new UnwritableFile(`${join(directory, name)} was not written: ${why}`);
    });
  };
  const suffix = `.${randomUUID()}.tmp`;
  try {
    // One after another, so that one text at a time is in memory.
    for (const { name, render } of files) {
      const text = await render();
      await attempt(name, async () => {
        await ensureDirectory(directory);
        const temporary = join(directory, `${name}${suffix}`);
        written.push(temporary);
        await writeFile(temporary, text, { flag: 'wx' });
      });
    }
    // Only a rename within one folder puts a whole file in place at once.
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

/**
 * Makes a folder, and those above it, where it is missing. Throws what the system says. Node's own recursive mkdir takes
 * ever more memory, and never ends, where the system calls an existing folder missing, as below /proc.
 */
export async function ensureDirectory(directory: string): Promise<void> {
  const above = dirname(directory);
  const make = () => mkdir(directory).catch(acceptDirectory);
  const acceptDirectory = async (error: unknown) => {
    // What is there already may be a file; of a dangling link, this throws.
    if (codeOf(error) !== 'EEXIST' || !(await stat(directory)).isDirectory()) throw error;
  };
  await make().catch(async (error: unknown) => {
    if (codeOf(error) !== 'ENOENT' || above === directory) throw error;
    await ensureDirectory(above);
    await make();
  });
}

const writable = 'a folder that can be written to';
const fileInTheWay = 'there is a file of that name; remove it, or give FLAG another folder.';

/** Why a write failed and what to do, by the code of the system; FLAG stands for the flag that named the folder. */
const explanations: Readonly<Record<string, string>> = {
  EACCES: `permission denied; give FLAG ${writable}.`,
  EPERM: `permission denied; give FLAG ${writable}.`,
  EROFS: `the disk is read-only; give FLAG ${writable}.`,
  EEXIST: fileInTheWay,
  ENOTDIR: fileInTheWay,
  ENOSPC: 'the disk is full; free some space, or give FLAG a folder on another disk.',
  EDQUOT: 'the disk quota is used up; free some space, or give FLAG a folder on another disk.',
  EFBIG: `the file is larger than allowed here (ulimit -f); raise the limit, or give FLAG ${writable}.`,
  ENOENT: 'nothing can be created there, or a link is dangling; give FLAG another folder.',
  ELOOP: 'a link leads to itself; remove it, or give FLAG another folder.',
  ENAMETOOLONG: 'the name of the folder is too long; give FLAG a shorter one.',
};

/** Explains why a file could not be written, and what to do, in one line without its path. */
export function explainWriteError(error: unknown, fileName: string, flag = '--report'): string {
  const code = codeOf(error) ?? 'unknown error';
  const isFolder = code === 'EISDIR' || code === 'ERR_FS_EISDIR' || code === 'ENOTEMPTY';
  const why = isFolder
    ? `a folder named ${fileName} is in the way; remove it, or give FLAG another folder.`
    : (explanations[code] ?? `the system refused it (${code}); give FLAG ${writable}.`);
  return why.replace('FLAG', () => flag);
}
