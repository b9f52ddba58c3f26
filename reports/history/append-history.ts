import { constants } from 'node:fs';
import { access, type FileHandle, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { HistoryEntry } from '../../spec/history.js';
import { codeOf, UsageError } from '../../spec/thrown.js';
import { inertJsonLine } from '../inert-json.js';

/** A history file that cannot be written, told in a line with its path and what to do. */
export class UnwritableHistory extends UsageError {}

/** Looks whether a line could be appended, and writes nothing. Throws UnwritableHistory. */
export async function assertAppendable(file: string): Promise<void> {
  try {
    const found = await stat(file).catch(() => undefined);
    if (found?.isDirectory() === true) throw Object.assign(new Error(), { code: 'EISDIR' });
    const folder = dirname(file);
    if (found === undefined && !(await stat(folder)).isDirectory())
      throw Object.assign(new Error(), { code: 'ENOTDIR' });
    await access(found === undefined ? folder : file, constants.W_OK);
  } catch (error) {
    throw unwritable(file, error);
  }
}

/** The line of a run, its line end included. */
export function historyLine(entry: HistoryEntry): string {
  return `${inertJsonLine(entry)}\n`;
}

/**
 * Appends a line with one write, so that runs that end at once do not mix theirs. After a line that was cut short it
 * begins a new one. Throws UnwritableHistory.
 */
export async function appendHistory(file: string, line: string): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, 'a+');
    const bytes = Buffer.from((await endsWithin(handle)) ? `\n${line}` : line);
    const { bytesWritten } = await handle.write(bytes);
    if (bytesWritten < bytes.length) throw Object.assign(new Error(), { code: 'ENOSPC' });
  } catch (error) {
    throw unwritable(file, error);
  } finally {
    await handle?.close();
  }
}

/** Whether the last line of the file lacks its end: its writer was killed, or the disk was full. */
async function endsWithin(handle: FileHandle): Promise<boolean> {
  const found = await handle.stat();
  // A pipe or a terminal has no end to look at.
  if (!found.isFile() || found.size === 0) return false;
  const last = Buffer.alloc(1);
  const { bytesRead } = await handle.read(last, 0, 1, found.size - 1);
  return bytesRead === 1 && last.toString('latin1') !== '\n';
}

const explanations: Readonly<Record<string, string>> = {
  ENOENT: 'its folder is missing; make it first',
  ENOTDIR: 'what should be its folder is a file; give --history another place',
  EISDIR: 'it is a folder; give --history a file',
  EACCES: 'permission denied; give --history a file that can be written to',
  EPERM: 'permission denied; give --history a file that can be written to',
  EROFS: 'the disk is read-only; give --history a file that can be written to',
  ENOSPC: 'the disk is full; free some space',
};

function unwritable(file: string, error: unknown): UnwritableHistory {
  const code = codeOf(error) ?? 'unknown error';
  const why = explanations[code] ?? `the disk refused it (${code}); give --history another file`;
  return new UnwritableHistory(`${file} cannot be appended to: ${why}.`);
}
