import http from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import pLimit, { type LimitFunction } from 'p-limit';
import supertest from 'supertest';
import type { Answer } from './exchange.js';
import { answerOf, bodyLimit } from './incoming.js';

/** A request to be sent: where, and how. */
export interface Outgoing {
  readonly method: string;
  /** The base URL of the target, without a slash at its end. */
  readonly base: string;
  /** The path below it, percent-encoded, sent as it is. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Stops reading once the text read so far says that all has come that matters (a stream may never end). */
  readonly until?: (text: string) => boolean;
}

/** What became of a request. */
export type Received =
  | { readonly answer: Answer; readonly lost?: undefined }
  | { readonly answer?: undefined; readonly lost: string };

/** Limits of the client. */
export interface ClientLimits {
  /** Requests in flight at once, everything counted. */
  readonly concurrency: number;
  /** Milliseconds that one request may take. */
  readonly timeoutMs: number;
}

/** The one way requests leave: supertest over keep-alive connections, never following a redirect. */
export class Client {
  readonly #agents = {
    'http:': new http.Agent({ keepAlive: true }),
    'https:': new https.Agent({ keepAlive: true }),
  } as const;
  readonly #limit: LimitFunction;
  readonly #timeoutMs: number;
  #sent = 0;

  constructor(limits: ClientLimits) {
    this.#limit = pLimit(limits.concurrency);
    this.#timeoutMs = limits.timeoutMs;
  }

  /** Requests sent so far, everything counted. */
  get sent(): number {
    return this.#sent;
  }

  /** Milliseconds that one request may take. */
  get timeoutMs(): number {
    return this.#timeoutMs;
  }

  /** Sends a request when a place is free. Rejects only when the signal is aborted before it left. */
  send(outgoing: Outgoing, signal?: AbortSignal): Promise<Received> {
    return this.occupy(() => this.#exchange(outgoing, signal), signal);
  }

  /** Counts something that is sent by other means (a raw socket) as one request in flight. */
  occupy<T>(exchange: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#limit(() => {
      signal?.throwIfAborted();
      this.#sent += 1;
      return exchange();
    });
  }

  /** Closes the idle connections. */
  close(): void {
    this.#agents['http:'].destroy();
    this.#agents['https:'].destroy();
  }

  #exchange(outgoing: Outgoing, signal?: AbortSignal): Promise<Received> {
    return new Promise((resolve) => {
      const agent = this.#agents[outgoing.base.startsWith('https:') ? 'https:' : 'http:'];
      const reading: Reading = { chunks: [], size: 0, stopped: false };
      const test = new supertest.Test(outgoing.base, outgoing.method, outgoing.path)
        .agent(agent)
        .redirects(0)
        .ok(() => true)
        .timeout({ deadline: this.#timeoutMs })
        .set(outgoing.headers)
        .buffer(true)
        .parse(reader(reading, outgoing.until));
      if (outgoing.body !== undefined) test.send(outgoing.body);
      test.on('request', ({ req }: { readonly req: http.ClientRequest }) => {
        req.once('response', (head) => {
          reading.head = head;
        });
      });
      const abort = () => {
        test.abort();
        resolve({ lost: 'the run was stopped' });
      };
      signal?.addEventListener('abort', abort, { once: true });
      test.end((error: unknown) => {
        signal?.removeEventListener('abort', abort);
        resolve(received(error, reading, this.#timeoutMs));
      });
    });
  }
}

interface Reading {
  readonly chunks: Buffer[];
  size: number;
  stopped: boolean;
  head?: http.IncomingMessage;
}

/** A parser for superagent that keeps the bytes as they come and parses nothing. */
function reader(reading: Reading, until: Outgoing['until']) {
  // supertest's types know the response as its own class; at run time it is the stream of the body.
  return (response: unknown, done: (error: Error | null, body: unknown) => void): void => {
    const stream = response as Readable;
    const stop = () => {
      if (reading.stopped) return;
      reading.stopped = true;
      done(null, undefined);
      stream.destroy();
    };
    stream.on('data', (chunk: Buffer) => {
      if (reading.size <= bodyLimit) reading.chunks.push(chunk);
      reading.size += chunk.length;
      if (reading.size > bodyLimit || until?.(textOf(reading))) stop();
    });
    stream.on('end', () => {
      if (!reading.stopped) done(null, undefined);
      reading.stopped = true;
    });
  };
}

function textOf(reading: Reading): string {
  return Buffer.concat(reading.chunks).toString('utf8');
}

function received(error: unknown, reading: Reading, timeoutMs: number): Received {
  const { head, chunks, stopped } = reading;
  // Bytes after a 204 break the connection, and not the answer, which was whole before them.
  const isWhole = stopped || error === null || error === undefined || head?.statusCode === 204;
  if (head?.statusCode === undefined || !isWhole) return { lost: lossOf(error, timeoutMs) };
  return { answer: answerOf(head, chunks) };
}

function lossOf(error: unknown, timeoutMs: number): string {
  const { code, timeout, message } = (error ?? {}) as {
    code?: unknown;
    timeout?: unknown;
    message?: unknown;
  };
  if (timeout !== undefined) return `no answer within ${timeoutMs / 1000} s`;
  const named =
    typeof code === 'string' ? code : (/^[A-Z_]{4,}/.exec(String(message))?.[0] ?? 'unknown error');
  return `connection lost (${named})`;
}
