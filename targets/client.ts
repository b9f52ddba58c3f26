import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit, { type LimitFunction } from 'p-limit';
import { toolVersion } from '../spec/version.js';
import { Agents } from './agents.js';
import { describeLostConnection, isUnreachable } from './connection-errors.js';
import { type Answer, type NoAnswer, toAnswer } from './exchange.js';
import { OutageDetector } from './outage-detector.js';
import { Pace, Pacing } from './pacing.js';
import { ProxyDetector } from './proxy-detection.js';
import { RequestLimit, type RequestLimitOptions, type Weight } from './request-limit.js';
import {
  isPlain,
  makeSupertest,
  type Outgoing,
  Reading,
  type Transport,
  UndiciTransport,
} from './transports.js';

/** The outcome of a request. */
export type Received =
  | ({
      readonly answer: Answer;
      /** When the turn of the request came, by `performance.now()`; absent if it was sent by other means. */
      readonly turnAt?: number;
    } & { readonly [Member in keyof NoAnswer]?: undefined })
  | (NoAnswer & { readonly answer?: undefined });

// How many requests use new connections after a kept one was lost: enough to distinguish a server that closes idle
// connections from one that does not answer. Doubled each time, for a server that closes all of them.
const freshAfterFirstLoss = 200;

// A server that serves few connections at a time does not serve new ones while others are open, even if those are idle.
const crowdedMs = 2_000;
// If closing the idle ones helped, the waiting request is answered within this time.
const servedAtOnceMs = 1_000;

// A server that resets connections beyond a maximum resets several at once.
const resetsOfAFullServer = 3;
const atOnceMs = 100;

// A server that restarts, or a link that fails, is away for a while. A request that could not connect was not sent and can
// be repeated.
const restartMs = 30_000;
const retryMs = 250;

const stopped: Received = { lost: 'the run was stopped' };

// Up to this limit, a run goes slower rather than risk refusals by a rate limit: each makes a case start again.
const scarceRequests = 1_000;

type Headers = Readonly<Record<string, string>>;

/** Identifies the tool in the log of a server. */
const userAgent = `plumbline-conformance/${toolVersion}`;

/** Whether a request header is one by which the client identifies itself or the request. */
export function isOwnHeader(name: string, value: string): boolean {
  return name === 'User-Agent'
    ? value === userAgent
    : name === 'X-Request-Id' && /^[\da-f-]{36}-\d+$/.test(value);
}

/** Limits of the client. */
export interface ClientOptions extends RequestLimitOptions {
  /** The ID of the run, for the log of a server; random where absent. */
  readonly runId?: string | undefined;
  readonly concurrency: number;
  readonly timeoutMs: number;
  /** The most requests per second, everything counted; unlimited where absent. */
  readonly rate?: number | undefined;
  /** How connections are made; directly where absent. */
  readonly agents?: Agents;
  readonly onSend?: (outgoing: Outgoing) => void;
  readonly onReceived?: (outgoing: Outgoing, received: Received) => void;
  /** Called when nothing answers any more: the caller should stop. */
  readonly onOutage?: (reason: string) => void;
}

/** How a request counts toward the limit, and how long it may wait to be sent. */
export interface SendOptions extends Weight {
  /** The request is given up if it has not left when this is aborted; its own signal where absent. */
  readonly queuedUntil?: AbortSignal;
  /** Once this is aborted, the request no longer waits for the rate. */
  readonly pacedUntil?: AbortSignal;
}

