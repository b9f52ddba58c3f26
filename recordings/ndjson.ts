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
  type ObservedHeaders,
  type ObservedLine,
  type Piece,
  PieceBytes,
  type Splitter,
} from './recording-format.js';

const lineFeed = 0x0a;

/** Cuts a recording of one exchange a line; blank lines are none. */
export class LineSplitter implements Splitter {
  readonly #piece: PieceBytes;
  #offset = 0;
  #line = 1;
  #index = -1;

  /** @param longest bytes that one line may have */
  constructor(longest: number) {
    this.#piece = new PieceBytes(longest);
  }

  *push(chunk: Buffer): Generator<Piece> {
    for (let at = 0; at < chunk.length; ) {
      if (!this.#piece.isOpen) this.#piece.begin(at, this.#offset + at);
      const end = chunk.indexOf(lineFeed, at);
      if (end < 0) break;
      yield* this.#complete(chunk, end);
      this.#line += 1;
      at = end + 1;
    }
    this.#piece.keep(chunk);
    this.#offset += chunk.length;
  }

  // The last line may have no line end.
  *rest(): Generator<Piece> {
    if (this.#piece.isOpen) yield* this.#complete(Buffer.alloc(0), 0);
  }

  end(): Break | undefined {
    return undefined;
  }

  *#complete(chunk: Buffer, end: number): Generator<Piece> {
    const { offset, text } = this.#piece.end(chunk, end);
    if (text !== undefined && text.trim() === '') return;
    this.#index += 1;
    yield { index: this.#index, line: this.#line, offset, text };
  }
}

/** A line of recorded traffic as an exchange. */
export function fromLine(line: ObservedLine, place: Place): RecordedExchange {
  const { request, response } = line;
  const startedAt = instantIn(line.at);
  const durationMs = durationIn(line.duration_ms);
  const isAnswered = response !== undefined && response !== null && response.status >= 100;
  const body = isAnswered ? bodyOf(request.method, response) : undefined;
  return {
    place,
    request: {
      method: request.method,
      url: request.url,
      headers: pairs(request.headers),
      ...(typeof request.body === 'string' ? { body: request.body } : {}),
    },
    ...(isAnswered
      ? {
          answer: {
            status: response.status,
            headers: pairs(response.headers),
            text: body?.text ?? '',
            truncated: body?.truncated === true || response.truncated === true,
          },
        }
      : {}),
    isLive: response?.status !== 101,
    missing: { body: isAnswered && body === undefined, headers: response?.headers === undefined },
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(durationMs === undefined ? {} : { durationMs }),
  };
}

/** The body of a response; undefined where there was one that is not in the recording. */
function bodyOf(method: string, response: NonNullable<ObservedLine['response']>): RecordedBody | undefined {
  const { body, body_base64: base64, headers, status } = response;
  if (typeof base64 === 'string') {
    const coding = pairs(headers).find(([name]) => name.toLowerCase() === 'content-encoding')?.[1];
    return base64Body(base64, coding);
  }
  if (typeof body === 'string') return textBody(body);
  return hasNoBody(method, status) ? { text: '', truncated: false } : undefined;
}

function pairs(headers: ObservedHeaders = []): RawHeaders {
  const isList = (given: ObservedHeaders): given is readonly (readonly [string, string])[] =>
    Array.isArray(given);
  if (isList(headers)) return withoutPseudo(headers);
  return withoutPseudo(
    Object.entries(headers).flatMap(([name, values]) =>
      (typeof values === 'string' ? [values] : values).map((value) => [name, value] as const),
    ),
  );
}
