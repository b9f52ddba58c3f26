import { createGunzip } from 'node:zlib';
import type { ErrorObject } from 'ajv/dist/2020.js';
import type { HarEntry } from '../spec/generated/har-entry.js';
import type { ObservedLine } from '../spec/generated/observed.js';
import { tryParseJson } from '../spec/json.js';
import { schemaValidator } from '../spec/json-schema.js';
import { explainReadError, readFileChunks } from '../spec/read-file.js';
import { codeOf } from '../spec/thrown.js';
import type { EntrySplitter, EntryText } from './entry-splitter.js';
import { HarSplitter, readHarEntry } from './har.js';
import { LineSplitter, readLine } from './ndjson.js';
import {
  isGzip,
  type RecordedExchange,
  type RecordedPlace,
  standardInput,
  toExchange,
} from './recorded-exchange.js';

/** An item of a recording, in file order. */
export type RecordingItem =
  | { readonly kind: 'exchange'; readonly exchange: RecordedExchange }
  /** An entry that is not an exchange, or too long; the rest of the file can be read. */
  | ({ readonly kind: 'skipped'; readonly place: RecordedPlace } & Unread)
  /** A place where the file itself is broken. */
  | ({ readonly kind: 'broken'; readonly file: string; readonly byte: number } & Unread);

interface Unread {
  readonly why: string;
  /** What is there instead of an exchange, as far as it was read: it may hold secrets. */
  readonly held?: unknown;
}

/** A file cannot be opened, or is not a recording. */
export class UnreadableRecording extends Error {
  override readonly name = 'UnreadableRecording';
}

// Parsing takes several times the length of an entry in memory, and only the beginning of a long body would be judged.
const longestEntry = 4_194_304;
const headLength = 65_536;

/** Reads a recording, HAR 1.2 or lines of JSON, perhaps gzipped, around broken places. Throws UnreadableRecording. */
export async function* readRecording(file: string): AsyncGenerator<RecordingItem> {
  let splitter: EntrySplitter | undefined;
  let skipped = 0;
  let read = 0;
  try {
    const packed = gather(file === standardInput ? process.stdin : readFileChunks(file), 2);
    for await (const chunk of gather(unpack(packed), headLength)) {
      if (splitter === undefined) {
        skipped = chunk.subarray(0, byteOrderMark.length).equals(byteOrderMark) ? byteOrderMark.length : 0;
        const isHar = isHarHead(chunk.subarray(skipped), file);
        splitter = isHar ? new HarSplitter(longestEntry) : new LineSplitter(longestEntry);
      }
      const text = read === 0 ? chunk.subarray(skipped) : chunk;
      for (const entry of splitter.push(text)) yield readEntry(entry, file, skipped);
      read += chunk.length;
    }
  } catch (error) {
    if (error instanceof UnreadableRecording) throw error;
    if (splitter === undefined)
      throw new UnreadableRecording(
        `${nameFile(file)} ${explainReadError(error)}. Give a HAR file or newline-delimited JSON.`,
      );
    // More precise than what the splitter would say about the missing end.
    const why = `it cannot be read on (${codeOf(error) ?? 'unknown error'})`;
    yield { kind: 'broken', file, byte: read, why };
    return;
  }
  if (splitter === undefined) throw new UnreadableRecording(`${nameFile(file)} is empty.`);
  for (const entry of splitter.rest?.() ?? []) yield readEntry(entry, file, skipped);
  const found = splitter.end?.();
  if (found !== undefined) yield { kind: 'broken', file, byte: skipped + found.offset, why: found.why };
}

// Some tools begin their files with it.
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

