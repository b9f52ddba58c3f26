import { createGunzip } from 'node:zlib';
import { fileChunks } from '../../spec/file-text.js';

// What is unpacked at once.
const chunkLength = 262_144;

/** The name under which the standard input is read, and told. */
export const standardInput = '-';

/** The bytes of a file, or of the standard input; throws what the system says where it cannot be opened. */
async function* rawBytes(file: string): AsyncGenerator<Buffer> {
  if (file === standardInput) {
    for await (const chunk of process.stdin) yield chunk as Buffer;
    return;
  }
  yield* fileChunks(file);
}

/** The bytes of a recording, unpacked where its first bytes say that it is packed by gzip. */
export async function* recordingBytes(file: string): AsyncGenerator<Buffer> {
  const raw = atLeast(rawBytes(file), 2);
  try {
    const first = await raw.next();
    if (first.done === true) return;
    const bytes = followedBy(first.value, raw);
    yield* isGzip(first.value) ? unpacked(bytes) : bytes;
  } finally {
    // Whoever stops early lets go of the file.
    await raw.return(undefined);
  }
}

/** Whether bytes begin as gzip does. */
export function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** The same chunks, the first of them at least so long where there is so much: a pipe may hand over single bytes. */
export async function* atLeast(chunks: AsyncGenerator<Buffer>, length: number): AsyncGenerator<Buffer> {
  try {
    const { head, error } = await headOf(chunks, length);
    if (head.length > 0) yield head;
    if (error !== undefined) throw error;
    yield* chunks;
  } finally {
    await chunks.return(undefined);
  }
}

/** The first bytes, and what kept from reading more of them. */
async function headOf(
  chunks: AsyncGenerator<Buffer>,
  length: number,
): Promise<{ readonly head: Buffer; readonly error?: unknown }> {
  let head: Buffer = Buffer.alloc(0);
  try {
    while (head.length < length) {
      const next = await chunks.next();
      if (next.done === true) break;
      head = head.length === 0 ? next.value : Buffer.concat([head, next.value]);
    }
    return { head };
  } catch (error) {
    return { head, error };
  }
}

/** A chunk that was taken off, and those after it. */
export async function* followedBy(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}

/** What gzip packed. Where it breaks, everything before is given first, then its error is thrown. */
async function* unpacked(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: chunkLength });
  let error: unknown;
  let wake: () => void = () => undefined;
  const told = (): void => wake();
  gunzip.on('readable', told).on('end', told).on('close', told);
  gunzip.on('error', (cause) => {
    error = cause;
    told();
  });
  const feeding = feed(packed, gunzip).catch((cause: unknown) => {
    error ??= cause;
    gunzip.destroy();
    told();
  });
  try {
    for (;;) {
      // A stream that has failed still hands over what it had unpacked.
      const chunk = gunzip.read() as Buffer | null;
      if (chunk !== null) {
        yield chunk;
        continue;
      }
      if (error !== undefined || gunzip.readableEnded || gunzip.destroyed) break;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    // Nothing more is fed in where somebody stops early.
    gunzip.destroy();
  }
  await feeding;
  if (error !== undefined) throw error;
}

async function feed(packed: AsyncIterable<Buffer>, gunzip: ReturnType<typeof createGunzip>): Promise<void> {
  for await (const chunk of packed) {
    if (gunzip.destroyed) return;
    if (!gunzip.write(chunk)) await drained(gunzip);
  }
  gunzip.end();
}

/** Resolves when more can be taken, and also when nothing will be any more. */
function drained(gunzip: ReturnType<typeof createGunzip>): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      gunzip.off('drain', done).off('close', done).off('error', done);
      resolve();
    };
    gunzip.on('drain', done).on('close', done).on('error', done);
    if (gunzip.destroyed) done();
  });
}
