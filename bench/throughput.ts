import http from 'node:http';
import pLimit from 'p-limit';
import type { BareRequest } from './same-requests.js';

const concurrency = 16;

/** Requests a second of bare node:http with keep-alive, 16 in flight. */
export async function nodeThroughput(requests: readonly BareRequest[]): Promise<number> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: concurrency });
  const limit = pLimit(concurrency);
  const start = performance.now();
  await Promise.all(requests.map((request) => limit(() => send(request, agent))));
  const seconds = (performance.now() - start) / 1000;
  agent.destroy();
  return requests.length / seconds;
}

function send({ method, url, headers, body }: BareRequest, agent: http.Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = http.request(url, { method, agent, headers }, (response) => {
      response.resume();
      response.once('end', resolve);
    });
    sent.once('error', reject);
    sent.end(body);
  });
}
