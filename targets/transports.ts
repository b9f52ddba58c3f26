import type http from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { createBrotliDecompress, createUnzip } from 'node:zlib';
import { Client as Connection, type Dispatcher } from 'undici';
import type { ConnectionUse } from './agents.js';
import { BodyBytes, type ResponseHead } from './exchange.js';
import type { Load } from './pacing.js';

/** A request to be sent: where, and how. */
export interface Outgoing extends Load {
  readonly method: string;
  /** The base URL of the target, without a slash at its end. */
  readonly base: string;
  /** The path below it, percent-encoded, sent as it is. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Over one kept from before where absent. */
  readonly connection?: ConnectionUse;
  /**
   * Makes what looks at the text of the answer piece by piece, and says when all has come that matters: a stream may
   * never end.
   */
  readonly until?: () => (piece: string) => boolean;
}

/** What has come of an answer so far. */
export class Reading {
  head: ResponseHead | undefined;
  /** The header fields of interim answers, such as a 103: names and values by turns. */
  readonly interim: string[] = [];
  /** Whether all has come that matters. */
  isComplete = false;
  /** Whether the connection had carried other requests before. */
  isOverKept = false;
  readonly #body = new BodyBytes();
  // A character may be cut by the end of a piece.
  readonly #decoder = new StringDecoder('utf8');
  readonly #isEnough: ((piece: string) => boolean) | undefined;

  /** @param isEnough looks at the text piece by piece, and says when all has come that matters */
  constructor(isEnough: ((piece: string) => boolean) | undefined) {
    this.#isEnough = isEnough;
  }

  get bytes(): Buffer {
    return this.#body.bytes;
  }

  /** Adds a piece of the body, decoded. Returns whether no more need come. */
  add(piece: Buffer): boolean {
    if (this.isComplete) return true;
    this.#body.add(piece);
    this.isComplete = this.#body.isBeyond || this.#isEnough?.(this.#decoder.write(piece)) === true;
    return this.isComplete;
  }
}

/**
 * Sends a request once and reads what comes back, never following a redirect.
 * @param end called once, with what broke the connection where something did
 * @returns what breaks the exchange off; `end` may then be called or not
 */
export type Transport = (outgoing: Outgoing, reading: Reading, end: (error?: unknown) => void) => () => void;

// ── supertest: any request ──

type Supertest = typeof import('supertest');
let supertest: Promise<Supertest> | undefined;

