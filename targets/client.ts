import type http from 'node:http';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import pLimit, { type LimitFunction } from 'p-limit';
import supertest from 'supertest';
import { Agents } from './agents.js';
import { describeLostConnection } from './connection-errors.js';
import { type Answer, BodyBytes, type NoAnswer, toAnswer } from './exchange.js';
import { type Load, Pace, Pacing } from './pacing.js';
import { ProxyDetector } from './proxy-detection.js';
import { type CeilingOptions, RequestCeiling, type Weight } from './run-limits.js';

/** A request to be sent: where, and how. */
export interface Outgoing extends Load {
  readonly method: string;
  /** The base URL of the target, without a slash at its end. */
  readonly base: string;
  /** The path below it, percent-encoded, sent as it is. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Over a connection of its own; over one kept from before where absent. */
  readonly connection?: 'fresh';
  /**
   * Makes what looks at the text of the answer piece by piece, and says when all has come that matters: a stream may
   * never end.
   */
  readonly until?: () => (piece: string) => boolean;
}

/** What became of a request. */
export type Received =
  | {
      readonly answer: Answer;
      /** When the request was let go, as `performance.now()` tells; absent where it went by other means. */
      readonly leftAt?: number;
      readonly lost?: undefined;
      readonly errorCode?: undefined;
      readonly overKept?: undefined;
    }
  | (NoAnswer & {
      readonly answer?: undefined;
      /** As of an exchange. */
      readonly overKept?: true;
    });

// How many requests go over fresh connections once a kept one was lost: enough to tell a server that closes what is
// idle from one that does not answer.
const freshAfterLoss = 200;

/** Limits of the client. */
export interface ClientOptions extends CeilingOptions {
  /** Requests in flight at once, everything counted. */
  readonly concurrency: number;
  /** Milliseconds that one request may take. */
  readonly timeoutMs: number;
  /** Requests a second, everything counted; as many as come where absent. */
  readonly rate?: number | undefined;
  /** How connections are made; directly where absent. */
  readonly agents?: Agents;
  /** Called with each request that is about to leave. */
  readonly onSend?: (outgoing: Outgoing) => void;
  /** Told what became of each of them. */
  readonly onReceived?: (outgoing: Outgoing, received: Received) => void;
}

/** Until when a request waits before it is sent, where that is not the signal that ends it. */
export interface Waiting {
  /** It is given up if it has not been sent by then; in flight it goes on. */
  readonly queuedUntil?: AbortSignal;
  /** From then on it does not wait for its turn of the pace. */
  readonly pacedUntil?: AbortSignal;
}

/** The one way requests leave: supertest over keep-alive connections, never following a redirect. */
export class Client {
  readonly #agents: Agents;
  readonly #pace: Pace;
  /** Slows down what meets a rate limit. Whoever knows what answer was due reports to it what came. */
  readonly pacing = new Pacing();
  /** What is known of whatever stands in front of the service. */
  readonly proxies = new ProxyDetector();
  readonly #limit: LimitFunction;
  readonly #timeoutMs: number;
  readonly #ceiling: RequestCeiling;
  readonly #onSend: ClientOptions['onSend'];
  readonly #onReceived: ClientOptions['onReceived'];
  #freshLeft = 0;

  constructor(limits: ClientOptions) {
    this.#agents = limits.agents ?? Agents.direct();
    this.#pace = new Pace(limits.rate);
    this.#limit = pLimit(limits.concurrency);
    this.#timeoutMs = limits.timeoutMs;
    this.#ceiling = new RequestCeiling(limits);
    this.#onSend = limits.onSend;
    this.#onReceived = limits.onReceived;
  }

  /** Requests sent so far, everything counted. */
  get sent(): number {
    return this.#ceiling.sent;
  }

  /** Milliseconds that one request may take. */
  get timeoutMs(): number {
    return this.#timeoutMs;
  }

