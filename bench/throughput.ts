import http from 'node:http';
import pLimit from 'p-limit';
import { Agent, type Dispatcher, request } from 'undici';

const concurrency = 16;

/** One request of the bare clients: what the suite asks most, a delete that is refused. */
export interface BareRequest {
  readonly url: string;
  readonly key: string;
}

type Send = (bare: BareRequest) => Promise<void>;

/** Requests a second of bare node:http with keep-alive, 16 in flight. */
export async function nodeThroughput(bare: BareRequest, requests: number): Promise<number> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: concurrency });
  const perSecond = await measured(requests, bare, (one) => sendByNode(one, agent));
  agent.destroy();
  return perSecond;
}

/** Requests a second of undici, 16 in flight. */
export async function undiciThroughput(bare: BareRequest, requests: number): Promise<number> {
  const dispatcher = new Agent({ connections: concurrency, pipelining: 1 });
  const perSecond = await measured(requests, bare, (one) => sendByUndici(one, dispatcher));
  await dispatcher.close();
  return perSecond;
}

async function measured(requests: number, bare: BareRequest, send: Send): Promise<number> {
  const limit = pLimit(concurrency);
  const start = performance.now();
  await Promise.all(Array.from({ length: requests }, () => limit(() => send(bare))));
  return requests / ((performance.now() - start) / 1000);
}

async function sendByUndici({ url, key }: BareRequest, dispatcher: Dispatcher): Promise<void> {
  const { body } = await request(url, {
    method: 'DELETE',
    dispatcher,
    headers: { authorization: `Bearer ${key}` },
  });
  await body.text();
}

function sendByNode({ url, key }: BareRequest, agent: http.Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = http.request(
      url,
      { method: 'DELETE', agent, headers: { Authorization: `Bearer ${key}` } },
      (response) => {
        response.resume();
        response.once('end', resolve);
      },
    );
    sent.once('error', reject);
    sent.end();
  });
}