/** Sends by supertest through an agent. */
export function sendBySupertest(
  agent: http.Agent,
  outgoing: Outgoing,
  reading: Reading,
  end: (error?: unknown) => void,
): () => void {
  let isStopped = false;
  let stop = () => {
    isStopped = true;
  };
  // It takes longer to load than many a server takes to be found wrong.
  supertest ??= import('supertest').then((loaded) => loaded.default);
  supertest.then(({ Test }) => {
    if (!isStopped) stop = send(new Test(outgoing.base, outgoing.method, outgoing.path).agent(agent));
  }, end);
  const send = (test: InstanceType<Supertest['Test']>) => {
    let request: http.ClientRequest | undefined;
    let response: http.IncomingMessage | undefined;
    const finish = (error?: unknown) => {
      reading.isOverKept = request?.reusedSocket === true;
      // A connection that breaks within a body fails the request and then the response; superagent would report both, and
      // warn on standard error of a callback that is called twice.
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
      // It ends the exchange itself: what superagent would make of an answer costs as much as sending it.
      .parse((decoded: unknown) => {
        // supertest's types know the response as its own class; at run time it is the stream of the body.
        const stream = decoded as Readable;
        stream.on('data', (chunk: Buffer) => {
          if (reading.isComplete || !reading.add(chunk)) return;
          finish();
          stream.destroy();
        });
        stream.on('end', () => {
          if (reading.isComplete) return;
          reading.isComplete = true;
          finish();
        });
      });
    if (outgoing.body !== undefined) test.send(outgoing.body);
    test.on('request', ({ req }: { readonly req: http.ClientRequest }) => {
      request = req;
      req.on('information', ({ rawHeaders }) => reading.interim.push(...rawHeaders));
      // First in line: superagent ends a HEAD as soon as it hears of the response.
      req.prependOnceListener('response', (head: http.IncomingMessage) => {
        response = head;
        reading.head = head;
      });
    });
    test.end(finish);
    return () => test.abort();
  };
  return () => stop();
}

// ── undici: plain requests, in half the time ──

/** Whether undici sends a request as supertest would. */
export function isPlain({ method, base, path }: Outgoing): boolean {
  return (
    base.startsWith('http:') &&
    ['GET', 'PUT', 'POST', 'DELETE'].includes(method) &&
    // supertest takes the path through a URL, which leaves these signs alone.
    /^[\w\-.~%!$&()*+,;=:@/?]*$/.test(path)
  );
}

/** A connection that is kept, for one request at a time. */
interface Kept {
  readonly connection: Connection;
  /** Whether it has carried a request since it was made, or made again. */
  isUsed: boolean;
  /** Closes it, requests in flight included. */
  readonly close: () => void;
}

/** Sends plain requests over kept connections, by undici, which costs half of what supertest does. */
export class Dispatching {
  readonly #idle = new Map<ConnectionUse, Map<string, Kept[]>>();

  /** Sends a request for which `isPlain` holds. */
  send(outgoing: Outgoing, reading: Reading, end: (error?: unknown) => void): () => void {
    const { method, base, headers, body = null, connection: use = 'kept' } = outgoing;
    const { origin, pathname } = new URL(base);
    const idle = this.#idleAt(origin, use);
    const isFresh = use === 'fresh';
    const kept = (isFresh ? undefined : idle.pop()) ?? open(origin);
    const finish = () => {
      reading.isComplete = true;
      end();
    };
    // Once the response has come whole the connection may carry another request, while the body is still decoded.
    let hasEnded = false;
    const close = () => {
      if (!hasEnded) kept.close();
    };
    let add = (chunk: Buffer) => {
      if (reading.isComplete || !reading.add(chunk)) return;
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
          const makeDecoder = decoders.get(String(coding).trim().toLowerCase());
          if (statusCode === 204 || statusCode === 304 || makeDecoder === undefined) return;
          const decoder = makeDecoder().on('data', add).on('end', finish);
          // Where the data ends too early what has come counts, as in browsers.
          decoder.on('error', (error: NodeJS.ErrnoException) =>
            error.code === 'Z_BUF_ERROR' ? finish() : end(error),
          );
          add = (chunk) => decoder.write(chunk);
          endBody = () => decoder.end();
        },
        onResponseData: (_controller, chunk) => add(chunk),
        onResponseEnd: ({ rawTrailers }) => {
          if (reading.isComplete) return;
          if (reading.head !== undefined)
            reading.head = { ...reading.head, rawTrailers: toTexts(rawTrailers) };
          kept.isUsed = true;
          if (isFresh) kept.close();
          else idle.push(kept);
          hasEnded = true;
          endBody();
        },
        onResponseError: (_controller, error) => {
          if (reading.isComplete) return;
          reading.isOverKept = kept.isUsed;
          kept.close();
          end(error);
        },
      },
    );
    return close;
  }

  #idleAt(origin: string, use: ConnectionUse): Kept[] {
    const byOrigin = this.#idle.get(use) ?? new Map<string, Kept[]>();
    this.#idle.set(use, byOrigin);
    const idle = byOrigin.get(origin) ?? [];
    byOrigin.set(origin, idle);
    return idle;
  }

  /** Closes the connections. */
  close(): void {
    for (const byOrigin of this.#idle.values())
      for (const idle of byOrigin.values()) for (const kept of idle.splice(0)) kept.close();
  }
}

/** What supertest decodes, asked for or not. */
const decoders: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', createUnzip],
  ['deflate', createUnzip],
  ['br', createBrotliDecompress],
]);

function open(origin: string): Kept {
  // The client has its own time limit, for all of an exchange.
  const connection = new Connection(origin, { connectTimeout: 0, headersTimeout: 0, bodyTimeout: 0 });
  const close = () => void connection.destroy().catch(() => undefined);
  const kept = { connection, isUsed: false, close };
  connection.on('connect', () => {
    kept.isUsed = false;
  });
  return kept;
}

/** Appends a path to that of the base URL. */
function joinPath(base: string, path: string): string {
  const joined = base === '/' ? path : `${base}${path}`;
  return joined.startsWith('/') ? joined : `/${joined}`;
}

/** Reads header fields as node:http does. */
function toTexts(raw: Dispatcher.DispatchController['rawHeaders']): string[] {
  return Array.isArray(raw)
    ? raw.map((text) => (typeof text === 'string' ? text : text.toString('latin1')))
    : [];
}
