import { once } from 'node:events';
import http from 'node:http';
import type { Socket } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { toPairs } from '../../targets/exchange.js';
import { endWithTest } from '../ended-with-test.js';
import { listenOn } from '../servers.js';
import type { Asked, Behaviour, Honest } from './row.js';

export interface FrontOptions {
  /** The origin that honest answers come from. */
  readonly behind: string;
  readonly stranger: string;
  readonly chosen: (asked: Asked) => boolean;
  readonly does: Behaviour;
}

/**
 * Starts a server that passes requests on to an honest one, except for those that it answers itself, until the test ends.
 * Returns its origin.
 */
export async function startFront(options: FrontOptions, host?: string): Promise<string> {
  const { behind, stranger, chosen, does } = options;
  const aborted = new AbortController();
  const agent = new http.Agent({ keepAlive: true });
  let before = 0;
  let origin = '';
  const serve = async (socket: Socket, asked: Asked): Promise<void> => {
    const honest = () => askHonest(behind, asked, agent);
    if (!chosen(asked)) {
      socket.write(writeMessage(await honest()));
      return;
    }
    const wait = (ms: number) => sleep(ms, undefined, { signal: aborted.signal });
    await does(socket, { ...asked, before: before++ }, { origin, stranger, honest, sleep: wait });
  };
  // Answers go to the socket itself, so that they need not be HTTP.
  const accepting = http.createServer(async (request) => {
    const { method = '', url: target = '', socket } = request;
    const headers = request.headers as Asked['headers'];
    try {
      await serve(socket, { method, target, headers, body: await text(request), before: 0 });
    } catch {
      socket.destroy();
    }
  });
  // A client that has had enough is no failure here.
  accepting.on('connection', (socket) => socket.on('error', () => undefined));
  const server = await listenOn(accepting, host);
  origin = server.origin;
  endWithTest(async () => {
    aborted.abort();
    agent.destroy();
    await server.close();
  });
  return origin;
}

async function askHonest(
  origin: string,
  { method, target, headers, body }: Asked,
  agent: http.Agent,
): Promise<Honest> {
  const { hostname, port } = new URL(origin);
  const request = http.request({ agent, hostname, port, method, path: target, headers }).end(body);
  const [response]: http.IncomingMessage[] = await once(request, 'response');
  if (response === undefined) throw new Error('The reference gave no answer.');
  const { statusCode: status = 0, rawHeaders } = response;
  // The front frames its answers itself.
  const framing = /^(?:connection|keep-alive|transfer-encoding|content-length|date)$/i;
  const own = toPairs(rawHeaders).filter(([name]) => !framing.test(name));
  return { status, headers: own, body: await buffer(response) };
}

export function writeMessage({ status, headers, body }: Honest): Buffer {
  const fields = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const length = status === 204 ? '' : `Content-Length: ${body.length}\r\n`;
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} Told\r\n${fields}${length}\r\n`, 'latin1'), body]);
}
