import { isUtf8 } from 'node:buffer';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { isNestedDeeper, isObject, tryParseJson } from '../spec/json.js';
import { keyInformationFields, type Operation } from '../spec/vocabulary.js';

/** Header fields as they went over the wire: name and value, in order, repetitions kept. */
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
  /** The words after the status, where they are not the usual ones. */
  readonly reasonPhrase?: string;
  readonly headers: RawHeaders;
  /** The fields after a chunked body, and those of interim answers, where there are any. */
  readonly trailers?: RawHeaders;
  /** The body after content decoding, read as UTF-8. */
  readonly text: string;
  /** The body went on beyond what is read of one. */
  readonly truncated: boolean;
  /** The body is not UTF-8, as JSON must be (RFC 8259, §8.1). */
  readonly isMisencoded?: true;
}

/** Why a request got no answer. */
export interface NoAnswer {
  /** In words: `no answer within 10 s`, `connection lost (ECONNRESET)`. */
  readonly lost: string;
  /** The code of the error that broke the connection, where it has one: `ECONNRESET`. */
  readonly errorCode?: string | undefined;
  /** Set where a reused connection broke: between two answers a server may close one at any moment. */
  readonly overKept?: true | undefined;
}

/** The same of a request that may have got an answer. */
export type PerhapsLost = { readonly [Member in keyof NoAnswer]?: NoAnswer[Member] | undefined };

/** A request with what became of it. */
export interface Exchange extends PerhapsLost {
  readonly operation: Operation;
  /** Whether the request is known to reach its operation; one that may not is judged by its envelope only. */
  readonly reaches: 'operation' | 'perhaps';
  /** What the request is, without random parts: `DELETE own/stored as member`. */
  readonly label: string;
  readonly request: SentRequest;
  readonly answer?: Answer | undefined;
  /** What probably answered in place of the service: `nginx`. Decides nothing. */
  readonly answeredBy?: string | undefined;
  /** The answers that were due, in words, where the check said so beforehand. */
  readonly expected?: string | undefined;
  /** Its body was announced and never sent. */
  readonly isStalled?: true;
  /** Other requests of the attempt were in flight when it left. */
  readonly isParallel?: true;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
}

/** An exchange that was answered. */
export interface Answered extends Exchange {
  readonly answer: Answer;
}

/** Whether an exchange was answered. */
export function isAnswered(exchange: Exchange): exchange is Answered {
  return exchange.answer !== undefined;
}

/** Names what a request got in a word or two: `404`, `no answer within 10 s`. */
export function describeOutcome({ answer, lost }: Pick<Exchange, 'answer' | 'lost'>): string {
  return answer === undefined ? (lost ?? 'no answer') : String(answer.status);
}

/** Whether a service or a network in trouble gives such an answer, or none, whatever was asked. */
export function isTrouble({ answer }: Pick<Exchange, 'answer'>): boolean {
  return answer === undefined || answer.status === 408 || answer.status === 429 || answer.status >= 500;
}

/** The values of a response header, whatever the case of its name. */
export function headerValues(answer: Answer, name: string): readonly string[] {
  return answer.headers.filter(([given]) => isNamed(given, name)).map(([, value]) => value.trim());
}

/** The first value of a response header, without the blanks around it, which are not part of it (RFC 9110, §5.5). */
export function header(answer: Pick<Answer, 'headers'>, name: string): string | undefined {
  return answer.headers.find(([given]) => isNamed(given, name))?.[1].trim();
}

/** Compares lengths first, since every header of every answer is asked for a dozen names. */
function isNamed(given: string, name: string): boolean {
  return given.length === name.length && given.toLowerCase() === name.toLowerCase();
}

