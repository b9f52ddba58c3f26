import http from 'node:http';
import pLimit from 'p-limit';

const concurrency = 16;

/** Requests a second of bare node:http with keep-alive, so many in flight, on one URL. */
export async function bareThroughput(url: string, key: string, requests: number): Promise<number> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: concurrency });
  const limit = pLimit(concurrency);
  const start = performance.now();
  await Promise.all(Array.from({ length: requests }, () => limit(() => get(url, key, agent))));
  agent.destroy();
  return requests / ((performance.now() - start) / 1000);
}

function get(url: string, key: string, agent: http.Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = http.request(
      url,
      { method: 'DELETE', agent, headers: { Authorization: `Bearer ${key}` } },
      (response) => {
        response.resume();
        response.once('end', resolve);
      },
    );
    request.once('error', reject);
    request.end();
  });
}
