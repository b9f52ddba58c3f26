import http, { type RequestListener } from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import tls from 'node:tls';
import { type Reference, type ReferenceOptions, startReference } from '../reference/server.js';
import { endWithTest } from './ended-with-test.js';

/** Lets a server listen on a free port of this machine; `close` closes its open connections too. */
export async function listenOn(server: net.Server, host = '127.0.0.1') {
  const sockets = new Set<net.Socket>();
  server.on('connection', (socket: net.Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  const scheme = server instanceof tls.Server ? 'https' : 'http';
  return {
    origin: `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

export type Listening = Awaited<ReturnType<typeof listenOn>>;

/** Lets a server listen until the test ends; returns its origin. */
export async function listenInTest(server: net.Server): Promise<string> {
  const { origin, close } = await listenOn(server);
  endWithTest(close);
  return origin;
}

/** Starts a server other than the reference, closes it after the test and returns its origin. */
export function startServer(listener: RequestListener): Promise<string> {
  return listenInTest(http.createServer(listener));
}

export function startTlsServer(options: https.ServerOptions, listener: RequestListener): Promise<string> {
  return listenInTest(https.createServer(options, listener));
}

/** Starts one on bare sockets, whose clients get exactly the bytes that are written. */
export function startRawServer(answer: (socket: net.Socket, request: string) => void): Promise<string> {
  return listenInTest(
    net.createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', (bytes) => answer(socket, bytes.toString('latin1')));
    }),
  );
}

/** Starts a reference server in the process of the test and closes it after the test. */
export async function serveReference(options: ReferenceOptions = {}): Promise<Reference> {
  const started = await startReference(options);
  endWithTest(() => started.close());
  return started;
}

export async function findFreePort(): Promise<number> {
  const { port, close } = await listenOn(net.createServer());
  await close();
  return port;
}

export function passOnTo(base: string): RequestListener {
  const { hostname, port, pathname } = new URL(base);
  return (request, response) => {
    const { method, url, headers } = request;
    const path = `${pathname.replace(/\/$/, '')}${url}`;
    const passed = http.request({ hostname, port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    request.pipe(passed);
  };
}

export const htmlForEverything: RequestListener = (request, response) => {
  request.resume();
  response.writeHead(200, { 'Content-Type': 'text/html' });
  response.end('<!doctype html><title>Welcome</title><p>This is no API.</p>');
};

export function answerJson(status: number, body: unknown): RequestListener {
  return (request, response) => {
    request.resume();
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  };
}