/** Whether a response is announced as JSON, `application/problem+json` and parameters included. */
export function isJsonMediaType(answer: Answer): boolean {
  const type = (header(answer, 'content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  return /^[a-z0-9!#$&^_.+-]+\/(?:json|[a-z0-9!#$&^_.+-]+\+json)$/.test(type);
}

/**
 * How many bytes of a body are read: more proves nothing more, a hostile one has no end, and sixteen at once are held
 * in several forms each.
 */
export const bodyLimit = 400_000;

/** How deep JSON may be nested: what walks through a value would otherwise run out of stack. */
const deepestRead = 500;

/** Says why the body of an answer is not read to its end; undefined where it is. */
export function explainUnread(answer: Answer): string | undefined {
  if (answer.truncated) return `a body that goes on beyond the ${bodyLimit} bytes that are read of one`;
  // What is not JSON may well have many brackets.
  return json(answer) === undefined && isNestedDeeper(answer.text, deepestRead)
    ? `JSON nested deeper than the ${deepestRead} levels that are read`
    : undefined;
}

const parsed = new WeakMap<Answer, { readonly value: unknown }>();

/** The body as JSON; undefined where it is none, or nested too deep to be read. */
export function json(answer: Answer): unknown {
  const known = parsed.get(answer);
  if (known !== undefined) return known.value;
  const isUnreadable = isMisencodedJson(answer) || isNestedDeeper(answer.text, deepestRead);
  const value = isUnreadable ? undefined : tryParseJson(answer.text);
  parsed.set(answer, { value });
  return value;
}

/** Whether an answer is JSON with an `error` in it: the service refuses so, while a gateway may refuse with any body. */
export function carriesError(answer: Answer): boolean {
  const body = json(answer);
  return isObject(body) && body.error !== undefined;
}

/** Whether a body that names no other charset is not UTF-8. */
function isMisencodedJson(answer: Answer): boolean {
  return (
    answer.isMisencoded === true && !/;\s*charset=(?!"?utf-?8\b)/i.test(header(answer, 'content-type') ?? '')
  );
}

/** Writes a value from anywhere as text: the `toString` of an object may not be a function. */
export function asText(value: unknown): string {
  return isObject(value) || Array.isArray(value) ? JSON.stringify(value) : String(value);
}

/** Whether a value has a field of Key information (§2.2). */
export function isKeyInformation(value: unknown): boolean {
  return isObject(value) && keyInformationFields.some((field) => Object.hasOwn(value, field));
}

/** The members of an answer's `data` member (§4.2, §4.3); none where it has no such object. */
export function dataOf({ answer }: Pick<Exchange, 'answer'>): Readonly<Record<string, unknown>> {
  const body = answer && json(answer);
  return isObject(body) && isObject(body.data) ? body.data : {};
}

/** How long an answer asks to wait, in milliseconds, in either form of `Retry-After`; 0 where it asks for nothing. */
export function retryAfterMs(answer: Answer | undefined): number {
  const value = answer === undefined ? undefined : header(answer, 'retry-after');
  if (value === undefined) return 0;
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : 0;
}

// A number of seconds from now is below it, a time of this century above.
const secondsSince1970 = 900_000_000;

/**
 * How long to wait until a rate limit is over, in milliseconds: `Retry-After`, else `X-RateLimit-Reset` in seconds from
 * now or since 1970, or in milliseconds since 1970; undefined where the answer says nothing of it.
 */
export function limitResetMs(answer: Answer | undefined): number | undefined {
  const retryMs = retryAfterMs(answer);
  if (retryMs > 0) return retryMs;
  const value = answer === undefined ? undefined : header(answer, 'x-ratelimit-reset');
  if (value === undefined || !/^\d+(?:\.\d+)?$/.test(value)) return undefined;
  const reset = Number(value);
  if (reset < secondsSince1970) return reset * 1_000;
  const at = reset < secondsSince1970 * 1_000 ? reset * 1_000 : reset;
  return Math.max(0, at - Date.now());
}

/** The first characters of a text. */
export function copyBeginning(text: string, characters: number): string {
  return text.length <= characters ? text : copyText(text.slice(0, characters));
}

/** Copies a part of a text: a slice would keep the whole text in memory as long as it lives itself. */
export function copyText(part: string): string {
  return Buffer.from(part).toString('utf8');
}

/** The bytes of a body as they come, as far as they are read. A million pieces cost no more than one. */
export class BodyBytes {
  #bytes: Buffer = Buffer.alloc(0);
  #size = 0;

  /** Adds a piece; what goes beyond the limit by more than a byte is let go. */
  add(piece: Buffer): void {
    const taken = piece.subarray(0, bodyLimit + 1 - this.#size);
    const size = this.#size + taken.length;
    // Most bodies come in one piece, which needs no copy.
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

  /** Whether more has come than is read of a body. */
  get isBeyond(): boolean {
    return this.#size > bodyLimit;
  }

  /** What has come. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#size);
  }
}

// Far beyond what the interface has to say.
const bigBody = 50_000;
let isHeapSmall = false;

/** What node:http says of a response before its body, and after it of the trailers. */
export type ResponseHead = Pick<
  IncomingMessage,
  'statusCode' | 'statusMessage' | 'rawHeaders' | 'rawTrailers'
>;

/** Builds an answer from the head of a response, the bytes of its body, and the fields of interim answers before it. */
export function toAnswer(head: ResponseHead, bytes: Buffer, interim: readonly string[] = []): Answer {
  if (bytes.length > bigBody && !isHeapSmall) {
    isHeapSmall = true;
    // Big bodies are let go as fast as they come, and would else be collected only once they are several times what is
    // in use: the heap may grow by a third at most between collections.
    setFlagsFromString('--heap-growing-percent=33');
  }
  const { statusCode: status = 0, statusMessage = '', rawHeaders, rawTrailers } = head;
  const trailers = [...interim, ...rawTrailers];
  const isUsual = statusMessage === '' || statusMessage === STATUS_CODES[status];
  return {
    status,
    ...(isUsual ? {} : { reasonPhrase: statusMessage }),
    headers: toPairs(rawHeaders),
    ...(trailers.length === 0 ? {} : { trailers: toPairs(trailers) }),
    ...toText(bytes),
  };
}

/** Reads a body as UTF-8, as far as bodies are read. */
export function toText(bytes: Buffer): Pick<Answer, 'text' | 'truncated' | 'isMisencoded'> {
  const truncated = bytes.length > bodyLimit;
  const text = bytes.subarray(0, bodyLimit).toString('utf8');
  return { text, truncated, ...(truncated || isUtf8(bytes) ? {} : { isMisencoded: true }) };
}

/** Pairs up header fields that stand in one list, each name before its value. */
export function toPairs(raw: readonly string[]): RawHeaders {
  const headers: [string, string][] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) headers.push([raw[at] ?? '', raw[at + 1] ?? '']);
  return headers;
}
