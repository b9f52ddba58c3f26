import http from 'node:http';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { toPairs } from '../../targets/exchange.js';
import { type Listening, listenOn } from '../servers.js';
import type { Asked, Behaviour, Honest } from './row.js';

/** What a front does. */
export interface FrontOptions {
  /** The origin that honest answers come from. */
  readonly behind: string;
  readonly stranger: string;
  /** Which requests are answered with hostility. */
  readonly chosen: (asked: Asked) => boolean;
  readonly does: Behaviour;
}

/** A server that passes requests on to an honest one, but for those that it chose to answer itself. */
export async function front(options: FrontOptions, host?: string): Promise<Listening> {
  const aborted = new AbortController();
  const agent = new http.Agent({ keepAlive: true });
  let before = 0;
  let origin = '';
  const serve = async (socket: net.Socket, asked: Asked): Promise<void> => {
    const honest = () => askedOf(options.behind, asked, agent);
    if (!options.chosen(asked)) {
      socket.write(wire(await honest()));
      return;
    }
    const { stranger } = options;
    const waits = (ms: number) => sleep(ms, undefined, { signal: aborted.signal });
    await options.does(socket, { ...asked, before: before++ }, { origin, stranger, honest, sleep: waits });
  };
  // Answers go to the socket itself, so that they need not be HTTP.
  const accepting = http.createServer(async (request) => {
    const { method = '', url: target = '', socket } = request;
    const headers = request.headers as Asked['headers'];
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks).toString('utf8');
      await serve(socket, { method, target, headers, body, before: 0 });
    } catch {
      socket.destroy();
    }
  });
  // A client that has had enough is no failure here.
  accepting.on('connection', (socket) => socket.on('error', () => undefined));
  const server = await listenOn(accepting, host);
  origin = server.origin;
  return {
    ...server,
    close: async () => {
      aborted.abort();
      agent.destroy();
      await server.close();
    },
  };
}

/** A server over plain sockets, on a loopback address. */
export function listens(connected: (socket: net.Socket) => void): Promise<Listening> {
  const server = net.createServer((socket) => {
    // A client that has had enough is no failure here.
    socket.on('error', () => undefined);
    connected(socket);
  });
  return listenOn(server);
}

function askedOf(
  origin: string,
  { method, target, headers, body }: Asked,
  agent: http.Agent,
): Promise<Honest> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const request = http.request({ agent, hostname, port, method, path: target, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('end', () => resolve(honestOf(response, chunks)));
    });
    request.once('error', reject);
    request.end(body);
  });
}

function honestOf({ statusCode = 0, rawHeaders }: http.IncomingMessage, chunks: readonly Buffer[]): Honest {
  // The front frames its answers itself.
  const framing = /^(?:connection|keep-alive|transfer-encoding|content-length|date)$/i;
  const headers = toPairs(rawHeaders).filter(([name]) => !framing.test(name));
  return { status: statusCode, headers, body: Buffer.concat(chunks) };
}

/** An honest answer as the bytes of one message. */
export function wire({ status, headers, body }: Honest): Buffer {
  const fields = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const length = status === 204 ? '' : `Content-Length: ${body.length}\r\n`;
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} Told\r\n${fields}${length}\r\n`, 'latin1'), body]);
}
