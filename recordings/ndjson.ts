import type { ObservedLine } from '../spec/generated/observed.js';
import type { RawHeaders } from '../targets/exchange.js';
import { EntryBuffer, type EntrySplitter, type EntryText } from './entry-splitter.js';
import {
  type EntryParts,
  findAbsentBody,
  type RecordedBody,
  readBody,
  readTextBody,
} from './recorded-exchange.js';

const lineFeed = 0x0a;

/** Splits a recording with one exchange per line; blank lines are skipped. */
export class LineSplitter implements EntrySplitter {
  readonly #entry: EntryBuffer;
  #offset = 0;
  #line = 1;
  #index = -1;

  constructor(longest: number) {
    this.#entry = new EntryBuffer(longest);
  }

  *push(chunk: Buffer): Generator<EntryText> {
    for (let at = 0; at < chunk.length; ) {
      if (!this.#entry.isOpen) this.#entry.begin(at, this.#offset + at);
      const end = chunk.indexOf(lineFeed, at);
      if (end < 0) break;
      yield* this.#complete(chunk, end);
      this.#line += 1;
      at = end + 1;
    }
    this.#entry.keep(chunk);
    this.#offset += chunk.length;
  }

  // The last line may have no final newline.
  *rest(): Generator<EntryText> {
    if (this.#entry.isOpen) yield* this.#complete(Buffer.alloc(0), 0);
  }

  *#complete(chunk: Buffer, end: number): Generator<EntryText> {
    const { offset, text } = this.#entry.end(chunk, end);
    if (text?.trim() === '') return;
    this.#index += 1;
    yield { index: this.#index, line: this.#line, offset, text };
  }
}

type LineHeaders = NonNullable<ObservedLine['request']['headers']>;

/** Reads a line of recorded traffic. */
export function readLine({ at, duration_ms: durationMs, request, response }: ObservedLine): EntryParts {
  const headers = toPairs(response?.headers);
  return {
    request: { ...request, headers: toPairs(request.headers) },
    response: response
      ? {
          status: response.status,
          headers,
          hasHeaders: headers.length > 0,
          body: readContent(request.method, response),
          isCut: response.truncated,
        }
      : undefined,
    isLive: true,
    startedAt: at,
    durationMs,
  };
}

function readContent(
  method: string,
  { body, body_base64: base64, headers, status }: NonNullable<ObservedLine['response']>,
): RecordedBody | undefined {
  if (typeof base64 === 'string') return readBody(Buffer.from(base64, 'base64'), toPairs(headers));
  return typeof body === 'string' ? readTextBody(body) : findAbsentBody(method, status);
}

function toPairs(headers: LineHeaders = []): RawHeaders {
  const isList = (given: LineHeaders): given is RawHeaders => Array.isArray(given);
  if (isList(headers)) return headers;
  return Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value: string) => [name, value] as const),
  );
}
