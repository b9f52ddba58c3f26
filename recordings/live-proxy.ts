import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AgentOptions } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { pipeline, Transform } from 'node:stream';
import { Agent, type Dispatcher, errors } from 'undici';
import { codeOf } from '../spec/thrown.js';
import { Agents, type TlsOptions } from '../targets/agents.js';
import { header, type RawHeaders, toPairs } from '../targets/exchange.js';
import { connectTo } from '../targets/raw-requests.js';
import { maxHeaderSize, toTexts } from '../targets/transports.js';
import { dropHopByHop, hasBody, readPath, replaceHost } from './next-hop.js';
import { ordinaryBytes, type PassedExchange, PassingExchange } from './passing-exchange.js';
import { findAbsentBody } from './recorded-exchange.js';

export interface LiveProxyOptions {
  readonly target: URL;
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly tls: TlsOptions;
  /** Whether an exchange is judged, by its URL at the target. */
  readonly isWatched: (url: string) => boolean;
  readonly onPassed: (exchange: PassedExchange) => void;
  /** Called with the system's code, if it has one, when a request could not be passed on. */
  readonly onUnreachable?: (code: string | undefined) => void;
  /** Returns the value of `X-Plumbline` for an answer, which waits for it. If absent, no answer waits. */
  readonly annotate?: (exchange: PassedExchange) => Promise<string>;
}

// The most bytes of bodies that are kept of all exchanges in flight; beyond that, exchanges pass unseen. Long ones may take
// half of it.
const maxCaptured = 10_000_000;
// The errors of a connection that the target closed.
const lostCodes = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_ABORTED'];
// Longer than clients keep a connection idle, so that none is closed while they reuse it.
const keepAliveTimeout = 600_000;
// Longer answers are not held back to be annotated.
const maxAnnotated = 65_536;

/** Passes HTTP/1.1 traffic on, changing nothing but `Host` and the hop-by-hop fields (RFC 9110, 7.6.1). */
export class LiveProxy {
  /** The number of exchanges that passed unseen: too many bodies were in flight, or a connection was upgraded. */
  unseen = 0;
  /** Where clients reach it. */
  origin = '';
  readonly #tls: AgentOptions;
  readonly #agent: Agent;
  readonly #server: Server;
  readonly #tunnels = new Set<Socket>();
  #port = 0;
  #capturedBytes = 0;