/** Sends all requests: over kept connections, without following redirects. */
export class Client {
  readonly agents: Agents;
  readonly #pace: Pace;
  /** Slows down after a rate limit. The caller, who knows which answer is due, reports the answers to it. */
  readonly pacing = new Pacing();
  /** Whether requests are scarcer than time. */
  readonly isSparing: boolean;
  readonly proxies = new ProxyDetector();
  readonly #outages = new OutageDetector();
  readonly #limit: LimitFunction;
  readonly #requestLimit: RequestLimit;
  readonly #runId: string;
  #identified = 0;
  readonly #dispatching = new UndiciTransport();
  #mayDispatch = true;
  #freshAfterLoss = freshAfterFirstLoss;
  #freshLeft = 0;
  #fastestMs = Number.POSITIVE_INFINITY;
  /** When new connections were reset lately, by `performance.now()`. */
  #resets: readonly number[] = [];
  #reducedAt = 0;
  /** When each address was last reached, by `performance.now()`. */
  readonly #reached = new Map<string, number>();

  constructor(private readonly options: ClientOptions) {
    const { agents, rate, maxRequests = Number.POSITIVE_INFINITY, concurrency, runId } = options;
    this.agents = agents ?? Agents.direct();
    this.#pace = new Pace(rate);
    this.isSparing = maxRequests <= scarceRequests;
    this.#limit = pLimit(concurrency);
    this.#requestLimit = new RequestLimit(options);
    this.#runId = runId ?? randomUUID();
  }

  /** Adds headers that identify the tool and the request, so that the log of a server can be searched. */
  identify(headers: Headers): Headers {
    // Most requests got them when they were made.
    if ('User-Agent' in headers && 'X-Request-Id' in headers) return headers;
    const given = Object.keys(headers).map((name) => name.toLowerCase());
    this.#identified += 1;
    return {
      ...(given.includes('user-agent') ? {} : { 'User-Agent': userAgent }),
      ...(given.includes('x-request-id') ? {} : { 'X-Request-Id': `${this.#runId}-${this.#identified}` }),
      ...headers,
    };
  }

