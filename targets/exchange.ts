import type { Operation } from '../spec/vocabulary.js';
import { bodyLimit } from './body-limit.js';
import { deepestRead, isTooDeep } from './json-depth.js';
import { isRefusedCertificate, tlsLoss } from './refused-connection.js';

/** Header fields as they went over the wire: name and value, in order, repetitions kept. */
export type RawHeaders = readonly (readonly [name: string, value: string])[];

/** A request as it was sent. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: RawHeaders;
  readonly body?: string;
}

/** A response as it came. */
export interface Answer {
  readonly status: number;
  /** The words after the status, where they are not the usual ones. */
  readonly reasonPhrase?: string;
  readonly headers: RawHeaders;
  /** The fields after a chunked body, where there are any. */
  readonly trailers?: RawHeaders;
  /** The body after content decoding, read as UTF-8. */
  readonly text: string;
  /** The body went on beyond what is read of one. */
  readonly truncated: boolean;
}

/** Why a request got no answer. */
export interface NoAnswer {
  /** In words: `no answer within 10 s`, `connection lost (ECONNRESET)`. */
  readonly lost: string;
  /** The code of the error that broke the connection, where it has one: `ECONNRESET`. */
  readonly errorCode?: string | undefined;
}

/** A request with what became of it. */
export interface Exchange {
  readonly operation: Operation;
  /** Whether the request is known to reach its operation; one that may not is judged by its envelope only. */
  readonly reaches: 'operation' | 'perhaps';
  /** What the request is, without random parts: `DELETE own/stored as member`. */
  readonly label: string;
  readonly request: SentRequest;
  readonly answer?: Answer | undefined;
  /** As of `NoAnswer`. */
  readonly lost?: string | undefined;
  /** As of `NoAnswer`. */
  readonly errorCode?: string | undefined;
  /** It was lost over a connection that was kept from before, which a server may close at any moment between answers. */
  readonly overKept?: true | undefined;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
}

/** Describes a connection that an error broke; most errors have a code. */
export function describeLostConnection(errorCode: string | undefined): NoAnswer {
  const loss = tlsLoss(errorCode);
  const tls = isRefusedCertificate(errorCode)
    ? 'no connection, for the suite refused the server'
    : 'no connection, for TLS could not be agreed';
  return {
    lost:
      loss === undefined
        ? `connection lost (${errorCode ?? 'unknown error'})`
        : `${tls}: ${loss.text} (${errorCode}). ${loss.todo}`,
    ...(errorCode === undefined ? {} : { errorCode }),
  };
}

/** An exchange that was answered. */
export interface Answered extends Exchange {
  readonly answer: Answer;
}

/** Whether an exchange was answered. */
export function isAnswered(exchange: Exchange): exchange is Answered {
  return exchange.answer !== undefined;
}

/** The values of a response header, whatever the case of its name. */
export function headerValues(answer: Answer, name: string): readonly string[] {
  return answer.headers.filter(([given]) => isNamed(given, name)).map(([, value]) => value);
}

/** The first value of a response header. */
export function header(answer: Answer, name: string): string | undefined {
  return answer.headers.find(([given]) => isNamed(given, name))?.[1];
}

/** Lengths are looked at first, since every header of every answer is asked for a dozen names. */
function isNamed(given: string, name: string): boolean {
  return given.length === name.length && given.toLowerCase() === name.toLowerCase();
}

/** Whether a response is announced as JSON, `application/problem+json` and parameters included. */
export function isJsonMediaType(answer: Answer): boolean {
  const type = (header(answer, 'content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  return /^[a-z0-9!#$&^_.+-]+\/(?:json|[a-z0-9!#$&^_.+-]+\+json)$/.test(type);
}

/** Why the body of an answer is not read to its end; undefined where it is. */
export function unread(answer: Answer): string | undefined {
  if (answer.truncated) return `a body that goes on beyond the ${bodyLimit} bytes that are read of one`;
  // What is no JSON may well have many brackets.
  return json(answer) === undefined && isTooDeep(answer.text)
    ? `JSON nested deeper than the ${deepestRead} levels that are read`
    : undefined;
}

const parsed = new WeakMap<Answer, { readonly value: unknown }>();

/** The body as JSON; undefined where it is none, or nested too deep to be read. */
export function json(answer: Answer): unknown {
  const known = parsed.get(answer);
  if (known !== undefined) return known.value;
  const value = isTooDeep(answer.text) ? undefined : parse(answer.text);
  parsed.set(answer, { value });
  return value;
}

function parse(text: string): unknown {
  // A 204 has none, and an error for each of them costs more than all that is parsed.
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A value from anywhere as text: an object may have a `toString` that is none. */
export function asText(value: unknown): string {
  return isObject(value) || Array.isArray(value) ? JSON.stringify(value) : String(value);
}

/** Narrows a value to an object with members. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The members of an answer's `data` member (§4.2, §4.3); none where it has no such object. */
export function dataOf({ answer }: Answered): Readonly<Record<string, unknown>> {
  const body = json(answer);
  return isObject(body) && isObject(body.data) ? body.data : {};
}
