import type { Answer, SentRequest } from '../exchange.js';

/** Where an exchange stands in a recording. */
export interface Place {
  /** The file as it was named. */
  readonly file: string;
  /** Its place among the exchanges of the file, from 0: of a HAR the index in `log.entries`. */
  readonly entry: number;
  /** The line, from 1, where a line is an exchange. */
  readonly line?: number;
  /** Its first byte, unpacked where the file is packed. */
  readonly byte: number;
}

/** An exchange as a recording tells it, whoever sent it and to whom. */
export interface RecordedExchange {
  readonly place: Place;
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

/** The place of an exchange as a reader looks for it. */
export function placeText({ file, entry, line }: Place): string {
  const name = file === '-' ? 'the standard input' : file;
  return line === undefined ? `log.entries[${entry}] of ${name}` : `line ${line} of ${name}`;
}