  /** Notes for the report about the connections to the target, in sentences. */
  get notes(): readonly string[] {
    const { concurrency } = this.#limit;
    const full = `Connections were reset while others were open: the run went on with ${concurrency} at a time.`;
    return [...this.#outages.notes, ...(concurrency < this.options.concurrency ? [full] : [])];
  }

  get sent(): number {
    return this.#requestLimit.sent;
  }

  /** The time of the target's fastest answer in milliseconds, a measure of its latency; infinite before the first. */
  get fastestMs(): number {
    return this.#fastestMs;
  }

  /** Sends a request when a slot is free. Rejects only if the signal is aborted before that, or no more may be sent. */
  async send(
    { headers, ...rest }: Outgoing,
    signal?: AbortSignal,
    options: SendOptions = {},
  ): Promise<Received> {
    const { queuedUntil = signal } = options;
    const outgoing = { ...rest, headers: this.identify(headers) };
    await this.pacing.waitForTurn(outgoing, queuedUntil);
    // For pacing, this is what counts, even if it still waits for a slot.
    const turnAt = performance.now();
    const received = await this.occupy(() => this.#deliver(outgoing, signal), signal, options);
    if (received !== stopped) this.#noteOutage(outgoing, received);
    this.options.onReceived?.(outgoing, received);
    return received.answer === undefined ? received : { ...received, turnAt };
  }

  /** Counts an exchange by other means (a raw socket) as one request in flight. */
  async occupy<T>(
    exchange: () => Promise<T>,
    signal?: AbortSignal,
    options: SendOptions & { readonly load?: Outgoing } = {},
  ): Promise<T> {
    const { queuedUntil = signal, pacedUntil, load } = options;
    // Before it takes a slot: an operation that is slowed down must not hold up others.
    if (load !== undefined) await this.pacing.waitForTurn(load, queuedUntil);
    let isSent = false;
    const sent = this.#limit(async () => {
      await this.#pace.waitForTurn(pacedUntil ?? queuedUntil).catch((error: unknown) => {
        if (pacedUntil?.aborted !== true) throw error;
      });
      await waitForTurnEnd();
      queuedUntil?.throwIfAborted();
      this.#requestLimit.take(options);
      isSent = true;
      if (load !== undefined) this.options.onSend?.(load);
      load?.onLeave?.();
      return exchange();
    });
    if (queuedUntil === undefined) return sent;
    // The caller does not wait for requests in flight once the signal is aborted.
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        if (!isSent) reject(queuedUntil.reason);
      };
      if (queuedUntil.aborted) giveUp();
      queuedUntil.addEventListener('abort', giveUp);
      sent.then(resolve, reject).then(() => queuedUntil.removeEventListener('abort', giveUp));
    });
  }

  #noteOutage(outgoing: Outgoing, received: Received): void {
    this.#outages.note(outgoing, received);
    const { givenUpSince } = this.#outages;
    if (givenUpSince !== undefined) this.options.onOutage?.(`nothing has answered since ${givenUpSince}`);
  }

  /** Releases a request that was reserved for cleaning up. */
  release(): void {
    this.#requestLimit.release();
  }

  close(): void {
    this.agents.close();
    this.#dispatching.closeIdle('all');
  }

  /** Sends a request; repeats it while the server cannot be reached, if it could be a moment ago. */
  async #deliver(outgoing: Outgoing, signal?: AbortSignal): Promise<Received> {
    const { base } = outgoing;
    this.options.onSend?.(outgoing);
    for (;;) {
      const received = await this.#exchange(outgoing, signal);
      const now = performance.now();
      if (!isUnreachable(received.errorCode)) {
        this.#reached.set(base, now);
        return received;
      }
      const isAway = now - (this.#reached.get(base) ?? Number.NEGATIVE_INFINITY) > restartMs;
      if (isAway || signal?.aborted === true) return received;
      await sleep(retryMs, undefined, { signal }).catch(() => undefined);
    }
  }

  async #exchange(outgoing: Outgoing, signal?: AbortSignal): Promise<Received> {
    const transport = await this.#chooseTransport(outgoing);
    if (signal?.aborted === true) return stopped;
    const start = performance.now();
    outgoing.onLeave?.();
    return new Promise((resolve) => {
      const reading = new Reading(outgoing.until?.());
      let stop = () => {};
      let crowdedAt = Number.POSITIVE_INFINITY;
      const crowded = setTimeout(() => {
        if (reading.head !== undefined || reading.isOverKept) return;
        this.closeIdle('all');
        if (this.#freshLeft > 0) return;
        crowdedAt = performance.now();
        this.#mayDispatch = false;
        this.#goFresh();
      }, crowdedMs);
      let isOver = false;
      const finish = () => {
        isOver = true;
        clearTimeout(timer);
        clearTimeout(crowded);
        signal?.removeEventListener('abort', giveUp);
      };
      const end = (error: unknown) => {
        // A connection that is closed here reports an error too.
        if (isOver) return;
        finish();
        const received = toReceived(error, reading, this.options.timeoutMs);
        if (received.overKept) this.#goFresh();
        else if (received.errorCode === 'ECONNRESET' && reading.head === undefined) this.#noteReset(start);
        else if (performance.now() - crowdedAt > servedAtOnceMs) this.#freshLeft = 0;
        // Later, when the connection of this exchange is idle too.
        if (this.#freshLeft > 0) setImmediate(() => this.closeIdle());
        // Calls of the control protocol, which are not operations, may go to a server that is nearer than the target.
        if (received.answer !== undefined && outgoing.operation !== undefined)
          this.#fastestMs = Math.min(this.#fastestMs, performance.now() - start);
        if (received.lost !== undefined) this.#mayDispatch = false;
        resolve(received);
      };
      const timer = setTimeout(() => {
        end({ timeout: this.options.timeoutMs });
        stop();
      }, this.options.timeoutMs);
      const giveUp = () => {
        finish();
        stop();
        resolve(stopped);
      };
      signal?.addEventListener('abort', giveUp);
      stop = transport(outgoing, reading, end);
    });
  }

  /** Uses new connections for a while. If several are lost at once, only the first counts. */
  #goFresh(): void {
    if (this.#freshLeft > 0) return;
    this.#freshLeft = this.#freshAfterLoss;
    this.#freshAfterLoss *= 2;
    this.closeIdle();
  }

  /**
   * Makes room after a new connection was reset; if several were at once, sends fewer requests at once from now on, until
   * one is reset while no other is open: then room is not what the server lacks.
   * @param leftAt when the request left, by `performance.now()`
   */
  #noteReset(leftAt: number): void {
    const now = performance.now();
    this.#resets = [...this.#resets.filter((at) => now - at < atOnceMs), now];
    const closed = this.agents.closeIdle('all');
    const { concurrency, activeCount } = this.#limit;
    // Requests that left before the last reduction do not show whether it was enough.
    if (leftAt < this.#reducedAt) return;
    if (activeCount <= 1) {
      if (closed > 0 || concurrency === this.options.concurrency) return;
      this.#limit.concurrency = this.options.concurrency;
      this.#reducedAt = Number.POSITIVE_INFINITY;
      return;
    }
    const isFull = concurrency < this.options.concurrency || this.#resets.length >= resetsOfAFullServer;
    if (!isFull) return;
    this.#limit.concurrency = Math.ceil(concurrency / 2);
    this.#reducedAt = now;
    this.#goFresh();
  }

  /** Closes the idle connections that all requests share, or those of symbols too. */
  closeIdle(which: 'shared' | 'all' = 'shared'): void {
    this.agents.closeIdle(which);
    this.#dispatching.closeIdle(which);
  }

  /** Chooses undici for plain requests until an answer is lost, so that no lost answer rests on it alone. */
  #chooseTransport(outgoing: Outgoing): Transport | Promise<Transport> {
    const { base, connection } = outgoing;
    if (this.#mayDispatch && isPlain(outgoing) && !this.agents.isProxied(base))
      return (...sent) => this.#dispatching.send(...sent);
    // A check that names a connection tests what the server keeps for it, and would see nothing on a new one.
    const isFresh = this.#freshLeft > 0 && typeof connection !== 'symbol';
    const agent = this.agents.of(base, isFresh ? 'fresh' : connection);
    this.#freshLeft -= 1;
    return makeSupertest(agent);
  }
}

