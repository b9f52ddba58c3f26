import type http from 'node:http';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { brotliDecompressSync, createBrotliDecompress, createUnzip, unzipSync } from 'node:zlib';
import { Client as Connection, type Dispatcher } from 'undici';
import { getOrInsert } from '../spec/maps.js';
import type { ConnectionUse } from './agents.js';
import { BodyBytes, type ResponseHead } from './exchange.js';
import type { PacedRequest } from './pacing.js';

/** The longest head of a message in bytes. Servers and paths may need more than the 16 KiB that Node allows by default. */
export const maxHeaderSize = 131_072;

/** A request to be sent: where, and how. */
export interface Outgoing extends PacedRequest {
  readonly method: string;
  /** The base URL of the target, without a slash at its end. */
  readonly base: string;
  /** The path below it, percent-encoded, sent as it is. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Which connection it uses; a kept one where absent. */
  readonly connection?: ConnectionUse;
  /** Makes a function that gets chunks of text and returns whether the rest is not needed: a stream may never end. */
  readonly until?: () => (chunk: string) => boolean;
  /** Called when the request leaves, after it has waited for its turn and a slot; again if it is repeated. */
  readonly onLeave?: () => void;
}

/** The part of an answer that has been received. */
export class Reading {
  head: ResponseHead | undefined;
  /** The header fields of interim answers, such as a 103: names and values in turn. */
  readonly interim: string[] = [];
  hasEnded = false;
  isOverKept = false;
  readonly body = new BodyBytes();
  // A chunk may end within a character.
  readonly #decoder = new StringDecoder('utf8');

  /** @param isEnough gets the text in chunks, and returns whether the rest is not needed */
  constructor(private readonly isEnough: ((chunk: string) => boolean) | undefined) {}

  /** Adds a decoded chunk of the body. Returns whether the rest is not needed. */
  add(chunk: Buffer): boolean {
    if (this.hasEnded) return true;
    this.body.add(chunk);
    this.hasEnded = this.body.isBeyond || this.isEnough?.(this.#decoder.write(chunk)) === true;
    return this.hasEnded;
  }
}

/**
 * Sends a request once and reads the answer, without following redirects.
 * @param end called once, with the error that broke the connection, if any
 * @returns a function that aborts the exchange; `end` may then be called or not
 */
export type Transport = (outgoing: Outgoing, reading: Reading, end: (error?: unknown) => void) => () => void;

// ── supertest: any request ──

type Supertest = typeof import('supertest');
let supertest: Promise<Supertest> | undefined;

/** Makes a transport by supertest, which is loaded late: many runs are over before they need it. */
export async function makeSupertest(agent: http.Agent): Promise<Transport> {
  supertest ??= import('supertest').then((loaded) => loaded.default);
  const { Test } = await supertest;
  return (outgoing, reading, end) => {
    const test = new Test(outgoing.base, outgoing.method, outgoing.path).agent(agent);
    let request: http.ClientRequest | undefined;
    let response: http.IncomingMessage | undefined;
    const finish = (error?: unknown) => {
      // A connection that breaks within a body emits an error on the request and on the response. superagent would report
      // both, with a warning on standard error that the callback was called twice.
      if (error)
        for (const emitter of [request, response])
          emitter?.removeAllListeners('error').on('error', () => undefined);
      end(error);
    };
    test
      .redirects(0)
      .ok(() => true)
      .set(outgoing.headers)
      .buffer(true)
      // This parser ends the exchange itself: superagent's own handling of an answer costs as much as sending.
      .parse((decoded: unknown) => {
        // supertest's types know the response as its own class; at run time it is the stream of the body.
        const stream = decoded as Readable;
        stream.on('data', (chunk: Buffer) => {
          if (reading.hasEnded || !reading.add(chunk)) return;
          finish();
          stream.destroy();
        });
        stream.on('end', () => {
          if (reading.hasEnded) return;
          reading.hasEnded = true;
          finish();
        });
      });
    // superagent sends the body of a HEAD without Content-Length, so a server would read it as the start of the next request.
    if (outgoing.body !== undefined)
      test.set('Content-Length', String(Buffer.byteLength(outgoing.body))).send(outgoing.body);
    test.on('request', ({ req }: { readonly req: http.ClientRequest }) => {
      request = req;
      // superagent has no option for this limit. Node reads it only once the request has a connection.
      Object.assign(req, { maxHeaderSize });
      req.once('socket', () => {
        reading.isOverKept = req.reusedSocket;
      });
      req.on('information', ({ rawHeaders }) => reading.interim.push(...rawHeaders));
      // Before the listener of superagent, which ends a HEAD at once.
      req.prependOnceListener('response', (head: http.IncomingMessage) => {
        response = head;
        reading.head = head;
      });
    });
    test.end(finish);
    return () => test.abort();
  };
}

// ── undici: plain requests, in half the time ──

/** Whether undici sends a request as supertest would. */
export function isPlain({ method, base, path, headers }: Outgoing): boolean {
  return (
    base.startsWith('http:') &&
    // undici does not send a length of 0 where no body is usual.
    !('Content-Length' in headers) &&
    ['GET', 'PUT', 'POST', 'DELETE'].includes(method) &&
    // supertest parses the path as a URL, which does not change these characters.
    /^[\w\-.~%!$&()*+,;=:@/?]*$/.test(path)
  );
}

interface Kept {
  readonly connection: Connection;
  /** Whether it has been used since it was opened or reopened. */
  isUsed: boolean;
  /** Closes it, aborting a request in flight. */
  readonly close: () => void;
}

/** Sends plain requests over kept connections with undici, at half the cost of supertest. */
export class UndiciTransport {
  readonly #idle = new Map<ConnectionUse, Map<string, Kept[]>>();

