import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { type Answer, bodyLimit, type RawHeaders, type SentRequest } from '../targets/exchange.js';

/** Where an exchange stands in a recording. */
export interface Place {
  /** The file as it was named. */
  readonly file: string;
  /** Its place among the exchanges of the file, from 0: of a HAR the index in `log.entries`. */
  readonly entry: number;
  /** The line, from 1, where a line is an exchange. */
  readonly line?: number;
  /** Its first byte, unpacked where the file is packed. */
  readonly byte: number;
}

/** What stands in place of a file for traffic that is judged while it passes. */
export const throughProxy = 'plumbline proxy';

/** An exchange as a recording tells it, whoever sent it and to whom. */
export interface RecordedExchange {
  readonly place: Place;
  readonly request: SentRequest;
  /** Absent where none came. */
  readonly answer?: Answer;
  /** What of the answer is not in the recording although there was such a thing. */
  readonly missing: { readonly body: boolean; readonly headers: boolean };
  /** Whether a server gave the answer for this very request: not a cache, a service worker or a socket. */
  readonly isLive: boolean;
  /** Milliseconds since the epoch. */
  readonly startedAt?: number;
  readonly durationMs?: number;
}

/** The place of an exchange as a reader looks for it. */
export function placeText({ file, entry, line }: Place): string {
  if (file === throughProxy) return `request ${entry + 1} through the proxy`;
  const name = file === '-' ? 'the standard input' : file;
  return line === undefined ? `log.entries[${entry}] of ${name}` : `line ${line} of ${name}`;
}

/** A body as it is judged. */
export interface RecordedBody {
  readonly text: string;
  /** It goes on beyond what is read of one. */
  readonly truncated: boolean;
}

/** A body that was recorded as text. Undefined where packed bytes were taken for text, which nobody can undo. */
export function textBody(text: string): RecordedBody | undefined {
  if (text.startsWith('\u001f')) return undefined;
  return { text: text.slice(0, bodyLimit), truncated: text.length > bodyLimit };
}

/** A body that was recorded in base64, unpacked where the recorder left it packed. Undefined where it cannot be. */
export function base64Body(base64: string, contentEncoding: string | undefined): RecordedBody | undefined {
  return bodyOfBytes(Buffer.from(base64, 'base64'), contentEncoding);
}

/** A body as its bytes went over the wire, or as a recorder unpacked them. Undefined where they cannot be unpacked. */
export function bodyOfBytes(packed: Buffer, contentEncoding: string | undefined): RecordedBody | undefined {
  const bytes = unpacked(packed, contentEncoding);
  if (bytes === undefined) return undefined;
  return {
    text: bytes.subarray(0, bodyLimit).toString('utf8'),
    truncated: bytes.length > bodyLimit,
  };
}

// More than is read proves nothing more, and a small body may unpack to an endless one.
const options = { maxOutputLength: 8 * bodyLimit };

function unpacked(bytes: Buffer, contentEncoding = ''): Buffer | undefined {
  const coding = contentEncoding.trim().toLowerCase();
  try {
    if (isGzip(bytes)) return gunzipSync(bytes, options);
    // Most recorders unpack these and keep the header: what does not unpack is plain.
    if (coding === 'br' && !looksPlain(bytes)) return brotliDecompressSync(bytes, options);
    if (coding === 'deflate' && !looksPlain(bytes)) return inflateSync(bytes, options);
    return coding === 'zstd' && !looksPlain(bytes) ? undefined : bytes;
  } catch {
    return undefined;
  }
}

/** Whether bytes begin as JSON, a page or events do. */
function looksPlain(bytes: Buffer): boolean {
  return (
    bytes.length === 0 ||
    /^\s*(?:[[{<"\d:-]|data|event|id|retry|true|false|null)/.test(bytes.toString('latin1', 0, 64))
  );
}

/** Header fields without those that HTTP/2 makes of the request line and the status. */
export function withoutPseudo(headers: RawHeaders): RawHeaders {
  return headers.filter(([name]) => !name.startsWith(':'));
}

/** An instant in milliseconds since the epoch; undefined where a value is none. */
export function instantIn(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined;
  const instant = Date.parse(value);
  // Beyond these years no ISO 8601 text of four digits can tell it again.
  return instant >= 0 && instant < 253_402_300_800_000 ? instant : undefined;
}

/** A duration in milliseconds; undefined where a value is none. */
export function durationIn(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 ? value : undefined;
}

/** Whether HTTP gives an answer no body. */
export function hasNoBody(method: string, status: number | undefined): boolean {
  return method.toUpperCase() === 'HEAD' || status === 204 || status === 205 || status === 304;
}

/** Whether bytes begin as gzip does. */
export function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}