function toReceived(
  error: unknown,
  { head, interim, body, hasEnded, isOverKept }: Reading,
  timeoutMs: number,
): Received {
  // Bytes after a 204 break the connection, but the answer before them is complete.
  const isComplete = hasEnded || error === null || error === undefined || head?.statusCode === 204;
  if (head !== undefined && isComplete) return { answer: toAnswer(head, body.bytes, interim) };
  const { name, code, timeout, message } = Object(error) as Readonly<Record<string, unknown>>;
  if (timeout !== undefined) return { lost: `no answer within ${timeoutMs / 1000} s` };
  // undici sets no code if a response is not valid HTTP.
  const unnamed = name === 'HTTPParserError' ? 'HPE_INVALID' : /^[A-Z_]{4,}/.exec(String(message))?.[0];
  const own = typeof code === 'string' ? code : unnamed;
  // undici's own codes stand for a connection that the server closed before the end of an answer.
  const errorCode = own?.startsWith('UND_ERR_') === true ? 'ECONNRESET' : own;
  const lost = describeLostConnection(errorCode);
  return errorCode === 'ECONNRESET' && head === undefined && isOverKept ? { ...lost, overKept: true } : lost;
}

let ending: Promise<void> | undefined;

/** Resolves at the end of this turn of the event loop: requests that leave together cost a third less. */
function waitForTurnEnd(): Promise<void> {
  ending ??= new Promise((resolve) => {
    setImmediate(() => {
      ending = undefined;
      resolve();
    });
  });
  return ending;
}
