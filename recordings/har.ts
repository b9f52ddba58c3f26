import type { RawHeaders } from '../targets/exchange.js';
import {
  base64Body,
  durationIn,
  hasNoBody,
  instantIn,
  type Place,
  type RecordedBody,
  type RecordedExchange,
  textBody,
  withoutPseudo,
} from './recorded-exchange.js';
import {
  type Break,
  type HarEntry,
  type HarHeader,
  type Piece,
  PieceBytes,
  type Splitter,
} from './recording-format.js';

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

// Depths in a HAR: 1 its own members, 2 those of `log`, 3 the elements of `log.entries`.
const ofFile = 1;
const ofLog = 2;
const ofEntries = 3;
// A key that is looked for is short; longer strings are none.
const keyLength = 16;

/**
 * Cuts the elements of `log.entries` out of a HAR as its bytes arrive, each to be parsed by itself. A parser of
 * tokens needs 16 s for 500 MB before anything is judged, keeps an element of any size, and is not meant for hostile
 * input; here only strings, escapes and depth are followed, and an element that is too long is passed over.
 */
export class HarSplitter implements Splitter {
  readonly #piece: PieceBytes;
  #offset = 0;
  #index = -1;
  #depth = 0;
  #inString = false;
  #slashes = 0;
  #inLog = false;
  #inEntries = false;
  #found = false;
  #closed = false;
  #expectsComma = false;
  /** The last string outside the entries, and the last one that a colon followed. */
  #word = '';
  #key = '';
  #break: Break | undefined;

  /** @param longest bytes that one element may have */
  constructor(longest: number) {
    this.#piece = new PieceBytes(longest);
  }

  *push(chunk: Buffer): Generator<Piece> {
    let at = 0;
    while (at < chunk.length && this.#break === undefined) {
      if (this.#inString) {
        at = this.#throughString(chunk, at);
        continue;
      }
      const piece = this.#take(chunk[at] ?? 0, at, chunk);
      at += 1;
      if (piece !== undefined) yield piece;
    }
    this.#piece.keep(chunk);
    this.#offset += chunk.length;
  }

  rest(): readonly Piece[] {
    return [];
  }

