import { reason } from '../../spec/file-text.js';
import { codeOf } from '../../spec/thrown.js';
import { fromHar } from './from-har.js';
import { fromLine } from './from-line.js';
import { HarSplitter } from './har-splitter.js';
import { LineSplitter } from './line-splitter.js';
import { harEntry, observedLine } from './narrowed.js';
import type { Piece, Splitter } from './piece.js';
import type { Place, RecordedExchange } from './recorded-exchange.js';
import { atLeast, followedBy, recordingBytes } from './recording-bytes.js';

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
