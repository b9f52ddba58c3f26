import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit, { type LimitFunction } from 'p-limit';
import { toolVersion } from '../spec/version.js';
import { Agents } from './agents.js';
import { describeLostConnection, isUnreachable } from './connection-errors.js';
import { type Answer, type NoAnswer, toAnswer } from './exchange.js';
import { Pace, Pacing } from './pacing.js';
import { ProxyDetector } from './proxy-detection.js';
import { type CeilingOptions, RequestCeiling, type Weight } from './request-ceiling.js';
import {
  Dispatching,
  isPlain,
  type Outgoing,
  Reading,
  sendBySupertest,
  type Transport,
} from './transports.js';

/** What became of a request. */
export type Received =
  | ({
      readonly answer: Answer;
      /** When the request was let go, as `performance.now()` tells; absent where it went by other means. */
      readonly leftAt?: number;
    } & { readonly [Member in keyof NoAnswer]?: undefined })
  | (NoAnswer & { readonly answer?: undefined });

// How many requests go over fresh connections once a kept one was lost: enough to tell a server that closes what is
// idle from one that does not answer. Twice as many each time, for one that closes all of them.
const freshAfterFirstLoss = 200;

// A server that is restarted listens again after a moment. A request that could not connect was never sent.
const restartMs = 5_000;
const lookAgainMs = 250;

// With a ceiling up to this a run rather takes longer than be refused: after each refusal a case starts again.
const scarceRequests = 1_000;

type Headers = Readonly<Record<string, string>>;

/** Names the tool in the log of a server. */
const userAgent = `plumbline-conformance/${toolVersion}`;

/** Whether a request header is one by which the client names itself and the request. */
export function isOwnHeader(name: string, value: string): boolean {
  return name === 'User-Agent'
    ? value === userAgent
    : name === 'X-Request-Id' && /^[\da-f-]{36}-\d+$/.test(value);
}

/** Limits of the client. */
export interface ClientOptions extends CeilingOptions {
  /** The id of the run, for the log of a server; one of its own where absent. */
  readonly runId?: string | undefined;
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
  /** Called with what became of each of them. */
  readonly onReceived?: (outgoing: Outgoing, received: Received) => void;
}

/** How a request counts toward the ceiling, and how long it waits to be sent; as long as its own signal lasts where absent. */
export interface SendOptions extends Weight {
  /** It is given up if it has not been sent by then; in flight it goes on. */
  readonly queuedUntil?: AbortSignal;
  /** From then on it does not wait for its turn of the pace. */
  readonly pacedUntil?: AbortSignal;
}

/** The one way requests leave: over kept connections, never following a redirect. */
export class Client {
  /** How connections are made. */
  readonly agents: Agents;
  /** Milliseconds that one request may take. */
  readonly timeoutMs: number;
  readonly #pace: Pace;
  /** Slows down what meets a rate limit. The caller, which knows the expected answer, reports the actual one to it. */
  readonly pacing = new Pacing();
  /** Whether requests are scarcer than time. */
  readonly isSparing: boolean;
  /** What is known of whatever stands in front of the service. */
  readonly proxies = new ProxyDetector();
  readonly #limit: LimitFunction;
  readonly #ceiling: RequestCeiling;
  readonly #listeners: Pick<ClientOptions, 'onSend' | 'onReceived'>;
  readonly #runId: string;
  #identified = 0;
  readonly #dispatching = new Dispatching();
  #mayDispatch = true;
  #freshAfterLoss = freshAfterFirstLoss;
  #freshLeft = 0;
  #fastestMs = Number.POSITIVE_INFINITY;
  /** When each address was reached last, as `performance.now()` tells. */
  readonly #reached = new Map<string, number>();

  constructor(limits: ClientOptions) {
    this.agents = limits.agents ?? Agents.direct();
    this.timeoutMs = limits.timeoutMs;
    this.#pace = new Pace(limits.rate);
    const { maxRequests = Number.POSITIVE_INFINITY } = limits;
    this.isSparing = maxRequests <= scarceRequests;
    this.#limit = pLimit(limits.concurrency);
    this.#ceiling = new RequestCeiling(limits);
    this.#listeners = limits;
    this.#runId = limits.runId ?? randomUUID();
  }

  /** Adds to the headers of a request what names the tool and the request, so that the log of a server can be searched. */
  identify(headers: Headers): Headers {
    // Most have been named already, by whoever made the request.
    if ('User-Agent' in headers && 'X-Request-Id' in headers) return headers;
    const given = Object.keys(headers).map((name) => name.toLowerCase());
    this.#identified += 1;
    return {
      ...(given.includes('user-agent') ? {} : { 'User-Agent': userAgent }),
      ...(given.includes('x-request-id') ? {} : { 'X-Request-Id': `${this.#runId}-${this.#identified}` }),
      ...headers,
    };
  }

  /** Requests sent so far, everything counted. */
  get sent(): number {
    return this.#ceiling.sent;
  }

  /** Milliseconds that the fastest answer of the target took, which tells how far away it is; infinite before the first. */
  get fastestMs(): number {
    return this.#fastestMs;
  }

