import type { HarEntry } from '../spec/generated/har-entry.js';
import { isObject } from '../spec/json.js';
import { header, type RawHeaders } from '../targets/exchange.js';
import { type Break, EntryBuffer, type EntrySplitter, type EntryText } from './entry-splitter.js';
import {
  type EntryParts,
  findAbsentBody,
  type RecordedBody,
  readBody,
  readTextBody,
} from './recorded-exchange.js';

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

// Depths in a HAR: 1 its own members, 2 those of `log`, 3 the elements of `log.entries`.
const ofLog = 2;
const ofEntries = 3;
// The keys searched for are short; longer strings need not be kept.
const keyLength = 16;

/**
 * Splits `log.entries` of a HAR into its elements as the bytes arrive, to be parsed one at a time. It follows only strings,
 * escapes and depth, and skips elements that are too long. A streaming JSON parser takes 16 s for 500 MB, and does not limit
 * the size of an element, so that a hostile file could exhaust the memory.
 */
export class HarSplitter implements EntrySplitter {
  readonly #entry: EntryBuffer;
  #offset = 0;
  #index = -1;
  #depth = 0;
  #inString = false;
  #slashes = 0;
  #inEntries = false;
  #found = false;
  #closed = false;
  #expectsComma = false;
  /** The last string outside the entries, and the last one before a colon at each depth down to that of `log`. */
  #word = '';
  readonly #keys: string[] = [];
  #broken: Break | undefined;

  constructor(longest: number) {
    this.#entry = new EntryBuffer(longest);
  }

  *push(chunk: Buffer): Generator<EntryText> {
    let at = 0;
    while (at < chunk.length && this.#broken === undefined) {
      if (this.#inString) {
        at = this.#skipString(chunk, at);
        continue;
      }
      const entry = this.#take(chunk[at] ?? 0, at, chunk);
      at += 1;
      if (entry !== undefined) yield entry;
    }
    this.#entry.keep(chunk);
    this.#offset += chunk.length;
  }