const lineMember = /^\s*\{[ \t]*"(?:at|duration_ms|request|response|lost)"[ \t]*:/;

/** Tells by its beginning whether a file is a HAR, which has a member `log`, or lines of JSON, each of them whole. */
function isHarHead(head: Buffer, file: string): boolean {
  const text = head.toString('utf8', 0, headLength).trimStart();
  if (!text.startsWith('{') || head[1] === 0)
    throw new UnreadableRecording(`${nameFile(file)} ${explainForeignFile(head)}.`);
  if (/^\{\s*"log"\s*:/.test(text)) return true;
  if (lineMember.test(text)) return false;
  const value = tryParseJson(text.split('\n', 1)[0] ?? '');
  return value === undefined || (typeof value === 'object' && value !== null && 'log' in value);
}

function explainForeignFile(head: Buffer): string {
  if (head.toString('latin1', 0, 4) === 'PK\u0003\u0004')
    return 'is a ZIP archive; unpack it and give the HAR file in it';
  // In UTF-16, half of the bytes of what both encodings share are 0.
  const isUtf16 = /^(?:\xff\xfe|\xfe\xff|\0[^\0]|[^\0]\0)/.test(head.toString('latin1', 0, 2));
  return isUtf16
    ? 'is UTF-16; save it as UTF-8'
    : 'is not a recording: it is neither a HAR nor lines of JSON';
}

function readEntry({ index, line, offset, text }: EntryText, file: string, skipped: number): RecordingItem {
  const isLine = line !== undefined;
  const place = { file, entry: index, byte: skipped + offset, ...(isLine ? { line } : {}) };
  if (text === undefined)
    return { kind: 'skipped', place, why: `it is longer than ${longestEntry} bytes, the most that is read` };
  const value = tryParseJson(text);
  if (value === undefined) {
    const where = isLine ? `line ${line}` : `log.entries[${index}]`;
    return { kind: 'broken', file, byte: place.byte, why: `${where} is not valid JSON`, held: text };
  }
  const validate = schemaValidator(isLine ? 'observed' : 'har-entry');
  if (!validate(value)) {
    const why = explainInvalidEntry(validate.errors?.at(-1));
    return { kind: 'skipped', place, why, held: value };
  }
  const parts = isLine ? readLine(value as ObservedLine) : readHarEntry(value as HarEntry);
  return { kind: 'exchange', exchange: toExchange(parts, place) };
}

/** Explains why an entry is no exchange. The last error of a schema is the one that sums up the others. */
function explainInvalidEntry({
  instancePath = '',
  keyword,
  params,
  message,
}: Partial<ErrorObject> = {}): string {
  const place = instancePath.slice(1).replaceAll('/', '.') || 'it';
  if (keyword === 'required') return `${place} has no ${String(params?.missingProperty)}`;
  if (keyword === 'anyOf' && place.endsWith('.headers'))
    return `${place} must be an array of pairs, or an object of strings`;
  if (keyword !== 'type') return `${place} ${message ?? 'breaks its schema'}`;
  const types = [params?.type].flat().map((type) => withArticles[String(type)] ?? String(type));
  return `${place} is not ${types.join(' or ')}`;
}

const withArticles: Readonly<Record<string, string>> = {
  array: 'an array',
  integer: 'a whole number',
  number: 'a number',
  object: 'an object',
  string: 'a string',
};

function nameFile(file: string): string {
  return file === standardInput ? 'The standard input' : file;
}

/** Yields the same bytes; the first chunk has at least `length` of them, if there are as many: a pipe may yield single bytes. */
async function* gather(chunks: AsyncIterable<Buffer>, length: number): AsyncGenerator<Buffer> {
  let head: Buffer | undefined = Buffer.alloc(0);
  try {
    for await (const chunk of chunks) {
      head = head && Buffer.concat([head, chunk]);
      if (head !== undefined && head.length < length) continue;
      yield head ?? chunk;
      head = undefined;
    }
  } catch (error) {
    if (head?.length) yield head;
    throw error;
  }
  if (head?.length) yield head;
}

// Compressed bytes per step: a hostile file may decompress to a thousand times its length.
const packedAtOnce = 16_384;

/** Decompresses gzip, and yields other bytes as they are. If it is broken, yields everything before that, then throws. */
async function* unpack(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isPacked: boolean | undefined;
  const unpacked: Buffer[] = [];
  let failure: Error | undefined;
  let wake: () => void = () => undefined;
  const gunzip = createGunzip({ chunkSize: 262_144 })
    .on('data', (chunk: Buffer) => unpacked.push(chunk))
    .on('end', () => wake())
    .on('error', (error) => {
      failure = error;
      wake();
    });
  const follow = async function* (step: (done: () => void) => void): AsyncGenerator<Buffer> {
    await new Promise<void>((resolve) => {
      wake = resolve;
      step(resolve);
    });
    yield* unpacked.splice(0);
    if (failure !== undefined) throw failure;
  };
  try {
    for await (const chunk of packed) {
      isPacked ??= isGzip(chunk);
      if (!isPacked) yield chunk;
      for (let at = 0; isPacked && at < chunk.length && !gunzip.readableEnded; at += packedAtOnce)
        yield* follow((done) => gunzip.write(chunk.subarray(at, at + packedAtOnce), done));
    }
    if (isPacked === true && !gunzip.readableEnded) yield* follow(() => gunzip.end());
  } finally {
    gunzip.destroy();
  }
}