  end(): Break | undefined {
    if (this.#break !== undefined) return this.#break;
    if (this.#closed && this.#found) return undefined;
    if (this.#closed) return { offset: 0, why: 'it holds no log.entries, so it is no HAR' };
    const place = this.#piece.isOpen ? `in log.entries[${this.#index}]` : `after ${this.#index + 1} entries`;
    return { offset: this.#offset, why: `it breaks off ${place}` };
  }

  /** Goes on to the byte after the string's end, or to the end of the chunk. */
  #throughString(chunk: Buffer, from: number): number {
    const found = chunk.indexOf(quote, from);
    const end = found < 0 ? chunk.length : found;
    let slashes = 0;
    while (end - slashes > from && chunk[end - slashes - 1] === backslash) slashes += 1;
    // A run of backslashes may have begun in the chunk before.
    const all = end - slashes === from ? slashes + this.#slashes : slashes;
    if (!this.#inEntries) this.#spell(chunk, from, end);
    this.#slashes = found < 0 ? all : 0;
    if (found < 0) return chunk.length;
    if (all % 2 === 0) this.#inString = false;
    return found + 1;
  }

  #spell(chunk: Buffer, from: number, end: number): void {
    if (this.#word.length < keyLength) {
      this.#word += chunk.toString('latin1', from, Math.min(end, from + keyLength));
    }
  }

  #take(byte: number, at: number, chunk: Buffer): Piece | undefined {
    switch (byte) {
      case quote:
        this.#begin(at);
        this.#inString = true;
        this.#slashes = 0;
        this.#word = '';
        return undefined;
      case openBrace:
      case openBracket:
        this.#open(byte, at);
        return undefined;
      case closeBrace:
      case closeBracket:
        return this.#close(at, chunk);
      case colon:
        if (!this.#inEntries) this.#key = this.#word;
        return undefined;
      case comma:
        return this.#atEntries ? this.#afterElement(at, chunk) : undefined;
      default:
        if (byte > 0x20) this.#begin(at);
        return undefined;
    }
  }

  get #atEntries(): boolean {
    return this.#inEntries && this.#depth === ofEntries;
  }

  /** A value may begin: of an element, where one is due. */
  #begin(at: number): void {
    if (this.#closed) this.#broken(at, 'something follows its end');
    if (!this.#atEntries || this.#piece.isOpen) return;
    if (this.#expectsComma) {
      this.#broken(at, `a comma is missing after log.entries[${this.#index}]`);
      return;
    }
    this.#index += 1;
    this.#piece.begin(at, this.#offset + at);
  }

  #open(byte: number, at: number): void {
    this.#begin(at);
    if (!this.#inEntries) {
      if (byte === openBrace && this.#depth === ofFile && this.#key === 'log') this.#inLog = true;
      if (byte === openBracket && this.#depth === ofLog && this.#inLog && this.#key === 'entries') {
        this.#inEntries = true;
        this.#found = true;
      }
      this.#key = '';
    }
    this.#depth += 1;
  }

  #close(at: number, chunk: Buffer): Piece | undefined {
    if (this.#atEntries) {
      // The array itself ends, and perhaps an element that was no object.
      const last = this.#piece.isOpen ? this.#afterElement(at, chunk) : undefined;
      this.#inEntries = false;
      this.#depth -= 1;
      return last;
    }
    this.#depth -= 1;
    if (this.#depth === ofFile) this.#inLog = false;
    if (this.#depth === 0) this.#closed = true;
    if (this.#depth < 0) this.#broken(at, 'a bracket closes that was never opened');
    return this.#atEntries && this.#piece.isOpen ? this.#complete(at + 1, chunk) : undefined;
  }

  #afterElement(at: number, chunk: Buffer): Piece | undefined {
    this.#expectsComma = false;
    return this.#piece.isOpen ? this.#complete(at, chunk, false) : undefined;
  }

  #complete(end: number, chunk: Buffer, expectsComma = true): Piece {
    this.#expectsComma = expectsComma;
    return { index: this.#index, ...this.#piece.end(chunk, end) };
  }

  #broken(at: number, why: string): void {
    this.#break ??= { offset: this.#offset + at, why };
  }
}

/** An element of `log.entries` as an exchange. */
export function fromHar(entry: HarEntry, place: Place): RecordedExchange {
  const { request, response } = entry;
  const startedAt = instantIn(entry.startedDateTime);
  const durationMs = durationIn(entry.time);
  const body = request.postData?.text ?? undefined;
  return {
    place,
    request: {
      method: request.method,
      url: request.url,
      headers: pairs(request.headers),
      ...(body === undefined ? {} : { body }),
    },
    ...answered(entry),
    isLive: isLive(entry),
    missing: {
      body: response !== undefined && response !== null && bodyOf(entry) === undefined,
      headers: (response?.headers ?? []).length === 0,
    },
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(durationMs === undefined ? {} : { durationMs }),
  };
}

/** The answer; none where browsers write a response of status 0 (or -1), since none came. */
function answered(entry: HarEntry): Pick<RecordedExchange, 'answer'> {
  const { response } = entry;
  if (response === undefined || response === null || response.status < 100) return {};
  const { text, truncated } = bodyOf(entry) ?? { text: '', truncated: false };
  return { answer: { status: response.status, headers: answerHeaders(response), text, truncated } };
}

/** Some recorders keep the media type only where the content is described. */
function answerHeaders({ headers, content }: NonNullable<HarEntry['response']>): RawHeaders {
  const raw = pairs(headers);
  const type = content?.mimeType ?? '';
  const isTold = raw.some(([name]) => name.toLowerCase() === 'content-type');
  return isTold || raw.length > 0 || !type.includes('/') ? raw : [['Content-Type', type]];
}

/** The body of a response; undefined where there was one that is not in the recording. */
function bodyOf({ request, response }: HarEntry): RecordedBody | undefined {
  const content = response?.content ?? {};
  const { text, encoding, size } = content;
  if (typeof text === 'string' && text !== '') {
    if (encoding === undefined || encoding === null || encoding === '') return textBody(text);
    return encoding.toLowerCase() === 'base64' ? base64Body(text, codingOf(response?.headers)) : undefined;
  }
  const isEmpty = text === '' ? (size ?? 0) <= 0 : size === 0;
  return isEmpty || hasNoBody(request.method, response?.status) ? { text: '', truncated: false } : undefined;
}

function codingOf(headers: readonly HarHeader[] = []): string | undefined {
  return headers.find(({ name }) => name.toLowerCase() === 'content-encoding')?.value;
}

function pairs(headers: readonly HarHeader[] = []): RawHeaders {
  return withoutPseudo(headers.map(({ name, value }) => [name, value]));
}

function isLive(entry: HarEntry): boolean {
  const isCached = [entry._fromCache, entry._fromServiceWorker, entry._fetchedViaServiceWorker].some(Boolean);
  return !isCached && entry._resourceType !== 'websocket' && entry.response?.status !== 101;
}
