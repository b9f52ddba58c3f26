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
  const server = await listens((socket) => {
    requests(socket, (asked) => serve(socket, asked).catch(() => socket.destroy()));
  }, host);
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
export function listens(connected: (socket: net.Socket) => void, host?: string): Promise<Listening> {
  const server = net.createServer((socket) => {
    // A client that has had enough is no failure here.
    socket.on('error', () => undefined);
    connected(socket);
  });
  return listenOn(server, host);
}

/** Reads requests off a connection as they come whole. */
function requests(socket: net.Socket, came: (asked: Asked) => void): void {
  let bytes = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    for (let whole = wholeRequest(bytes); whole !== undefined; whole = wholeRequest(bytes)) {
      bytes = bytes.subarray(whole.length);
      came(whole.asked);
    }
  });
}

function wholeRequest(bytes: Buffer): { readonly asked: Asked; readonly length: number } | undefined {
  const split = bytes.indexOf('\r\n\r\n');
  if (split < 0) return undefined;
  const [line = '', ...fields] = bytes.subarray(0, split).toString('latin1').split('\r\n');
  const [method = '', target = ''] = line.split(' ');
  const headers = Object.fromEntries(
    fields.map((field) => {
      const colon = field.indexOf(':');
      return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
    }),
  );
  const length = split + 4 + Number(headers['content-length'] ?? 0);
  if (bytes.length < length) return undefined;
  const body = bytes.subarray(split + 4, length).toString('utf8');
  return { asked: { method, target, headers, body, before: 0 }, length };
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
