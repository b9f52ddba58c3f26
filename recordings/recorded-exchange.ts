import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { type Answer, bodyLimit, header, type RawHeaders, type SentRequest } from '../targets/exchange.js';

/** Where an exchange stands in a recording. */
export interface RecordedPlace {
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

/** The same for traffic of an app in this process. */
export const toApp = 'judgeTraffic';

/** An exchange as a recording holds it, whoever sent it and to whom. */
export interface RecordedExchange {
  readonly place: RecordedPlace;
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

/** The name under which the standard input is read and reported. */
export const standardInput = '-';

/** Names the place of an exchange as a reader looks for it. */
export function describePlace({ file, entry, line }: RecordedPlace): string {
  if (file === throughProxy) return `request ${entry + 1} through the proxy`;
  if (file === toApp) return `request ${entry + 1}`;
  const name = file === standardInput ? 'the standard input' : file;
  return line === undefined ? `log.entries[${entry}] of ${name}` : `line ${line} of ${name}`;
}

/** What an entry of a recording holds, in whatever format. */
export interface EntryParts {
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: RawHeaders;
    readonly body?: string | null | undefined;
  };
  /** Undefined where none was recorded. */
  readonly response:
    | {
        readonly status: number;
        readonly headers: RawHeaders;
        readonly hasHeaders: boolean;
        /** Undefined where there was one that is not in the recording. */
        readonly body: RecordedBody | undefined;
        readonly isCut?: boolean | undefined;
      }
    | undefined;
  readonly isLive: boolean;
  readonly startedAt: unknown;
  readonly durationMs: unknown;
}

/** Makes an exchange of an entry. */
export function toExchange(
  { request, response, isLive, startedAt: start, durationMs: duration }: EntryParts,
  place: RecordedPlace,
): RecordedExchange {
  const startedAt = readInstant(start);
  const { method, url, headers, body } = request;
  // Browsers write a response of status 0 or -1 where none came.
  const isAnswered = response !== undefined && response.status >= 100;
  return {
    place,
    request: {
      method,
      url,
      headers: dropPseudoHeaders(headers),
      ...(typeof body === 'string' ? { body } : {}),
    },
    ...(isAnswered
      ? {
          answer: {
            status: response.status,
            headers: dropPseudoHeaders(response.headers),
            text: response.body?.text ?? '',
            truncated: response.body?.truncated === true || response.isCut === true,
          },
        }
      : {}),
    isLive: isLive && response?.status !== 101,
    missing: { body: isAnswered && response.body === undefined, headers: response?.hasHeaders !== true },
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(typeof duration === 'number' && duration >= 0 ? { durationMs: duration } : {}),
  };
}

/** HTTP/2 makes some of the request line and the status. */
function dropPseudoHeaders(headers: RawHeaders): RawHeaders {
  return headers.filter(([name]) => !name.startsWith(':'));
}

/** Reads an instant in milliseconds since the epoch; undefined where a value is none. */
function readInstant(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined;
  const instant = Date.parse(value);
  // Later years have more than four digits, which ISO 8601 cannot write without agreement.
  return instant >= 0 && instant < 253_402_300_800_000 ? instant : undefined;
}

/** A body as it is judged. */
export interface RecordedBody {
  readonly text: string;
  /** It goes on beyond what is read of one. */
  readonly truncated: boolean;
}

/** The body of an answer to which HTTP gives none; undefined where one was due. */
export function findAbsentBody(method: string, status: number): RecordedBody | undefined {
  const hasNone = method.toUpperCase() === 'HEAD' || status === 204 || status === 205 || status === 304;
  return hasNone ? { text: '', truncated: false } : undefined;
}

/** Reads a body that was recorded as text; undefined where packed bytes were taken for text, which nobody can undo. */
export function readTextBody(text: string): RecordedBody | undefined {
  if (text.startsWith('\u001f')) return undefined;
  return { text: text.slice(0, bodyLimit), truncated: text.length > bodyLimit };
}

/** Reads a body that was recorded in base64, perhaps packed still; undefined where it cannot be unpacked. */
export function readBase64Body(base64: string, headers: RawHeaders): RecordedBody | undefined {
  return readBody(Buffer.from(base64, 'base64'), headers);
}

/** Reads the bytes of a body, perhaps packed still; undefined where they cannot be unpacked. */
export function readBody(packed: Buffer, headers: RawHeaders): RecordedBody | undefined {
  const coding = header({ headers }, 'content-encoding');
  const bytes = unpack(packed, coding);
  if (bytes === undefined) return undefined;
  return { text: bytes.subarray(0, bodyLimit).toString('utf8'), truncated: bytes.length > bodyLimit };
}

// More than is read proves nothing more, and a small body may unpack to an endless one.
const options = { maxOutputLength: 8 * bodyLimit };

function unpack(bytes: Buffer, contentEncoding = ''): Buffer | undefined {
  const coding = contentEncoding.trim().toLowerCase();
  // Most recorders unpack and keep the header: what looks plain is.
  const isPacked = !/^\s*(?:$|[[{<"\d:-]|data|event|id|retry|true|false|null)/.test(
    bytes.toString('latin1', 0, 64),
  );
  try {
    if (isGzip(bytes)) return gunzipSync(bytes, options);
    if (coding === 'br' && isPacked) return brotliDecompressSync(bytes, options);
    if (coding === 'deflate' && isPacked) return inflateSync(bytes, options);
    return coding === 'zstd' && isPacked ? undefined : bytes;
  } catch {
    return undefined;
  }
}

/** Whether bytes begin as gzip does. */
export function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}