  send(outgoing: Outgoing, reading: Reading, end: (error?: unknown) => void): () => void {
    const { method, base, headers, body = null, connection: use = 'kept' } = outgoing;
    const { origin, pathname } = new URL(base);
    const byOrigin = getOrInsert(this.#idle, use, () => new Map());
    const idle = getOrInsert(byOrigin, origin, () => []);
    const isFresh = use === 'fresh';
    const kept = (isFresh ? undefined : idle.pop()) ?? open(origin);
    reading.isOverKept = kept.isUsed;
    const finish = () => {
      reading.hasEnded = true;
      end();
    };
    // Once the response is complete, the connection may be in use again, while the body is still being decoded.
    let hasEnded = false;
    const close = () => {
      if (!hasEnded) kept.close();
    };
    let add = (chunk: Buffer) => {
      if (reading.hasEnded || !reading.add(chunk)) return;
      close();
      end();
    };
    let endBody = finish;
    kept.connection.dispatch(
      {
        method: method as Dispatcher.HttpMethod,
        path: joinPath(pathname, outgoing.path),
        headers: { 'Accept-Encoding': 'gzip, deflate', ...headers },
        body,
        reset: isFresh,
      },
      {
        onRequestStart: () => undefined,
        onResponseStart: ({ rawHeaders }, statusCode, { 'content-encoding': coding }, statusMessage = '') => {
          if (statusCode < 200) {
            reading.interim.push(...toTexts(rawHeaders));
            return;
          }
          reading.head = { statusCode, statusMessage, rawHeaders: toTexts(rawHeaders), rawTrailers: [] };
          const decoders = contentCodings.get(String(coding).trim().toLowerCase());
          if (statusCode === 204 || statusCode === 304 || decoders === undefined) return;
          const decoder = decoders.makeStream().on('data', add).on('end', finish);
          // If compressed data ends too early, the part before counts, as in browsers.
          decoder.on('error', (error: NodeJS.ErrnoException) =>
            error.code === 'Z_BUF_ERROR' ? finish() : end(error),
          );
          add = (chunk) => decoder.write(chunk);
          endBody = () => decoder.end();
        },
        onResponseData: (_controller, chunk) => add(chunk),
        onResponseEnd: ({ rawTrailers }) => {
          if (reading.hasEnded) return;
          if (reading.head !== undefined)
            reading.head = { ...reading.head, rawTrailers: toTexts(rawTrailers) };
          kept.isUsed = true;
          if (isFresh) kept.close();
          else idle.push(kept);
          hasEnded = true;
          endBody();
        },
        onResponseError: (_controller, error) => {
          if (reading.hasEnded) return;
          reading.isOverKept = kept.isUsed;
          kept.close();
          end(error);
        },
      },
    );
    return close;
  }

  /** Closes the idle connections that all requests share, or those of symbols too. */
  closeIdle(which: 'shared' | 'all' = 'shared'): void {
    for (const [use, byOrigin] of this.#idle)
      if (which === 'all' || use === 'kept')
        for (const idle of byOrigin.values()) for (const kept of idle.splice(0)) kept.close();
  }
}

/** The codings that supertest decodes, requested or not. */
export const contentCodings = new Map([
  ['gzip', { makeStream: createUnzip, decode: unzipSync }],
  ['deflate', { makeStream: createUnzip, decode: unzipSync }],
  ['br', { makeStream: createBrotliDecompress, decode: brotliDecompressSync }],
]);

function open(origin: string): Kept {
  // The client has its own timeout for the whole exchange.
  const connection = new Connection(origin, {
    connectTimeout: 0,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize,
  });
  const close = () => void connection.destroy().catch(() => undefined);
  const kept = { connection, isUsed: false, close };
  connection.on('connect', () => {
    kept.isUsed = false;
  });
  return kept;
}

function joinPath(base: string, path: string): string {
  const joined = base === '/' ? path : `${base}${path}`;
  return joined.startsWith('/') ? joined : `/${joined}`;
}

/** Reads header fields as undici gives them: names and values in turn. */
export function toTexts(raw: Dispatcher.DispatchController['rawHeaders']): string[] {
  return Array.isArray(raw)
    ? raw.map((text) => (typeof text === 'string' ? text : text.toString('latin1')))
    : [];
}
