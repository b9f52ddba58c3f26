import { once } from 'node:events';
import { createServer, type RequestListener, Server } from 'node:http';
import { Server as SecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { maxHeaderSize } from '../targets/transports.js';

/** A framework that has a server once it is ready, such as Fastify. */
interface ReadyApp {
  ready(): PromiseLike<unknown>;
  readonly server: Server | SecureServer;
}

/** A framework that makes a request listener, such as Koa. */
interface CallbackApp {
  callback(): RequestListener;
}

/** A server in this process: an http.Server, a request listener, or the app of a framework. */
export type InProcessApp = Server | SecureServer | RequestListener | ReadyApp | CallbackApp;

/** A server of this process while it is judged. */
export interface Listening {
  /** `http://127.0.0.1:40123`. */
  readonly origin: string;
  /** Closes it, if it was opened for this. */
  close(): Promise<void>;
}

/** Whether a value is a server or an app. */
export function isInProcessApp(value: unknown): value is InProcessApp {
  return typeof value === 'function' || isReadyApp(value) || isCallbackApp(value) || isServer(value);
}

// Longer than a run leaves a connection idle, so that none is closed during a request.
const keepAliveTimeout = 65_000;
// A server may be judged by several runs at a time: it is closed after the last of them.
const holds = new WeakMap<Server, number>();

/** Makes a server of this process listen on a free loopback port, unless it listens already. */
export async function listen(app: InProcessApp): Promise<Listening> {
  const server = await openServer(app);
  const isHeld = holds.has(server);
  if (server.listening && !isHeld) return { origin: findOrigin(server), close: async () => undefined };
  holds.set(server, (holds.get(server) ?? 0) + 1);
  try {
    await startListening(server);
  } catch (error) {
    holds.delete(server);
    throw error;
  }
  return { origin: findOrigin(server), close: () => release(server) };
}

/** Returns the server of an app, which may not listen yet. */
export async function openServer(app: InProcessApp): Promise<Server> {
  if (typeof app === 'function') return serve(app);
  if (isReadyApp(app)) {
    await app.ready();
    return assertServer(app.server);
  }
  return isCallbackApp(app) ? serve(app.callback()) : assertServer(app);
}

function serve(listener: RequestListener): Server {
  return createServer({ keepAliveTimeout, maxHeaderSize }, listener);
}

function assertServer(value: unknown): Server {
  if (isServer(value)) return value;
  throw new TypeError(
    'The app has a server that is not one of node:http. Pass its http.Server or its request listener.',
  );
}

async function startListening(server: Server): Promise<void> {
  if (server.listening) return;
  const listening = once(server, 'listening');
  if (holds.get(server) === 1) server.listen(0, '127.0.0.1');
  await listening;
}

async function release(server: Server): Promise<void> {
  const left = (holds.get(server) ?? 1) - 1;
  holds.set(server, left);
  if (left > 0) return;
  holds.delete(server);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** Returns the origin of a listening server, as reached from this machine. */
function findOrigin(server: Server): string {
  const address: AddressInfo | string | null = server.address();
  if (typeof address !== 'object' || address === null)
    throw new TypeError('The server listens on a socket file. Make it listen on a port, or not at all.');
  const scheme = server instanceof SecureServer ? 'https' : 'http';
  return `${scheme}://${writeReachableHost(address.address)}:${address.port}`;
}

// Not every system can connect to an address that means "all interfaces".
function writeReachableHost(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  if (address === '::') return '[::1]';
  return address.includes(':') ? `[${address}]` : address;
}

function isServer(value: unknown): value is Server {
  return value instanceof Server || value instanceof SecureServer;
}

function isReadyApp(value: unknown): value is ReadyApp {
  return hasMethod(value, 'ready') && 'server' in value;
}

function isCallbackApp(value: unknown): value is CallbackApp {
  return hasMethod(value, 'callback');
}

function hasMethod(value: unknown, method: string): value is object {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, method) === 'function';
}
