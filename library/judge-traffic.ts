import type { IncomingMessage, OutgoingHttpHeader, RequestListener, ServerResponse } from 'node:http';
import { readPath } from '../recordings/next-hop.js';
import { ObservedJudge } from '../recordings/observed-judge.js';
import { type PassedExchange, PassingExchange } from '../recordings/passing-exchange.js';
import { toApp } from '../recordings/recorded-exchange.js';
import { type Level, requirement } from '../spec/ledger.js';
import type { Failure, ReportedExchange } from '../spec/report.js';
import { isLoopback } from '../targets/agents.js';
import { type RawHeaders, toPairs } from '../targets/exchange.js';
import { shortestCanary } from '../targets/leak-detection.js';
import { type InProcessApp, isInProcessApp, openServer } from './in-process.js';
import { assertMembers } from './judged-target.js';

/** What traffic does not show itself. */
export interface TrafficOptions {
  /** The path of `{base_url}`, the version segment included; `/v1` by default. */
  readonly baseUrl?: string | undefined;
  /** The path of inference requests below it; without it they are not judged. */
  readonly inferencePath?: string | undefined;
  /** Stored values of at least 8 characters, which no answer may contain. */
  readonly canaries?: readonly string[] | undefined;
}

/** A violation in the traffic of an app. No member contains a key. */
export interface TrafficFinding extends Pick<Failure, 'requirement' | 'expected' | 'actual'> {
  readonly level: Level;
  /** Which request it was, counted from 1, and what is wrong with the answer. */
  readonly message: string;
  readonly exchange: ReportedExchange | undefined;
  readonly curl: string;
}

/** A request listener that passes requests to the app and judges its answers. */
export interface JudgedApp extends RequestListener {
  /** Returns the violations of `must` and `derived` requirements so far. Throws Error if no answer was judged. */
  findings(): readonly TrafficFinding[];
}

/**
 * Wraps an app so that its responses to your tests are judged by the rules of `plumbline observe`.
 * Throws TypeError if the app or the options are wrong.
 * @example
 * const app = judgeTraffic(express().use(routes));
 * await request(app).get('/v1/key').expect(200); // of supertest
 * expect(app.findings()).toEqual([]);
 */
export function judgeTraffic(app: InProcessApp, options: TrafficOptions = {}): JudgedApp {
  if (!isInProcessApp(app))
    throw new TypeError('app must be an http.Server, a request listener or the app of a framework.');
  assertMembers('options', options, ['baseUrl', 'inferencePath', 'canaries']);
  const traffic = new AppTraffic(options);
  let server: ReturnType<typeof openServer> | undefined;
  const listener = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    traffic.watch(request, response);
    // Only now, since an app may get more routes until its first request.
    server ??= openServer(app);
    try {
      (await server).emit('request', request, response);
    } catch (error) {
      response.destroy();
      throw error;
    }
  };
  const judged: RequestListener = (request, response) => void listener(request, response);
  return Object.assign(judged, { findings: () => traffic.findings() });
}

// An app has no address of its own: supertest uses another port for each request.
const host = '127.0.0.1';

/** The exchanges of an app, each judged when its answer ends. */
class AppTraffic {
  readonly #baseUrl: string;
  readonly #judge: ObservedJudge;

  constructor({ baseUrl = '/v1', inferencePath, canaries = [] }: TrafficOptions) {
    for (const [name, path] of Object.entries({ baseUrl, inferencePath: inferencePath ?? '/' }))
      if (typeof path !== 'string' || !path.startsWith('/'))
        throw new TypeError(`options.${name} must be a path that begins with /.`);
    const isCanary = (value: unknown) => typeof value === 'string' && value.length >= shortestCanary;
    if (!Array.isArray(canaries) || !canaries.every(isCanary))
      throw new TypeError(
        `options.canaries must be a list of texts of at least ${shortestCanary} characters each.`,
      );
    this.#baseUrl = baseUrl;
    const target = { baseUrl: `http://${host}${baseUrl}`, inferencePath };
    this.#judge = new ObservedJudge({ ...target, canaries, isDirect: true });
  }

