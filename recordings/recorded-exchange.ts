import { brotliDecompressSync, unzipSync } from 'node:zlib';
import {
  type Answer,
  bodyLimit,
  header,
  keepReasonPhrase,
  type RawHeaders,
  type SentRequest,
  toText,
} from '../targets/exchange.js';

/** The place of an exchange in a recording. */
export interface RecordedPlace {
  /** The file as the user named it. */
  readonly file: string;
  /** Its index among the exchanges of the file; in a HAR, in `log.entries`. */
  readonly entry: number;
  /** Its line, from 1, if the file has one exchange per line. */
  readonly line?: number;
  /** The offset of its first byte, after decompression. */
  readonly byte: number;
}

/** Stands for the file of traffic that passes through the proxy. */
export const throughProxy = 'plumbline proxy';

/** Stands for the file of traffic of an app in this process. */
export const toApp = 'judgeTraffic';

/** An exchange of a recording, between any client and any server. */
export interface RecordedExchange {
  readonly place: RecordedPlace;
  readonly request: SentRequest;
  /** Absent if there was none. */
  readonly answer?: Answer | undefined;
  /** Whether the body of the answer was not recorded. */
  readonly lacksBody: boolean;
  /** Whether a server answered this request, not a cache, a service worker, a mock or a socket. */
  readonly isLive: boolean;
  /** Milliseconds since the epoch. */
  readonly startedAt?: number | undefined;
  readonly durationMs?: number | undefined;
}

/** Whether an exchange was seen as it passed, once and as it was sent. */
export function isAsSent({ place }: RecordedExchange): boolean {
  return place.file === throughProxy || place.file === toApp;
}

/** The name under which the standard input is read and reported. */
export const standardInput = '-';

/** Describes the place of an exchange for a reader. */
export function describePlace({ file, entry, line }: RecordedPlace): string {
  if (file === throughProxy) return `request ${entry + 1} through the proxy`;
  if (file === toApp) return `request ${entry + 1}`;
  const name = file === standardInput ? 'the standard input' : file;
  return line === undefined ? `log.entries[${entry}] of ${name}` : `line ${line} of ${name}`;
}

interface RecordedResponse extends Pick<Answer, 'status' | 'headers' | 'trailers'> {
  /** Undefined if it was not recorded. */
  readonly reasonPhrase?: string | undefined;
  readonly hasHeaders: boolean;
  /** Undefined if there was one that was not recorded. */
  readonly body: RecordedBody | undefined;
  readonly isCut?: boolean | undefined;
}

/** The parts of an entry, whatever its format. */
export interface EntryParts {
  readonly request: Omit<SentRequest, 'body'> & { readonly body?: string | null | undefined };
  readonly response: RecordedResponse | undefined;
  readonly isLive: boolean;
  readonly startedAt: unknown;
  readonly durationMs: unknown;
}

/** Converts an entry to an exchange. */
export function toExchange(
  { request, response, isLive, startedAt: start, durationMs: duration }: EntryParts,
  place: RecordedPlace,
): RecordedExchange {
  const { method, url, headers, body } = request;
  // Browsers record a missing response with status 0 or -1.
  const isAnswered = response !== undefined && response.status >= 100;
  return {
    place,
    request: {
      method,
      url,
      headers: dropPseudoHeaders(headers),
      ...(typeof body === 'string' ? { body } : {}),
    },
    answer: isAnswered
      ? {
          status: response.status,
          ...keepReasonPhrase(response.status, response.reasonPhrase),
          headers: dropPseudoHeaders(response.headers),
          ...(response.hasHeaders ? {} : { lacksHeaders: true }),
          ...(response.trailers?.length ? { trailers: response.trailers } : {}),
          text: '',
          ...response.body,
          truncated: response.body?.truncated === true || response.isCut === true,
        }
      : undefined,
    isLive: isLive && response?.status !== 101,
    lacksBody: isAnswered && response.body === undefined,
    startedAt: readInstant(start),
    durationMs: typeof duration === 'number' && duration >= 0 ? duration : undefined,
  };
}

function dropPseudoHeaders(headers: RawHeaders): RawHeaders {
  return headers.filter(([name]) => !name.startsWith(':'));
}

/** Parses an instant as milliseconds since the epoch; returns undefined for anything else. */
function readInstant(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined;
  const instant = Date.parse(value);
  // ISO 8601 has no years of more than four digits.
  return instant >= 0 && instant < 253_402_300_800_000 ? instant : undefined;
}

/** The body of an answer. */
export type RecordedBody = Pick<Answer, 'text' | 'truncated' | 'isMisencoded'>;

/** Returns an empty body if HTTP allows none for this method and status, else undefined. */
export function findAbsentBody(method: string, status: number): RecordedBody | undefined {
  const hasNone = method.toUpperCase() === 'HEAD' || status === 204 || status === 205 || status === 304;
  return hasNone ? { text: '', truncated: false } : undefined;
}

/** Reads a body that was recorded as text; returns undefined for compressed bytes that were decoded as text. */
export function readTextBody(text: string): RecordedBody | undefined {
  if (text.startsWith('\u001f')) return undefined;
  return { text: text.slice(0, bodyLimit), truncated: text.length > bodyLimit };
}

/** Reads the bytes of a body, perhaps still compressed; undefined if they cannot be decompressed. */
export function readBody(packed: Buffer, headers: RawHeaders): RecordedBody | undefined {
  const bytes = decodeContent(packed, header({ headers }, 'content-encoding'));
  return bytes && toText(bytes);
}

// A small body may decompress to an endless one.
const options = { maxOutputLength: 8 * bodyLimit };

function decodeContent(bytes: Buffer, contentEncoding = ''): Buffer | undefined {
  const coding = contentEncoding.trim().toLowerCase();
  // Most recorders decompress the body and keep the header.
  const isPacked = !/^\s*(?:$|[[{<"\d:-]|data|event|id|retry|true|false|null)/.test(
    bytes.toString('latin1', 0, 64),
  );
  try {
    if (isGzip(bytes) || (coding === 'deflate' && isPacked)) return unzipSync(bytes, options);
    if (coding === 'br' && isPacked) return brotliDecompressSync(bytes, options);
    return coding === 'zstd' && isPacked ? undefined : bytes;
  } catch {
    return undefined;
  }
}

/** Whether bytes begin as gzip does. */
export function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}
