import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a limiter refuses, and how it answers then. */
export interface Limiting {
  /** What requests are counted by; all together where it returns the same text, undefined where one is not limited. */
  readonly countedBy: (request: http.IncomingMessage) => string | undefined;
  /** Takes note of a request of that count. Returns whether it is beyond the limit. */
  readonly isBeyond: (count: string) => boolean;
  readonly refusal: {
    readonly status: number;
    readonly headers?: Record<string, string>;
    readonly body: string;
  };
  /** Takes note of what was answered. */
  readonly onAnswer?: (count: string | undefined, status: number) => void;
}

/** A token bucket for each count: so many requests a second, and so many at once. */
export function tokenBucket(rate: number, burst: number): (count: string) => boolean {
  const buckets = new Map<string, { tokens: number; at: number }>();
  return (count) => {
    const now = performance.now();
    const bucket = buckets.get(count) ?? { tokens: burst, at: now };
    buckets.set(count, bucket);
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1_000) * rate);
    bucket.at = now;
    if (bucket.tokens < 1) return true;
    bucket.tokens -= 1;
    return false;
  };
}

/** A proxy that passes requests on to an origin as far as a limit allows. */
export async function limiter(origin: string, { countedBy, isBeyond, refusal, onAnswer }: Limiting) {
  const agent = new http.Agent({ keepAlive: true });
  const { hostname, port } = new URL(origin);
  let refused = 0;
  const server = http.createServer({ maxHeaderSize: 65_536 }, (request, response) => {
    const count = countedBy(request);
    if (count !== undefined && isBeyond(count)) {
      refused += 1;
      request.resume();
      response.writeHead(refusal.status, { 'Content-Type': 'application/json', ...refusal.headers });
      response.end(refusal.body);
      return;
    }
    const { method, url: path, headers } = request;
    const passed = http.request({ agent, hostname, port, method, path, headers }, (answer) => {
      onAnswer?.(count, answer.statusCode ?? 0);
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(response);
    });
    passed.once('error', () => response.destroy());
    request.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refused: () => refused,
    close: () =>
      new Promise<void>((resolve) => {
        agent.destroy();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