  /** Watches an exchange without changing it. */
  watch(request: IncomingMessage, response: ServerResponse): void {
    const url = `http://${host}${readPath(request)}`;
    const exchange = new PassingExchange(request.method ?? 'GET', url, readRequestHeaders(request), true);
    const { push } = request;
    request.push = (chunk: unknown, encoding?: BufferEncoding) => {
      exchange.requestBody.add(toBytes(chunk, encoding));
      return push.call(request, chunk, encoding);
    };
    let isEnded = false;
    const { writeHead, write, end } = response;
    Object.assign(response, {
      // Node calls it if the app does not; headers set later are not sent.
      writeHead: (...args: unknown[]) => {
        const written = Reflect.apply(writeHead, response, args);
        const given = args.find((arg) => typeof arg === 'object');
        const { statusCode: status, statusMessage: reasonPhrase } = response;
        exchange.answerHead = { status, reasonPhrase, headers: readHead(response, given) };
        return written;
      },
      write: (...args: unknown[]) => {
        exchange.answerBody.add(toBytes(...args));
        return Reflect.apply(write, response, args);
      },
      end: (...args: unknown[]) => {
        const ended = Reflect.apply(end, response, args);
        if (isEnded) return ended;
        isEnded = true;
        exchange.answerBody.add(toBytes(...args));
        this.#take(exchange.toPassed(false));
        return ended;
      },
    });
    response.once('close', () => {
      if (!isEnded) this.#take(exchange.toPassed(true));
    });
  }

  findings(): readonly TrafficFinding[] {
    const { counts, entries, rows, hints } = this.#judge;
    if (counts.judged === 0) {
      const why = `No answer was judged: none of the ${entries} requests was for an operation below ${this.#baseUrl}.`;
      throw new Error([why, 'Give judgeTraffic the path of the base URL as baseUrl.', ...hints].join(' '));
    }
    const found = rows.violations
      .map(({ requirement: id, message, expected, actual, exchanges: [exchange], curl }) => {
        const { level } = requirement(id);
        return { requirement: id, level, message, expected, actual, exchange, curl };
      })
      .filter(({ level }) => level !== 'advisory');
    return this.#judge.redact(found);
  }

  #take(passed: PassedExchange | undefined): void {
    if (passed !== undefined) this.#judge.takePassed(passed, toApp);
  }
}

/** Reads the header fields of a request; a `Host` that names this machine is the app's, any other is the client's. */
function readRequestHeaders({ rawHeaders }: IncomingMessage): RawHeaders {
  return toPairs(rawHeaders).map(([name, value]) => {
    const isOwn =
      name.toLowerCase() === 'host' && URL.canParse(`http://${value}`) && isLoopback(`http://${value}`);
    return [name, isOwn ? host : value];
  });
}

/** Reads the header fields of a response: those that were set, then those passed to `writeHead`. */
function readHead(response: ServerResponse, given: unknown): RawHeaders {
  const set = response.getHeaderNames().map((name) => [name, response.getHeader(name)] as const);
  const names = new Set<string>(set.map(([name]) => name));
  const more = Array.isArray(given) ? toPairs(given.flat().map(String)) : Object.entries(given ?? {});
  return [...set, ...more.filter(([name]) => !names.has(name.toLowerCase()))].flatMap(([name, value]) =>
    [value as OutgoingHttpHeader].flat().map((one) => [name, String(one)] as const),
  );
}

/** Copies the bytes of what is written to a stream: its buffer may be reused. */
function toBytes(chunk?: unknown, encoding?: unknown): Buffer {
  if (chunk instanceof Uint8Array) return Buffer.from(chunk);
  if (typeof chunk !== 'string') return Buffer.alloc(0);
  return Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8');
}
