import { once } from 'node:events';
import net from 'node:net';
import { startReference } from '../reference/server.js';

// A reference server for the bench. The first argument is the latency in milliseconds of all requests, control calls included.

const latencyMs = Number(process.argv[2] ?? 0);
const { baseUrl, controlUrl } = await startReference();
const origin =
  latencyMs === 0 ? new URL(baseUrl).origin : await startDelayedProxy(Number(new URL(baseUrl).port));
process.send?.({
  baseUrl: `${origin}${new URL(baseUrl).pathname}`,
  controlUrl: `${origin}${new URL(controlUrl).pathname}`,
});

/** Starts a proxy that delays what clients send by the latency, and returns its origin. */
async function startDelayedProxy(port: number): Promise<string> {
  const proxy = net.createServer((client) => {
    const server = net.connect(port, '127.0.0.1');
    client.on('data', (bytes) => setTimeout(() => server.write(bytes), latencyMs));
    client.on('close', () => server.destroy());
    client.on('error', () => server.destroy());
    server.on('error', () => client.destroy());
    server.pipe(client);
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(proxy.address() as net.AddressInfo).port}`;
}
