import { isUtf8 } from 'node:buffer';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { isNestedDeeper, isObject, tryParseJson } from '../spec/json.js';
import { getOrInsert } from '../spec/maps.js';
import { keyInformationFields, type Operation } from '../spec/vocabulary.js';

/** Header fields as they were sent: names and values, in order, with repetitions. */
export type RawHeaders = readonly (readonly [name: string, value: string])[];

/** A request as it was sent. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: RawHeaders;
  readonly body?: string;
}

/** A response as it was received. */
export interface Answer {
  readonly status: number;
  readonly reasonPhrase?: string;
  readonly headers: RawHeaders;
  /** A recording that left the headers out; only the media type may be known. */
  readonly lacksHeaders?: true;
  /** The fields after a chunked body and those of interim answers, if there are any. */
  readonly trailers?: RawHeaders;
  /** The body after content decoding, read as UTF-8. */
  readonly text: string;
  readonly truncated: boolean;
  /** The body is not UTF-8, as JSON must be (RFC 8259, §8.1). */
  readonly isMisencoded?: true;
}

/** Why a request got no answer. */
export interface NoAnswer {
  /** The reason in words: `no answer within 10 s`, `connection lost (ECONNRESET)`. */
  readonly lost: string;
  /** The code of the error that broke the connection, if it has one: `ECONNRESET`. */
  readonly errorCode?: string | undefined;
  /** Set if a reused connection broke: a server may close one at any time between two answers. */
  readonly overKept?: true | undefined;
}

/** The same for a request that may have got an answer. */
export type PerhapsLost = { readonly [Member in keyof NoAnswer]?: NoAnswer[Member] | undefined };

/** A request with its outcome. */
export interface Exchange extends PerhapsLost {
  readonly operation: Operation;
  /** Whether the request is known to reach its operation; otherwise, only an error object in its answer is judged. */
  readonly reaches: 'operation' | 'perhaps';
  /** Describes the request, without random parts: `DELETE own/stored as member`. */
  readonly label: string;
  readonly request: SentRequest;
  readonly answer?: Answer | undefined;
  /** What probably answered instead of the service: `nginx`. Decides nothing. */
  readonly answeredBy?: string | undefined;
  /** The statuses that were due, if the check said so beforehand. */
  readonly due?: readonly number[] | undefined;
  /** Its body was announced but not sent. */
  readonly isStalled?: true;
  /** Other requests of the attempt were in flight when it left. */
  readonly isParallel?: true;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
}

/** What shows whether an exchange stored or deleted a secret. */
export type NotedExchange = Pick<Exchange, 'operation' | 'reaches' | 'request' | 'answer' | 'isStalled'>;

/** An exchange that was answered. */
export interface Answered extends Exchange {
  readonly answer: Answer;
}

/** Whether an exchange was answered. */
export function isAnswered(exchange: Exchange): exchange is Answered {
  return exchange.answer !== undefined;
}

/** Describes an outcome in a few words: `404`, `no answer within 10 s`. */
export function describeOutcome({ answer, lost }: Pick<Exchange, 'answer' | 'lost'>): string {
  return answer === undefined ? (lost ?? 'no answer') : String(answer.status);
}

/** Whether a status says that a request succeeded. */
export function isSuccessStatus(status = 0): boolean {
  return status >= 200 && status < 300;
}

/** Whether an outcome may come from a service or a network in trouble, whatever was sent. */
export function isTrouble({ answer }: Pick<Exchange, 'answer'>): boolean {
  return answer === undefined || answer.status === 408 || answer.status === 429 || answer.status >= 500;
}

/** Returns the values of a response header, whatever the case of its name. */
export function headerValues(answer: Answer, name: string): readonly string[] {
  return answer.headers.filter(([given]) => isNamed(given, name)).map(([, value]) => value.trim());
}

/** Returns the first value of a response header, without the blanks around it (RFC 9110, §5.5). */
export function header(answer: Pick<Answer, 'headers'>, name: string): string | undefined {
  return answer.headers.find(([given]) => isNamed(given, name))?.[1].trim();
}

