import { createGunzip } from 'node:zlib';
import { fileChunks, reason } from '../spec/file-text.js';
import { codeOf } from '../spec/thrown.js';
import { fromHar, HarSplitter } from './har.js';
import { fromLine, LineSplitter } from './ndjson.js';
import { isGzip, type Place, type RecordedExchange } from './recorded-exchange.js';
import { harEntry, observedLine, type Piece, type Splitter } from './recording-format.js';

/** What is read of a recording, in the order in which it stands there. */
export type RecordingItem =
  | { readonly kind: 'exchange'; readonly exchange: RecordedExchange }
  /** A part that is no exchange, or one too long to be read: the rest of the file is whole. */
  | { readonly kind: 'skipped'; readonly place: Place; readonly why: string }
  /** A place at which the file itself is broken. */
  | { readonly kind: 'broken'; readonly file: string; readonly byte: number; readonly why: string };

/** A file that cannot be opened, or that is no recording at all: told in one line. */
export class UnreadableRecording extends Error {
  override readonly name = 'UnreadableRecording';
}

// Few bodies are longer than a megabyte, and of those no more is judged; parsing one takes several times its length.
const longestPiece = 4_194_304;
const headLength = 65_536;

/**
 * Reads a recording, HAR 1.2 or newline-delimited JSON, packed by gzip or not, without keeping more of it than one
 * exchange. What is broken is told in its place and what can be read is given all the same. Throws UnreadableRecording.
 */
export async function* readRecording(file: string): AsyncGenerator<RecordingItem> {
  const bytes = atLeast(recordingBytes(file), headLength);
  try {
    yield* itemsOf(bytes, file);
  } finally {
    await bytes.return(undefined);
  }
}

async function* itemsOf(bytes: AsyncGenerator<Buffer>, file: string): AsyncGenerator<RecordingItem> {
  const first = await firstOf(bytes, file);
  const { head, skipped } = withoutMark(first);
  const format = formatOf(head);
  if (format === undefined) {
    throw new UnreadableRecording(
      `${named(file)} is no recording: it begins neither as a HAR nor as lines of JSON.`,
    );
  }
  const splitter = format === 'har' ? new HarSplitter(longestPiece) : new LineSplitter(longestPiece);
  let read = skipped;
  try {
    for await (const chunk of followedBy(head, bytes)) {
      for (const piece of splitter.push(chunk)) yield itemOf(piece, file, skipped);
      read += chunk.length;
    }
  } catch (error) {
    // What the text breaks off in would say less than this.
    yield {
      kind: 'broken',
      file,
      byte: read,
      why: `it cannot be read on (${codeOf(error) ?? 'unknown error'})`,
    };
    return;
  }
  yield* ending(splitter, file, skipped);
}

function* ending(splitter: Splitter, file: string, skipped: number): Generator<RecordingItem> {
  for (const piece of splitter.rest()) yield itemOf(piece, file, skipped);
  const found = splitter.end();
  if (found !== undefined) yield { kind: 'broken', file, byte: skipped + found.offset, why: found.why };
}

async function firstOf(bytes: AsyncGenerator<Buffer>, file: string): Promise<Buffer> {
  try {
    const first = await bytes.next();
    if (first.done === true) throw new UnreadableRecording(`${named(file)} is empty.`);
    return first.value;
  } catch (error) {
    if (error instanceof UnreadableRecording) throw error;
    throw new UnreadableRecording(`${named(file)} ${reason(error)}; give a HAR, or newline-delimited JSON.`);
  }
}

const mark = Buffer.from([0xef, 0xbb, 0xbf]);

/** A file without the byte order mark that some tools put first. */
function withoutMark(first: Buffer): { readonly head: Buffer; readonly skipped: number } {
  const isMarked = first.subarray(0, mark.length).equals(mark);
  return { head: isMarked ? first.subarray(mark.length) : first, skipped: isMarked ? mark.length : 0 };
}

const lineMember = /^\s*\{[ \t]*"(?:at|duration_ms|request|response|lost)"[ \t]*:/;

/** What a file is, told by its beginning: a HAR has a member `log`, a line of JSON is whole. */
function formatOf(head: Buffer): 'har' | 'lines' | undefined {
  const text = head.toString('utf8', 0, headLength).trimStart();
  if (!text.startsWith('{')) return undefined;
  if (/^\{\s*"log"\s*:/.test(text)) return 'har';
  if (lineMember.test(text)) return 'lines';
  const [line = ''] = text.split('\n', 1);
  const value = parsed(line);
  if (value === undefined) return 'har';
  return typeof value === 'object' && value !== null && 'log' in value ? 'har' : 'lines';
}

function itemOf(piece: Piece, file: string, skipped: number): RecordingItem {
  const { index, line, offset, text } = piece;
  const place: Place = {
    file,
    entry: index,
    byte: skipped + offset,
    ...(line === undefined ? {} : { line }),
  };
  if (text === undefined)
    return { kind: 'skipped', place, why: `it is longer than ${longestPiece} bytes, the most that is read` };
  const value = parsed(text);
  if (value === undefined) {
    const where = line === undefined ? `log.entries[${index}]` : `line ${line}`;
    return { kind: 'broken', file, byte: place.byte, why: `${where} is no JSON` };
  }
  return line === undefined ? ofEntry(value, place) : ofLine(value, place);
}

function ofEntry(value: unknown, place: Place): RecordingItem {
  const entry = harEntry(value);
  return 'fault' in entry
    ? { kind: 'skipped', place, why: entry.fault }
    : { kind: 'exchange', exchange: fromHar(entry.value, place) };
}

function ofLine(value: unknown, place: Place): RecordingItem {
  const line = observedLine(value);
  return 'fault' in line
    ? { kind: 'skipped', place, why: line.fault }
    : { kind: 'exchange', exchange: fromLine(line.value, place) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function named(file: string): string {
  return file === '-' ? 'The standard input' : file;
}

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
async function* recordingBytes(file: string): AsyncGenerator<Buffer> {
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

/** The same chunks, the first of them at least so long where there is so much: a pipe may hand over single bytes. */
async function* atLeast(chunks: AsyncGenerator<Buffer>, length: number): AsyncGenerator<Buffer> {
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
async function* followedBy(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
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
