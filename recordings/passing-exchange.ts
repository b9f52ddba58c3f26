import { type Answer, BodyBytes, type RawHeaders, type SentRequest } from '../targets/exchange.js';
import {
  findAbsentBody,
  type RecordedExchange,
  type RecordedPlace,
  readBody,
  toExchange,
} from './recorded-exchange.js';

/** An exchange that passed, with its URL at the target, as plain data with the bodies as sent. */
export interface PassedExchange extends Omit<SentRequest, 'body'> {
  readonly body: Uint8Array | undefined;
  /** Absent if the target sent none. */
  readonly answer?: AnswerHead & {
    readonly trailers: RawHeaders;
    readonly body: Uint8Array;
    /** Whether it was broken off, by either side. */
    readonly isCut: boolean;
  };
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** Whether it is judged. Of any other, only its secrets matter: the target may repeat them. */
  readonly isWatched: boolean;
}

type AnswerHead = Required<Pick<Answer, 'status' | 'reasonPhrase' | 'headers'>>;

/** The length of an ordinary body, longer than any of this interface; exchanges with longer ones are dropped first. */
export const ordinaryBytes = 50_000;

/** An exchange while it passes. */
export class PassingExchange {
  requestBody = new BodyBytes();
  answerBody = new BodyBytes();
  trailers: RawHeaders = [];
  isGivenUp = false;
  answerHead: AnswerHead = { status: 0, reasonPhrase: '', headers: [] };
  readonly #startedAt = Date.now();
  readonly #start = performance.now();

  constructor(
    readonly method: string,
    readonly url: string,
    readonly headers: RawHeaders,
    readonly isWatched: boolean,
  ) {}

  get capturedBytes(): number {
    return this.requestBody.bytes.length + this.answerBody.bytes.length;
  }

  giveUp(): void {
    this.isGivenUp = true;
    this.requestBody = new BodyBytes();
    this.answerBody = new BodyBytes();
  }

  /** Returns the exchange with what came of its answer; undefined if it was given up. */
  toPassed(isCut: boolean): PassedExchange | undefined {
    if (this.isGivenUp) return undefined;
    const { method, url, headers, isWatched, requestBody, answerHead, trailers, answerBody } = this;
    const answer = { ...answerHead, trailers, body: ownBytes(answerBody), isCut };
    return {
      ...{ method, url, headers, isWatched },
      body: requestBody.bytes.length === 0 ? undefined : ownBytes(requestBody),
      ...(answerHead.status === 0 ? {} : { answer }),
      startedAt: this.#startedAt,
      durationMs: performance.now() - this.#start,
    };
  }
}

/** Returns the bytes of a body in memory of their own, so that they can be moved to another thread. */
function ownBytes({ bytes }: BodyBytes): Uint8Array {
  return bytes.length > Buffer.poolSize
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
    : new Uint8Array(bytes);
}

function viewBytes({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** Converts an exchange that passed to a recorded one. */
export function toRecorded(passed: PassedExchange, place: RecordedPlace): RecordedExchange {
  const { method, url, headers, body, answer, startedAt, durationMs } = passed;
  return toExchange(
    {
      request: { method, url, headers, body: body && viewBytes(body).toString('utf8') },
      response: answer && {
        ...answer,
        hasHeaders: true,
        body: findAbsentBody(method, answer.status) ?? readBody(viewBytes(answer.body), answer.headers),
      },
      isLive: true,
      startedAt: new Date(startedAt).toISOString(),
      durationMs,
    },
    place,
  );
}