  private constructor(private readonly options: LiveProxyOptions) {
    this.#tls = Agents.direct(options.tls).tls;
    this.#agent = new Agent({
      // The client decides how long to wait for a slow target.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize,
      connect: this.#tls as NonNullable<Agent.Options['connect']>,
    });
    this.#server = createServer({
      maxHeaderSize,
      requestTimeout: 0,
      keepAliveTimeout,
      noDelay: true,
    })
      .on('request', (request, response) => this.#pass(request, response))
      .on('checkContinue', (request, response) => {
        response.writeContinue();
        this.#pass(request, response);
      })
      .on('upgrade', (request, socket, head) => this.#tunnel(request, socket as Socket, head));
  }

  /** Starts to listen. Rejects with the system's error if it cannot. */
  static listen(options: LiveProxyOptions): Promise<LiveProxy> {
    const proxy = new LiveProxy(options);
    return new Promise((resolve, reject) => {
      proxy.#server.once('error', reject).listen(options.port, options.host, () => {
        proxy.#server.off('error', reject);
        const { address, family, port } = proxy.#server.address() as AddressInfo;
        proxy.#port = port;
        proxy.origin = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
        resolve(proxy);
      });
    });
  }

  /** Stops listening, waits some milliseconds for what is in flight, and closes every connection. */
  async close(graceMs: number): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeIdleConnections();
    const late = setTimeout(() => this.#server.closeAllConnections(), graceMs);
    for (const socket of this.#tunnels) socket.destroy();
    await closed;
    clearTimeout(late);
    await this.#agent.destroy();
  }

  #pass(request: IncomingMessage, response: ServerResponse): void {
    const { target, isWatched } = this.options;
    const path = readPath(request);
    const url = `${target.origin}${path}`;
    const method = request.method ?? 'GET';
    const headers = this.#readHeaders(request);
    const exchange = new PassingExchange(method, url, headers, isWatched(url));
    const handler = this.#handler(exchange, response);
    try {
      const body = hasBody(request) ? this.#tap(request, exchange) : null;
      const options = { origin: target.origin, path, method: method as Dispatcher.HttpMethod, body };
      this.#agent.dispatch({ ...options, headers: dropHopByHop(headers).flat() }, handler);
    } catch (error) {
      this.#fail(exchange, response, error);
    }
  }

  /** Reads the header fields of a request, with the target's `Host` in place of the proxy's. */
  #readHeaders({ rawHeaders }: IncomingMessage): RawHeaders {
    return replaceHost(this.options.target.host, toPairs(rawHeaders), this.#port);
  }

  #handler(exchange: PassingExchange, response: ServerResponse): Dispatcher.DispatchHandler {
    const { annotate } = this.options;
    let controller: Dispatcher.DispatchController | undefined;
    response.on('close', () => {
      if (!response.writableFinished) controller?.abort(new Error('the client went away'));
    });
    let held: Buffer[] | undefined;
    const end = (): void => {
      const passed = exchange.toPassed(false);
      if (held === undefined || annotate === undefined || passed === undefined) {
        if (held !== undefined) startAnswer(response, exchange, []);
        endAnswer(response, exchange, held);
        this.#handOver(exchange, passed);
        return;
      }
      const body = held;
      this.#release(exchange);
      annotate(passed)
        .then((note) => {
          startAnswer(response, exchange, note === '' ? [] : [['X-Plumbline', note]]);
          endAnswer(response, exchange, body);
        })
        .catch(() => response.destroy());
    };
    return {
      onRequestStart: (started) => {
        controller = started;
      },
      onResponseStart: ({ rawHeaders }, status, _headers, reasonPhrase = '') => {
        const headers = toPairs(toTexts(rawHeaders));
        if (status < 200) return forwardInterim(response, status, headers);
        // undici decodes it as UTF-8, and Node writes latin1 only.
        const phrase = Buffer.from(reasonPhrase).toString('latin1');
        exchange.answerHead = { status, reasonPhrase: phrase, headers };
        // Without an announced length, an answer may be long.
        const length = Number(header({ headers }, 'content-length') ?? Number.POSITIVE_INFINITY);
        const isHeld = annotate !== undefined && exchange.isWatched && length <= maxAnnotated;
        if (isHeld) held = [];
        else startAnswer(response, exchange, []);
      },
      onResponseData: (controller, chunk) => {
        this.#capture(chunk, exchange, 'answerBody');
        if (held !== undefined) held.push(Buffer.from(chunk));
        else if (!response.write(chunk)) {
          controller.pause();
          response.once('drain', () => controller.resume());
        }
      },
      onResponseEnd: ({ rawTrailers }) => {
        exchange.trailers = toPairs(toTexts(rawTrailers));
        end();
      },
      onResponseError: (_controller, error) => {
        // undici takes a 204 that announces a body for one that breaks off.
        if (findAbsentBody(exchange.method, exchange.answerHead.status) !== undefined) end();
        else this.#fail(exchange, response, error);
      },
    };
  }

  /** Hands an exchange over, or counts it if it passed unseen. */
  #handOver(exchange: PassingExchange, passed: PassedExchange | undefined): void {
    this.#release(exchange);
    if (passed !== undefined) this.options.onPassed(passed);
    else if (exchange.isWatched) this.unseen += 1;
  }

  #release(exchange: PassingExchange): void {
    this.#capturedBytes -= exchange.capturedBytes;
  }

  /** Breaks the connection if the target did, so that the client sees what it would without the proxy; else answers 502. */
  #fail(exchange: PassingExchange, response: ServerResponse, error: unknown): void {
    this.#handOver(exchange, exchange.toPassed(true));
    if (response.headersSent || response.destroyed || lostCodes.includes(codeOf(error) ?? '')) {
      response.socket?.resetAndDestroy();
      return;
    }
    response.writeHead(502, { 'content-type': 'text/plain; charset=utf-8' });
    const isParsed = !(error instanceof errors.HTTPParserError);
    if (isParsed) this.options.onUnreachable?.(codeOf(error));
    const what = isParsed
      ? `could not reach the target (${codeOf(error) ?? 'unknown error'})`
      : `the target's answer is not valid HTTP (${error.message})`;
    response.end(`plumbline proxy: ${what}\n`);
  }

  #tap(request: IncomingMessage, exchange: PassingExchange): Transform {
    const tap = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        this.#capture(chunk, exchange, 'requestBody');
        done(null, chunk);
      },
    });
    // If the client goes away, the request to the target is broken off too.
    return pipeline(request, tap, () => undefined);
  }

  #capture(chunk: Buffer, exchange: PassingExchange, body: 'requestBody' | 'answerBody'): void {
    const before = exchange.capturedBytes;
    const isEnough = !exchange.isWatched && before + chunk.length > ordinaryBytes;
    if (isEnough || exchange.isGivenUp) return;
    // A copy: the chunk would keep the larger buffer alive that it is a part of.
    exchange[body].add(Buffer.from(chunk));
    this.#capturedBytes += exchange.capturedBytes - before;
    const room = exchange.capturedBytes > ordinaryBytes ? maxCaptured / 2 : maxCaptured;
    if (this.#capturedBytes <= room) return;
    this.#release(exchange);
    exchange.giveUp();
  }

  /** Passes an upgraded connection on, byte by byte, unjudged. */
  #tunnel(request: IncomingMessage, client: Socket, head: Buffer): void {
    const { target, isWatched } = this.options;
    const path = readPath(request);
    if (isWatched(`${target.origin}${path}`)) this.unseen += 1;
    const server = connectTo(target, this.#tls);
    const lines = this.#readHeaders(request).map(([name, value]) => `${name}: ${value}\r\n`);
    server.write(`${request.method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1');
    server.write(head);
    for (const socket of [client, server]) this.#tunnels.add(socket);
    const end = () => {
      for (const socket of [client, server]) {
        this.#tunnels.delete(socket);
        socket.destroy();
      }
    };
    pipeline(client, server, end);
    pipeline(server, client, end);
  }
}

function startAnswer(response: ServerResponse, exchange: PassingExchange, more: RawHeaders): void {
  const { status, reasonPhrase, headers } = exchange.answerHead;
  response.sendDate = false;
  response.writeHead(status, reasonPhrase, [...dropHopByHop(headers), ...more].flat());
  // The head of a stream may come long before its first byte.
  if (header({ headers }, 'content-length') === undefined) response.flushHeaders();
}

function endAnswer(
  response: ServerResponse,
  { trailers }: PassingExchange,
  held: readonly Buffer[] = [],
): void {
  for (const chunk of held) response.write(chunk);
  if (trailers.length > 0)
    response.addTrailers(trailers.map(([name, value]) => [name, value] as [string, string]));
  response.end();
}

function forwardInterim(response: ServerResponse, status: number, headers: RawHeaders): void {
  if (status === 102) response.writeProcessing();
  const links = headers.filter(([name]) => name.toLowerCase() === 'link').map(([, value]) => value);
  if (status !== 103 || links.length === 0) return;
  try {
    response.writeEarlyHints({ link: links });
  } catch {
    // Node refuses malformed links; the answer itself must still be passed on.
  }
}