  end(): Break | undefined {
    if (this.#broken !== undefined) return this.#broken;
    if (this.#closed && this.#found) return undefined;
    if (this.#closed) return { offset: 0, why: 'it has no log.entries, so it is not a HAR' };
    const place = this.#entry.isOpen ? `in log.entries[${this.#index}]` : `after ${this.#index + 1} entries`;
    return { offset: this.#offset, why: `it breaks off ${place}` };
  }

  /** Returns the place after the end of the string, or the end of the chunk. */
  #skipString(chunk: Buffer, from: number): number {
    const found = chunk.indexOf(quote, from);
    const end = found < 0 ? chunk.length : found;
    let slashes = 0;
    while (end - slashes > from && chunk[end - slashes - 1] === backslash) slashes += 1;
    // A run of backslashes may have begun in the chunk before.
    const all = end - slashes === from ? slashes + this.#slashes : slashes;
    if (!this.#inEntries && this.#word.length < keyLength)
      this.#word += chunk.toString('latin1', from, Math.min(end, from + keyLength));
    this.#slashes = found < 0 ? all : 0;
    if (found < 0) return chunk.length;
    if (all % 2 === 0) this.#inString = false;
    return found + 1;
  }

  #take(byte: number, at: number, chunk: Buffer): EntryText | undefined {
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
        if (this.#depth <= ofLog) this.#keys[this.#depth] = this.#word;
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

  #begin(at: number): void {
    if (this.#closed) this.#break(at, 'something follows its end');
    if (!this.#atEntries || this.#entry.isOpen) return;
    if (this.#expectsComma) {
      this.#break(at, `a comma is missing after log.entries[${this.#index}]`);
      return;
    }
    this.#index += 1;
    this.#entry.begin(at, this.#offset + at);
  }

  #open(byte: number, at: number): void {
    this.#begin(at);
    const [, inFile, inLog] = this.#keys;
    if (byte === openBracket && this.#depth === ofLog && inFile === 'log' && inLog === 'entries') {
      this.#inEntries = true;
      this.#found = true;
    }
    this.#depth += 1;
    if (this.#depth <= ofLog) this.#keys[this.#depth] = '';
  }

  #close(at: number, chunk: Buffer): EntryText | undefined {
    if (this.#atEntries) {
      // The array ends, and with it an element that is not an object.
      const last = this.#afterElement(at, chunk);
      this.#inEntries = false;
      this.#depth -= 1;
      return last;
    }
    this.#depth -= 1;
    if (this.#depth === 0) this.#closed = true;
    if (this.#depth < 0) this.#break(at, 'a bracket closes that was never opened');
    if (!this.#atEntries || !this.#entry.isOpen) return undefined;
    this.#expectsComma = true;
    return this.#complete(at + 1, chunk);
  }

  #afterElement(at: number, chunk: Buffer): EntryText | undefined {
    this.#expectsComma = false;
    return this.#entry.isOpen ? this.#complete(at, chunk) : undefined;
  }

  #complete(end: number, chunk: Buffer): EntryText {
    return { index: this.#index, ...this.#entry.end(chunk, end) };
  }

  #break(at: number, why: string): void {
    this.#broken ??= { offset: this.#offset + at, why };
  }
}

/** Reads an element of `log.entries`. */
export function readHarEntry(entry: HarEntry): EntryParts {
  const { request, response } = entry;
  const { method, url, postData } = request;
  const headers = toPairs(response?.headers);
  const type = response?.content?.mimeType ?? '';
  const isTypeMissing = header({ headers }, 'content-type') === undefined;
  // By a cache, a service worker, or a test's own route (Playwright).
  const isAnsweredLocally = [
    ...[entry._fromCache, entry._wasFulfilled, entry._fromServiceWorker, entry._fetchedViaServiceWorker],
    response?._fetchedViaServiceWorker,
    // Safari names the source.
    typeof entry._fetchType === 'string' && /cache|worker|override/i.test(entry._fetchType),
  ].some(Boolean);
  return {
    request: {
      ...{ method, url },
      headers: addCookies('Cookie', toPairs(request.headers), request.cookies),
      // Some recorders list the fields of a form instead of its text.
      body: postData?.text ?? writeForm(postData?.params),
    },
    response: response
      ? {
          status: response.status,
          reasonPhrase: typeof response.statusText === 'string' ? response.statusText : undefined,
          // Some recorders keep the media type only in the description of the content.
          headers: addCookies(
            'Set-Cookie',
            isTypeMissing && type.includes('/') ? [...headers, ['Content-Type', type]] : headers,
            response.cookies,
          ),
          hasHeaders: headers.length > 0,
          body: readContent(request.method, response, headers),
        }
      : undefined,
    isLive: !isAnsweredLocally && entry._resourceType !== 'websocket',
    startedAt: entry.startedDateTime,
    durationMs: entry.time,
  };
}

function readContent(
  method: string,
  { status, content }: NonNullable<HarEntry['response']>,
  headers: RawHeaders,
): RecordedBody | undefined {
  const { text, encoding, size } = content ?? {};
  if (typeof text === 'string' && text !== '') {
    if (!encoding) return readTextBody(text);
    return encoding.toLowerCase() === 'base64' ? readBody(Buffer.from(text, 'base64'), headers) : undefined;
  }
  const isEmpty = text === '' ? (size ?? 0) <= 0 : size === 0;
  return isEmpty ? { text: '', truncated: false } : findAbsentBody(method, status);
}

/** Adds the cookies that a recorder listed without the header field of a message. */
function addCookies(field: 'Cookie' | 'Set-Cookie', headers: RawHeaders, cookies: unknown): RawHeaders {
  if (headers.some(([name]) => name.toLowerCase() === field.toLowerCase())) return headers;
  return [...headers, ...listPairs(cookies).map(([name, value]) => [field, `${name}=${value}`] as const)];
}

function writeForm(params: unknown): string | undefined {
  const pairs = listPairs(params);
  return pairs.length === 0 ? undefined : new URLSearchParams(pairs).toString();
}

function listPairs(list: unknown): [name: string, value: string][] {
  return (Array.isArray(list) ? list : []).flatMap((item: unknown) =>
    isObject(item) && typeof item.name === 'string' && typeof item.value === 'string'
      ? [[item.name, item.value] as [string, string]]
      : [],
  );
}

function toPairs(headers: HarEntry['request']['headers'] = []): RawHeaders {
  return headers.map(({ name, value }) => [name, value]);
}
