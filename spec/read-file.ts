import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from './thrown.js';

/** A file cannot be read; the message follows the file's name. */
class UnreadableFile extends Error {}

/** Makes the error to throw for a file that cannot be read, from a reason that follows the file's name. */
type Refuse = (why: string) => Error;

/** Reads a text file. Throws what `refuse` makes if it cannot be read, exceeds `mostBytes` or is not UTF-8. */
export async function readTextFile(path: string, mostBytes: number, refuse: Refuse): Promise<string> {
  const bytes = await readFileBytes(path, mostBytes, refuse);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw refuse('is not UTF-8 text; save it as UTF-8');
  }
}

/** Reads a file. Throws what `refuse` makes if it cannot be read or exceeds `mostBytes`. */
export async function readFileBytes(
  path: string,
  mostBytes: number,
  refuse: Refuse = (why) => new Error(why),
): Promise<Buffer> {
  try {
    const found = await stat(path);
    if (found.isFile() && found.size > mostBytes) throw tooLong(mostBytes);
    const bytes = await firstBytes(path, mostBytes);
    if (bytes.length === 0 && found.isFIFO()) throw new UnreadableFile('is a pipe without a writer');
    return bytes;
  } catch (error) {
    throw refuse(error instanceof UnreadableFile ? error.message : explainReadError(error));
  }
}

function tooLong(mostBytes: number): UnreadableFile {
  return new UnreadableFile(`is larger than ${mostBytes / 1_000_000} MB; check that it is the right file`);
}

/** The size of a pipe or a device is not known beforehand. */
async function firstBytes(path: string, mostBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of readFileChunks(path)) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > mostBytes) throw tooLong(mostBytes);
  }
  return Buffer.concat(chunks);
}

// Fewer, larger reads: a recording may be hundreds of megabytes long.
const chunkLength = 262_144;

/** Reads a file or a pipe chunk by chunk. Throws the system's errors. */
export async function* readFileChunks(path: string): AsyncGenerator<Buffer> {
  // With O_NONBLOCK a pipe without a writer is at its end; otherwise opening it would wait forever.
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

/** Reads what is available. An empty pipe is not at its end while it has a writer. */
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

/** Explains a read error in words that follow the file's name. */
export function explainReadError(error: unknown): string {
  const code = codeOf(error) ?? 'unknown error';
  return reasons[code] ?? `cannot be read (${code})`;
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist; check the path',
  ENOTDIR: 'does not exist; check the path',
  ENAMETOOLONG: 'does not exist; check the path',
  ERR_INVALID_ARG_VALUE: 'does not exist; check the path',
  ELOOP: 'is a link to itself',
  EISDIR: 'is a folder, not a file',
  EACCES: 'cannot be read; permission denied',
  EPERM: 'cannot be read; permission denied',
};
