import { createServer, type RequestListener, Server } from 'node:http';
import { Server as SecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** A framework that hands its server over once it is ready, as Fastify does. */
interface ReadyApp {
  ready(): PromiseLike<unknown>;
  readonly server: Server | SecureServer;
}

/** A framework that makes a request listener, as Koa does. */
interface CallbackApp {
  callback(): RequestListener;
}

/** A server in this process, as supertest takes one: a server of Node, a request listener, or the app of a framework. */
export type InProcessApp = Server | SecureServer | RequestListener | ReadyApp | CallbackApp;

/** A server of this process while it is judged. */
export interface Listening {
  /** `http://127.0.0.1:40123`. */
  readonly origin: string;
  /** Ends it, if it listened for this alone. */
  close(): Promise<void>;
}

/** Whether a value can be listened to. */
export function isInProcessApp(value: unknown): value is InProcessApp {
  return typeof value === 'function' || isReadyApp(value) || isCallbackApp(value) || isServer(value);
}

// Longer than a run leaves a connection idle, so that none is closed under a request.
const keepAliveTimeout = 65_000;
// Room for the longest paths a check sends: a refusal by Node's own 16 KiB would be ours, and none of the app.
const maxHeaderSize = 131_072;
// One server may be judged more than once at a time: it is closed when nobody judges it any more.
const holds = new WeakMap<Server, number>();

/** Has a server of this process listen on a free port of the loopback address, unless it listens already. */
export async function listening(app: InProcessApp): Promise<Listening> {
  const server = await serverOf(app);
  const isHeld = holds.has(server);
  if (server.listening && !isHeld) return { origin: originOf(server), close: async () => undefined };
  holds.set(server, (holds.get(server) ?? 0) + 1);
  try {
    await listens(server);
  } catch (error) {
    holds.delete(server);
    throw error;
  }
  return { origin: originOf(server), close: () => released(server) };
}

async function serverOf(app: InProcessApp): Promise<Server> {
  if (typeof app === 'function') return serving(app);
  if (isReadyApp(app)) {
    await app.ready();
    return nodeServer(app.server);
  }
  return isCallbackApp(app) ? serving(app.callback()) : nodeServer(app);
}

function serving(listener: RequestListener): Server {
  return createServer({ keepAliveTimeout, maxHeaderSize }, listener);
}

function nodeServer(value: unknown): Server {
  if (isServer(value)) return value;
  throw new TypeError(
    'The app has a server that is none of node:http. Hand over its http.Server or its request listener.',
  );
}

function listens(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    if (server.listening) {
      resolve();
      return;
    }
    server.once('error', reject);
    server.once('listening', () => {
      server.off('error', reject);
      resolve();
    });
    if ((holds.get(server) ?? 0) === 1) server.listen(0, '127.0.0.1');
  });
}

async function released(server: Server): Promise<void> {
  const left = (holds.get(server) ?? 1) - 1;
  holds.set(server, left);
  if (left > 0) return;
  holds.delete(server);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** Where a listening server is reached from this machine. */
function originOf(server: Server): string {
  const address: AddressInfo | string | null = server.address();
  if (typeof address !== 'object' || address === null)
    throw new TypeError('The server listens on a socket file. Have it listen on a port, or not at all.');
  const scheme = server instanceof SecureServer ? 'https' : 'http';
  return `${scheme}://${reachable(address.address)}:${address.port}`;
}

// An address that means "all interfaces" is nothing a client can connect to everywhere.
function reachable(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  if (address === '::') return '[::1]';
  return address.includes(':') ? `[${address}]` : address;
}

function isServer(value: unknown): value is Server {
  return value instanceof Server || value instanceof SecureServer;
}

function isReadyApp(value: unknown): value is ReadyApp {
  return has(value, 'ready') && 'server' in value;
}

function isCallbackApp(value: unknown): value is CallbackApp {
  return has(value, 'callback');
}

function has(value: unknown, method: string): value is object {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, method) === 'function';
}
