import http from 'node:http';
import pLimit from 'p-limit';
import { Agent, type Dispatcher, request } from 'undici';
import type { BareRequest } from './same-requests.js';

const concurrency = 16;

type Send = (bare: BareRequest) => Promise<void>;

/** Requests a second of bare node:http with keep-alive, 16 in flight. */
export async function nodeThroughput(requests: readonly BareRequest[]): Promise<number> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: concurrency });
  const perSecond = await measure(requests, (one) => sendByNode(one, agent));
  agent.destroy();
  return perSecond;
}

/** Requests a second of undici, 16 in flight. */
export async function undiciThroughput(requests: readonly BareRequest[]): Promise<number> {
  const dispatcher = new Agent({ connections: concurrency, pipelining: 1 });
  const perSecond = await measure(requests, (one) => sendByUndici(one, dispatcher));
  await dispatcher.close();
  return perSecond;
}

async function measure(requests: readonly BareRequest[], send: Send): Promise<number> {
  const limit = pLimit(concurrency);
  const start = performance.now();
  await Promise.all(requests.map((request) => limit(() => send(request))));
  return requests.length / ((performance.now() - start) / 1000);
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
