import http from 'node:http';
import pLimit from 'p-limit';
import { Agent, type Dispatcher, request } from 'undici';
import type { WorldDescription } from '../targets/control-client.js';
import type { Outgoing } from '../targets/transports.js';
import { openWorld, type SeparateServer } from './processes.js';

const concurrency = 16;

/** Measures bare node:http with keep-alive, 16 requests in flight, in requests per second. */
export async function measureNodeHttp(requests: readonly BareRequest[]): Promise<number> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: concurrency });
  const perSecond = await measure(requests, concurrency, (one) => sendByNode(one, agent));
  agent.destroy();
  return perSecond;
}

/** Measures undici, 16 requests in flight, in requests per second. */
export async function measureUndici(requests: readonly BareRequest[]): Promise<number> {
  const dispatcher = new Agent({ connections: concurrency, pipelining: 1 });
  const perSecond = await measure(requests, concurrency, (one) => sendByUndici(one, dispatcher));
  await dispatcher.close();
  return perSecond;
}

/** Sends all requests, at most `atOnce` at a time, and returns requests per second. */
export async function measure<Sent>(
  all: readonly Sent[],
  atOnce: number,
  send: (one: Sent) => Promise<void>,
): Promise<number> {
  const limit = pLimit(atOnce);
  const start = performance.now();
  await Promise.all(all.map((one) => limit(() => send(one))));
  return all.length / ((performance.now() - start) / 1000);
}

async function sendByUndici({ url, method, ...rest }: BareRequest, dispatcher: Dispatcher): Promise<void> {
  const { body } = await request(url, { ...rest, method: method as Dispatcher.HttpMethod, dispatcher });
  await body.text();
}

function sendByNode({ method, url, headers, body }: BareRequest, agent: http.Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = http.request(url, { method, agent, headers }, (response) => {
      response.resume();
      response.once('end', resolve);
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

/** A request that a bare client sends. */
interface BareRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * Records the requests that a judging run sends to a server, rewritten for a world that stays open, so that bare clients can
 * send them again. Requests that open or delete worlds, two of a hundred, are left out.
 */
export async function recordRequests(
  server: SeparateServer,
  judge: (onSend: (outgoing: Outgoing) => void) => Promise<unknown>,
): Promise<readonly BareRequest[]> {
  const world = await openWorld(server);
  const { origin } = new URL(server.baseUrl);
  const requests: BareRequest[] = [];
  await judge((outgoing) => {
    const again = moveToWorld(outgoing, origin, world);
    if (again !== undefined) requests.push(again);
  });
  return requests;
}

function moveToWorld(
  { method, base, path: below, headers, body }: Outgoing,
  origin: string,
  world: WorldDescription,
): BareRequest | undefined {
  const path = `${new URL(base).pathname}${below}`
    .replace(/\/worlds\/[^/]+(?=\/)/, `/worlds/${world.id}`)
    .replace(/\/interns\/[^/]+(?=\/)/, `/interns/${world.interns.own}`);
  if (/\/worlds(?:\/[^/]+)?$/.test(path)) return undefined;
  return {
    method,
    url: `${origin}${path}`,
    headers: {
      ...headers,
      ...('Authorization' in headers ? { Authorization: `Bearer ${world.keys.member}` } : {}),
      ...(body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }),
    },
    ...(body === undefined ? {} : { body }),
  };
}
