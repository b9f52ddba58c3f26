import { type FileHandle, open } from 'node:fs/promises';

/** The most bytes that a file to be read may have. */
const sizeLimit = 1_000_000;

/** Why a file cannot be read as text; the text says it in words that follow the file's name. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

/** The text of a file. Throws UnreadableFile where it cannot be had, is more than 1 MB or is no UTF-8. */
export async function fileText(path: string): Promise<string> {
  const bytes = await bytesOf(path);
  if (bytes.length > sizeLimit) throw new UnreadableFile('has more than 1 MB, which no such file needs');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UnreadableFile('is no UTF-8 text; save it as UTF-8');
  }
}

async function bytesOf(path: string): Promise<Buffer> {
  let file: FileHandle | undefined;
  try {
    file = await open(path);
    return await firstBytes(file);
  } catch (error) {
    throw new UnreadableFile(reason(error));
  } finally {
    await file?.close();
  }
}

/** All bytes of a file up to one more than the limit; a pipe has no size that could be asked for beforehand. */
async function firstBytes(file: FileHandle): Promise<Buffer> {
  const buffer = Buffer.alloc(sizeLimit + 1);
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, null);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

/** What a failed attempt to read a file means, in words that follow the file's name. */
export function reason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return reasons[code] ?? `cannot be read (${code === '' ? 'the reason is unknown' : code})`;
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist; check the path',
  ENOTDIR: 'does not exist; check the path',
  ERR_INVALID_ARG_VALUE: 'does not exist; check the path',
  EISDIR: 'is a folder, not a file',
  EACCES: 'cannot be read; this user lacks the permission',
  EPERM: 'cannot be read; this user lacks the permission',
};
