import type { JsonObject } from './json.js';

/** One frame of an event stream: a `data:` line with a JSON object or a bare word, or a comment. */
export type Frame = { readonly data: JsonObject | string } | { readonly comment: string };

/** What a request is answered, before it is put on the wire. Header names keep their spelling. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** What stands after the status in place of the usual words. */
  readonly reasonPhrase?: string;
  /** Fields after the body, which then goes in chunks. */
  readonly trailers?: Readonly<Record<string, string>>;
  /** A JSON object, text to be sent as it is, the frames of a stream, or nothing. */
  readonly body?: JsonObject | string | readonly Frame[] | undefined;
}

/** Why a request is not done: the status of §7 and what the envelope says. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  /** `error.metadata`; left out of the envelope when undefined. */
  readonly metadata?: JsonObject | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Set when a platform limit refuses (§7.4): how many requests it allows, and when it frees, in milliseconds. */
  readonly platform?: { readonly limit: number; readonly freesInMs: number };
}

/** The media type of every JSON answer, unless the behaviour gives errors another. */
export const JSON_MEDIA_TYPE = 'application/json; charset=utf-8';

/** Whether a body is the frames of a stream. */
export function isFrames(body: Answer['body']): body is readonly Frame[] {
  return Array.isArray(body);
}
