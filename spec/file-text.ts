import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from './thrown.js';

/** Why a file cannot be read; the text says it in words that follow the file's name. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

/** The text of a file. Throws UnreadableFile where it cannot be had, is longer than `mostBytes` or is no UTF-8. */
export async function fileText(path: string, mostBytes: number): Promise<string> {
  const bytes = await fileBytes(path, mostBytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UnreadableFile('is no UTF-8 text; save it as UTF-8');
  }
}

/** The bytes of a file. Throws UnreadableFile where they cannot be had, or are more than `mostBytes`. */
export async function fileBytes(path: string, mostBytes: number): Promise<Buffer> {
  try {
    const found = await stat(path);
    if (found.isFile() && found.size > mostBytes) throw tooLong(mostBytes);
    const bytes = await firstBytes(path, mostBytes);
    if (bytes.length === 0 && found.isFIFO()) throw new UnreadableFile('is a pipe that nobody writes into');
    return bytes;
  } catch (error) {
    throw error instanceof UnreadableFile ? error : new UnreadableFile(reason(error));
  }
}

function tooLong(mostBytes: number): UnreadableFile {
  return new UnreadableFile(`has more than ${mostBytes / 1_000_000} MB, which no such file needs`);
}

/** A pipe or a device has no size that could be asked for beforehand. */
async function firstBytes(path: string, mostBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of fileChunks(path)) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > mostBytes) throw tooLong(mostBytes);
  }
  return Buffer.concat(chunks);
}

// Fewer, larger reads: a recording may be hundreds of megabytes long.
const chunkLength = 262_144;

/** The bytes of a file, or of a pipe, as they come. Throws what the system says. */
export async function* fileChunks(path: string): AsyncGenerator<Buffer> {
  // Opened like this, a pipe that nobody writes into is at its end; else one would wait for a writer, and for ever.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    for (;;) {
      const chunk = Buffer.allocUnsafe(chunkLength);
      const bytesRead = await readInto(chunk, file);
      if (bytesRead === 0) return;
      yield chunk.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

const pipeLookMs = 5;

/** Reads what there is. That a pipe holds nothing is not its end while somebody has it open for writing. */
async function readInto(chunk: Buffer, file: FileHandle): Promise<number> {
  for (;;) {
    try {
      return (await file.read(chunk, 0, chunk.length, null)).bytesRead;
    } catch (error) {
      if (codeOf(error) !== 'EAGAIN') throw error;
      await sleep(pipeLookMs);
    }
  }
}

/** What a failed attempt to read a file means, in words that follow the file's name. */
export function reason(error: unknown): string {
  const code = codeOf(error) ?? 'the reason is unknown';
  return reasons[code] ?? `cannot be read (${code})`;
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist; check the path',
  ENOTDIR: 'does not exist; check the path',
  ENAMETOOLONG: 'does not exist; check the path',
  ERR_INVALID_ARG_VALUE: 'does not exist; check the path',
  ELOOP: 'is a link that leads to itself',
  EISDIR: 'is a folder, not a file',
  EACCES: 'cannot be read; this user lacks the permission',
  EPERM: 'cannot be read; this user lacks the permission',
};