  /** Sends a request when a place is free. Rejects only when the signal is aborted before it left, or no more may be sent. */
  async send(
    { headers, ...rest }: Outgoing,
    signal?: AbortSignal,
    options: SendOptions = {},
  ): Promise<Received> {
    const { queuedUntil = signal } = options;
    const outgoing = { ...rest, headers: this.identify(headers) };
    await this.pacing.turn(outgoing, queuedUntil);
    // What waits for a place after its turn left at the rate of then, whatever the rate has become meanwhile.
    const leftAt = performance.now();
    const received = await this.occupy(() => this.#deliver(outgoing, signal), signal, options);
    this.#listeners.onReceived?.(outgoing, received);
    return received.answer === undefined ? received : { ...received, leftAt };
  }

  /** Counts something that is sent by other means (a raw socket) as one request in flight. */
  async occupy<T>(
    exchange: () => Promise<T>,
    signal?: AbortSignal,
    options: SendOptions & { readonly load?: Outgoing } = {},
  ): Promise<T> {
    const { queuedUntil = signal, pacedUntil, load } = options;
    // Before it takes a place: what is slowed down must not keep the rest from going on.
    if (load !== undefined) await this.pacing.turn(load, queuedUntil);
    let isSent = false;
    const sent = this.#limit(async () => {
      await this.#pace.turn(pacedUntil ?? queuedUntil).catch((error: unknown) => {
        if (pacedUntil?.aborted !== true) throw error;
      });
      await waitForTurnEnd();
      queuedUntil?.throwIfAborted();
      this.#ceiling.take(options);
      isSent = true;
      if (load !== undefined) this.#listeners.onSend?.(load);
      return exchange();
    });
    if (queuedUntil === undefined) return sent;
    // Whatever is in flight, nobody waits any longer for a place.
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        if (!isSent) reject(queuedUntil.reason);
      };
      if (queuedUntil.aborted) giveUp();
      queuedUntil.addEventListener('abort', giveUp);
      sent.then(resolve, reject).then(() => queuedUntil.removeEventListener('abort', giveUp));
    });
  }

  /** Gives back a request that was kept to undo something: it is undone. */
  release(): void {
    this.#ceiling.release();
  }

  /** Closes the idle connections. */
  close(): void {
    this.agents.close();
    this.#dispatching.close();
  }

  /** Sends a request, and again for as long as nothing listens where a server was reached a moment ago. */
  async #deliver(outgoing: Outgoing, signal?: AbortSignal): Promise<Received> {
    const { base } = outgoing;
    this.#listeners.onSend?.(outgoing);
    for (;;) {
      const received = await this.#exchange(outgoing, signal);
      const now = performance.now();
      if (!isUnreachable(received.errorCode)) {
        this.#reached.set(base, now);
        return received;
      }
      const isAway = now - (this.#reached.get(base) ?? Number.NEGATIVE_INFINITY) > restartMs;
      if (isAway || signal?.aborted === true) return received;
      await sleep(lookAgainMs, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
    }
  }

  #exchange(outgoing: Outgoing, signal?: AbortSignal): Promise<Received> {
    const transport = this.#transportOf(outgoing);
    const start = performance.now();
    return new Promise((resolve) => {
      const reading = new Reading(outgoing.until?.());
      let stop = () => {};
      const end = (error: unknown) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', giveUp);
        const received = toReceived(error, reading, this.timeoutMs);
        if (received.overKept) this.#goFresh();
        // A call of the control protocol is no operation; its server may be nearer than the target.
        if (received.answer !== undefined && outgoing.operation !== undefined)
          this.#fastestMs = Math.min(this.#fastestMs, performance.now() - start);
        if (received.lost !== undefined) this.#mayDispatch = false;
        resolve(received);
      };
      const timer = setTimeout(() => {
        stop();
        end({ timeout: this.timeoutMs });
      }, this.timeoutMs);
      const giveUp = () => {
        clearTimeout(timer);
        stop();
        resolve({ lost: 'the run was stopped' });
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      stop = transport(outgoing, reading, end);
    });
  }

  /** Uses fresh connections for a while. If several are lost at once, only the first counts. */
  #goFresh(): void {
    if (this.#freshLeft > 0) return;
    this.#freshLeft = this.#freshAfterLoss;
    this.#freshAfterLoss *= 2;
  }

  /** Plain requests go by undici until an answer is lost, all others by supertest: no lost answer rests on undici alone. */
  #transportOf(outgoing: Outgoing): Transport {
    const { base, connection } = outgoing;
    if (this.#mayDispatch && isPlain(outgoing) && !this.agents.isProxied(base))
      return (...sent) => this.#dispatching.send(...sent);
    const agent = this.agents.of(base, this.#freshLeft > 0 ? 'fresh' : connection);
    this.#freshLeft -= 1;
    return (...sent) => sendBySupertest(agent, ...sent);
  }
}

function toReceived(
  error: unknown,
  { head, interim, bytes, isComplete, isOverKept }: Reading,
  timeoutMs: number,
): Received {
  // Bytes after a 204 break the connection, and not the answer, which was whole before them.
  const isWhole = isComplete || error === null || error === undefined || head?.statusCode === 204;
  if (head !== undefined && isWhole) return { answer: toAnswer(head, bytes, interim) };
  const { code, timeout, message } = Object(error) as Readonly<Record<string, unknown>>;
  if (timeout !== undefined) return { lost: `no answer within ${timeoutMs / 1000} s` };
  const own = typeof code === 'string' ? code : /^[A-Z_]{4,}/.exec(String(message))?.[0];
  // What undici gives a name of its own is a connection that the server closed before the end of an answer.
  const errorCode = own?.startsWith('UND_ERR_') === true ? 'ECONNRESET' : own;
  const lost = describeLostConnection(errorCode);
  return errorCode === 'ECONNRESET' && head === undefined && isOverKept ? { ...lost, overKept: true } : lost;
}

let ending: Promise<void> | undefined;

/**
 * Resolves when all that is ready in this turn of the event loop was dealt with, for everybody who asked in it at once.
 * Requests that leave together cost a third less than those that leave one by one, between the answers.
 */
function waitForTurnEnd(): Promise<void> {
  ending ??= new Promise((resolve) => {
    setImmediate(() => {
      ending = undefined;
      resolve();
    });
  });
  return ending;
}