  /** Sends a request when a place is free. Rejects only when the signal is aborted before it left, or no more may be sent. */
  async send(
    outgoing: Outgoing,
    signal?: AbortSignal,
    weight?: Weight,
    waiting: Waiting = {},
  ): Promise<Received> {
    const { queuedUntil = signal } = waiting;
    await this.pacing.turn(outgoing, queuedUntil);
    // What waits for a place after its turn left at the rate of then, whatever the rate has become meanwhile.
    const leftAt = performance.now();
    const received = await this.occupy(() => this.#exchange(outgoing, signal), signal, weight, waiting);
    this.#onReceived?.(outgoing, received);
    return received.answer === undefined ? received : { ...received, leftAt };
  }

  /** Counts something that is sent by other means (a raw socket) as one request in flight. */
  async occupy<T>(
    exchange: () => Promise<T>,
    signal?: AbortSignal,
    weight?: Weight,
    { queuedUntil = signal, pacedUntil, load }: Waiting & { readonly load?: Outgoing } = {},
  ): Promise<T> {
    // Before it takes a place: what is slowed down must not keep the rest from going on.
    if (load !== undefined) await this.pacing.turn(load, queuedUntil);
    let isSent = false;
    const sent = this.#limit(async () => {
      await this.#turn(queuedUntil, pacedUntil);
      await waitForTurnEnd();
      queuedUntil?.throwIfAborted();
      this.#ceiling.take(weight);
      isSent = true;
      if (load !== undefined) this.#onSend?.(load);
      return exchange();
    });
    if (queuedUntil === undefined) return sent;
    // Whatever is in flight, nobody waits any longer for a place.
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        if (!isSent) reject(queuedUntil.reason);
      };
      if (queuedUntil.aborted) giveUp();
      queuedUntil.addEventListener('abort', giveUp, { once: true });
      sent.then(resolve, reject).finally(() => queuedUntil.removeEventListener('abort', giveUp));
    });
  }

  /** Gives back a request that was kept to undo something: it is undone. */
  release(): void {
    this.#ceiling.release();
  }

  /** How connections are made. */
  get agents(): Agents {
    return this.#agents;
  }

  /** Closes the idle connections. */
  close(): void {
    this.#agents.close();
  }

  async #turn(queuedUntil: AbortSignal | undefined, pacedUntil: AbortSignal | undefined): Promise<void> {
    if (pacedUntil?.aborted) return;
    await this.#pace.turn(pacedUntil ?? queuedUntil).catch((error: unknown) => {
      if (pacedUntil?.aborted !== true) throw error;
    });
  }

  #exchange(outgoing: Outgoing, signal?: AbortSignal): Promise<Received> {
    this.#onSend?.(outgoing);
    return new Promise((resolve) => {
      const reading: Reading = { body: new BodyBytes(), stopped: false };
      const end = (error?: unknown) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        if (error) ignoreFurtherErrors(reading);
        const received = toReceived(error, reading, this.#timeoutMs);
        if (received.overKept) this.#freshLeft = freshAfterLoss;
        resolve(received);
      };
      const test = new supertest.Test(outgoing.base, outgoing.method, outgoing.path)
        .agent(this.#agents.of(outgoing.base, this.#freshLeft-- > 0 ? 'fresh' : outgoing.connection))
        .redirects(0)
        .ok(() => true)
        .set(outgoing.headers)
        .buffer(true)
        // It ends the exchange itself: what superagent would make of an answer costs as much as sending it.
        .parse(makeParser(reading, outgoing.until, end));
      if (outgoing.body !== undefined) test.send(outgoing.body);
      test.on('request', ({ req }: { readonly req: http.ClientRequest }) => {
        reading.request = req;
        // First in line: superagent ends a HEAD as soon as it hears of the response.
        req.prependOnceListener('response', (head: http.IncomingMessage) => {
          reading.head = head;
        });
      });
      const abort = () => {
        clearTimeout(timer);
        test.abort();
        resolve({ lost: 'the run was stopped' });
      };
      const timer = setTimeout(() => {
        test.abort();
        end({ timeout: this.#timeoutMs });
      }, this.#timeoutMs);
      signal?.addEventListener('abort', abort, { once: true });
      test.end(end);
    });
  }
}

interface Reading {
  readonly body: BodyBytes;
  stopped: boolean;
  request?: http.ClientRequest;
  head?: http.IncomingMessage;
}

/**
 * Takes superagent's error listeners away. A connection that breaks within a body fails the request and then the
 * response; superagent would report both, and warn on standard error of a callback that is called twice.
 */
function ignoreFurtherErrors({ request, head }: Reading): void {
  for (const emitter of [request, head]) emitter?.removeAllListeners('error').on('error', () => undefined);
}

/** A parser for superagent that keeps the bytes as they come, parses nothing, and says itself when all have come. */
function makeParser(reading: Reading, until: Outgoing['until'], end: () => void) {
  // supertest's types know the response as its own class; at run time it is the stream of the body.
  return (response: unknown): void => {
    const stream = response as Readable;
    const isEnough = until?.();
    // A character may be cut by the end of a piece.
    const decoder = new StringDecoder('utf8');
    const finish = () => {
      if (reading.stopped) return;
      reading.stopped = true;
      end();
    };
    stream.on('data', (chunk: Buffer) => {
      if (reading.stopped) return;
      reading.body.add(chunk);
      if (!reading.body.isBeyond && isEnough?.(decoder.write(chunk)) !== true) return;
      finish();
      stream.destroy();
    });
    stream.on('end', finish);
  };
}

function toReceived(error: unknown, reading: Reading, timeoutMs: number): Received {
  const { head, body, stopped, request } = reading;
  // Bytes after a 204 break the connection, and not the answer, which was whole before them.
  const isWhole = stopped || error === null || error === undefined || head?.statusCode === 204;
  if (head?.statusCode !== undefined && isWhole) return { answer: toAnswer(head, body.bytes) };
  const { code, timeout, message } = Object(error) as Readonly<Record<string, unknown>>;
  if (timeout !== undefined) return { lost: `no answer within ${timeoutMs / 1000} s` };
  const errorCode = typeof code === 'string' ? code : /^[A-Z_]{4,}/.exec(String(message))?.[0];
  const lost = describeLostConnection(errorCode);
  const isReset = code === 'ECONNRESET' && head === undefined && request?.reusedSocket === true;
  return isReset ? { ...lost, overKept: true } : lost;
}

let ending: Promise<void> | undefined;

/**
 * Resolves when all that is ready in this turn of the event loop was dealt with, for everybody who asked in it at once.
 * Requests that leave together cost a third less than those that leave one by one, between the answers.
 */
export function waitForTurnEnd(): Promise<void> {
  ending ??= new Promise((resolve) => {
    setImmediate(() => {
      ending = undefined;
      resolve();
    });
  });
  return ending;
}