/** Compares lengths first, since every header of every answer is compared with a dozen names. */
function isNamed(given: string, name: string): boolean {
  return given.length === name.length && given.toLowerCase() === name.toLowerCase();
}

/** Whether the media type of a response is JSON, including `application/problem+json` and parameters. */
export function isJsonMediaType(answer: Answer): boolean {
  const type = (header(answer, 'content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  return /^[a-z0-9!#$&^_.+-]+\/(?:json|[a-z0-9!#$&^_.+-]+\+json)$/.test(type);
}

/** How many bytes of a body are read. A hostile body has no end, and sixteen at once are in memory. */
export const bodyLimit = 400_000;

/** How deep JSON is read: recursive functions would otherwise run out of stack. */
const deepestRead = 500;

/** Says why the body of an answer is not read completely; undefined if it is. */
export function explainUnread(answer: Answer): string | undefined {
  if (answer.truncated) return `a body that goes on beyond the ${bodyLimit} bytes that are read of one`;
  // Text that is not JSON may contain many brackets.
  return json(answer) === undefined && isNestedDeeper(answer.text, deepestRead)
    ? `JSON nested deeper than the ${deepestRead} levels that are read`
    : undefined;
}

const parsed = new WeakMap<Answer, unknown>();

/** Parses the body as JSON; undefined if it is not JSON, or nested too deep. */
export function json(answer: Answer): unknown {
  return getOrInsert(parsed, answer, () => {
    const type = header(answer, 'content-type') ?? '';
    // The body is not UTF-8, although no other charset is declared.
    const isMisencoded = answer.isMisencoded === true && !/;\s*charset=(?!"?utf-?8\b)/i.test(type);
    const isUnreadable = isMisencoded || isNestedDeeper(answer.text, deepestRead);
    return isUnreadable ? undefined : tryParseJson(answer.text);
  });
}

/** Whether an answer is JSON with an `error` member, unlike most refusals of a gateway. */
export function carriesError(answer: Answer): boolean {
  const body = json(answer);
  return isObject(body) && body.error !== undefined;
}

/** Converts any value to text; the `toString` of a parsed object may not be a function. */
export function asText(value: unknown): string {
  return isObject(value) || Array.isArray(value) ? JSON.stringify(value) : String(value);
}

/** Whether a value has a field of Key information (§2.2). */
export function isKeyInformation(value: unknown): boolean {
  return isObject(value) && keyInformationFields.some((field) => Object.hasOwn(value, field));
}

/** Returns the members of an answer's `data` object (§4.2, §4.3); none if it has no such object. */
export function readData({ answer }: Pick<Exchange, 'answer'>): Readonly<Record<string, unknown>> {
  const body = answer && json(answer);
  return isObject(body) && isObject(body.data) ? body.data : {};
}

/** Returns the milliseconds that an answer asks to wait by `Retry-After`, in either form; 0 without it. */
export function retryAfterMs(answer: Answer | undefined): number {
  const value = answer && header(answer, 'retry-after');
  if (answer === undefined || value === undefined) return 0;
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : msUntil(Date.parse(value), answer);
  return Number.isFinite(ms) ? ms : 0;
}

/** Returns the milliseconds until a time by the service's clock, or by ours where a proxy sent a wrong `Date`; 0 if it has passed. */
function msUntil(at: number, answer: Answer): number {
  const clocks = [Date.now(), Date.parse(header(answer, 'date') ?? '')];
  const left = clocks.map((now) => at - now).filter((ms) => ms > 0);
  return left.length === 0 ? 0 : Math.min(...left);
}

// A smaller number is seconds from now, a larger one a time of this century.
const secondsSince1970 = 900_000_000;

/**
 * Returns the milliseconds until a rate limit is over: by `Retry-After`, else by `X-RateLimit-Reset` in seconds from now or
 * since 1970, or in milliseconds since 1970; undefined if the answer has neither.
 */
export function limitResetMs(answer: Answer | undefined): number | undefined {
  const retryMs = retryAfterMs(answer);
  if (retryMs > 0) return retryMs;
  const value = answer && header(answer, 'x-ratelimit-reset');
  if (answer === undefined || value === undefined || !/^\d+(?:\.\d+)?$/.test(value)) return undefined;
  const reset = Number(value);
  if (reset < secondsSince1970) return reset * 1_000;
  const at = reset < secondsSince1970 * 1_000 ? reset * 1_000 : reset;
  return msUntil(at, answer);
}

/** Returns the first characters of a text. */
export function copyBeginning(text: string, characters: number): string {
  return text.length <= characters ? text : copyText(text.slice(0, characters));
}

/** Copies a part of a text: a slice would keep the whole text in memory. */
export function copyText(part: string): string {
  return Buffer.from(part).toString('utf8');
}

/** Collects the bytes of a body up to the limit. A million chunks cost no more than one. */
export class BodyBytes {
  #bytes: Buffer = Buffer.alloc(0);
  #size = 0;

  /** Adds a chunk, up to one byte beyond the limit. */
  add(chunk: Buffer): void {
    const taken = chunk.subarray(0, bodyLimit + 1 - this.#size);
    const size = this.#size + taken.length;
    // Most bodies come in one chunk, which needs no copy.
    if (this.#size === 0) this.#bytes = taken;
    else {
      if (size > this.#bytes.length) {
        const grown = Buffer.alloc(Math.min(2 * size, bodyLimit + 1));
        this.#bytes.copy(grown, 0, 0, this.#size);
        this.#bytes = grown;
      }
      taken.copy(this.#bytes, this.#size);
    }
    this.#size = size;
  }

  get isBeyond(): boolean {
    return this.#size > bodyLimit;
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#size);
  }
}

// Far larger than any response of the interface.
const bigBody = 50_000;
let isHeapSmall = false;

/** The parts of a response of node:http before its body, and the trailers after it. */
export type ResponseHead = Pick<
  IncomingMessage,
  'statusCode' | 'statusMessage' | 'rawHeaders' | 'rawTrailers'
>;

/** Returns a reason phrase as a member of an answer, and nothing if it is the standard phrase of the status. */
export function keepReasonPhrase(status: number, phrase = ''): Pick<Answer, 'reasonPhrase'> {
  return phrase === '' || phrase === STATUS_CODES[status] ? {} : { reasonPhrase: phrase };
}

/** Builds an answer from the head of a response, the bytes of its body, and the fields of interim answers before it. */
export function toAnswer(head: ResponseHead, bytes: Buffer, interim: readonly string[] = []): Answer {
  if (bytes.length > bigBody && !isHeapSmall) {
    isHeapSmall = true;
    // Large bodies become garbage quickly, and V8 would let the heap grow to a multiple of what is in use before it
    // collects them. With this, it grows by a third at most.
    setFlagsFromString('--heap-growing-percent=33');
  }
  const { statusCode: status = 0, statusMessage = '', rawHeaders, rawTrailers } = head;
  const trailers = [...interim, ...rawTrailers];
  return {
    status,
    ...keepReasonPhrase(status, statusMessage),
    headers: toPairs(rawHeaders),
    ...(trailers.length === 0 ? {} : { trailers: toPairs(trailers) }),
    ...toText(bytes),
  };
}

/** Decodes a body as UTF-8, up to the limit. */
export function toText(bytes: Buffer): Pick<Answer, 'text' | 'truncated' | 'isMisencoded'> {
  const truncated = bytes.length > bodyLimit;
  const text = bytes.subarray(0, bodyLimit).toString('utf8');
  return { text, truncated, ...(truncated || isUtf8(bytes) ? {} : { isMisencoded: true }) };
}

/** Converts a list of names and values in turn to header fields. */
export function toPairs(raw: readonly string[]): RawHeaders {
  const headers: [string, string][] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) headers.push([raw[at] ?? '', raw[at + 1] ?? '']);
  return headers;
}
