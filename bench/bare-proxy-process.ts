import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent, type Dispatcher } from 'undici';

// The baseline for the judging proxy: a proxy on the same library that passes everything on unexamined.

const [target] = process.argv.slice(2);
if (target === undefined) throw new Error('Name the origin to pass requests on to.');
const agent = new Agent();
const server = createServer(({ method = 'GET', url = '/', headers }, response) => {
  const { connection: _, ...rest } = headers;
  const request = { origin: target, path: url, method: method as Dispatcher.HttpMethod, headers: rest };
  agent.dispatch(request, {
    onRequestStart: () => undefined,
    onResponseStart: (_controller, status, answered) => {
      const { connection: _hop, 'keep-alive': _idle, 'transfer-encoding': _coding, ...passed } = answered;
      response.writeHead(status, passed);
    },
    onResponseData: (_controller, chunk) => response.write(chunk),
    onResponseEnd: () => response.end(),
    onResponseError: () => response.destroy(),
  });
}).listen(0, '127.0.0.1');
await once(server, 'listening');
process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
