import { createServer, type Server } from 'node:http';
import { CONTROL, makeApplication } from './application.js';
import type { Behaviour, ServerState } from './behaviour.js';
import { ALL_CAPABILITIES, type Capabilities, describeCapabilities } from './capabilities.js';
import { conforming } from './conforming.js';
import { makeControl } from './control.js';
import { answerClientError } from './wire.js';
import { describeWorld, WorldStore } from './world-store.js';

/** How a reference server is set up; everything has a default. */
export interface ReferenceOptions {
  /** 0, the default, takes a free port. */
  readonly port?: number;
  /** The address to listen on; 127.0.0.1 by default. */
  readonly host?: string;
  /** When set, every control call must carry it. */
  readonly controlToken?: string | undefined;
  /** The decisions that differ from those of the reference. */
  readonly behaviour?: Partial<Behaviour> | undefined;
  /** How long the body of a vault delete may take, in milliseconds; 200 by default. */
  readonly bodyDeadlineMs?: number;
  /** How long a world lives, in milliseconds; 15 minutes by default. */
  readonly worldTtlMs?: number;
  /** The hostname that counts as regional; `eu.vault.test` by default. */
  readonly regionalHost?: string;
  /** What the control offers; all by default. */
  readonly capabilities?: Partial<Capabilities> | undefined;
  /** The clock, in milliseconds since 1970. */
  readonly now?: () => number;
}

/** A reference server that listens. */
export type Reference = Awaited<ReturnType<typeof startReference>>;

const LOOPBACK = '127.0.0.1';
// Room for the longest paths a check sends; Node's own 16 KiB would refuse them before the route.
const MAX_HEADER_BYTES = 131_072;
// Longer than any client keeps an idle connection, so that none is closed under a request.
const KEEP_ALIVE_MS = 65_000;

/** Starts a reference server. Rejects with a plain message when it cannot listen. */
export async function startReference(options: ReferenceOptions = {}) {
  const { server, store } = makeReference(options);
  await listen(server, options.port ?? 0, options.host ?? LOOPBACK);
  const origin = findOrigin(server, options);
  return {
    /** `{base_url}`, with the version segment. */
    baseUrl: `${origin}/v1`,
    controlUrl: `${origin}${CONTROL}`,
    worldCount: () => [...store.worlds()].length,
    /** Opens a world as `POST {control}/worlds` does. */
    openWorld: (label: string) => describeWorld(store.open(label)),
    /** Stops listening and ends every connection at once. */
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Makes a reference server that does not listen yet. */
export function makeReference(options: ReferenceOptions) {
  const { worldTtlMs: ttlMs = 900_000, regionalHost = 'eu.vault.test', bodyDeadlineMs = 200 } = options;
  const { now = Date.now, controlToken: token } = options;
  const capabilities = { ...ALL_CAPABILITIES, ...options.capabilities };
  const { roles, sharedKeys } = capabilities;
  // A test that sets the clock means the monotonic time too.
  const elapsed = options.now ?? (() => performance.now());
  const store = new WorldStore({ ttlMs, roles, sharedKeys, now, elapsed });
  const behaviour = { ...conforming, ...options.behaviour };
  const state: ServerState = { behaviour, store, memory: new Map(), regionalHost, bodyDeadlineMs, now };
  const describe = () =>
    describeCapabilities(capabilities, `${findOrigin(server, options)}/v1`, regionalHost);
  const control = makeControl(CONTROL, { store, capabilities, token, now, describe });
  const server = createServer(
    { maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: KEEP_ALIVE_MS, requireHostHeader: false },
    makeApplication(state, control, capabilities.inference),
  );
  server.on('clientError', answerClientError);
  return { server, store };
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explainListenError(error, port, host)));
    server.listen(port, host, resolve);
  });
}

/** Finds where a server is reached; its port is known only once it listens. */
function findOrigin(server: Server, { host = LOOPBACK }: ReferenceOptions): string {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return `http://${toReachableHost(host)}:${port}`;
}

function explainListenError(error: NodeJS.ErrnoException, port: number, host: string): Error {
  return error.code === 'EADDRINUSE'
    ? new Error(`port ${port} on ${host} is in use. Stop what listens there, or choose another port.`)
    : new Error(
        `cannot listen on ${host}, port ${port} (${error.code ?? 'unknown cause'}). Choose another address or port.`,
      );
}

// Not every system can connect to an address that means "all interfaces".
function toReachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return LOOPBACK;
  return host.includes(':') ? `[${host}]` : host;
}
