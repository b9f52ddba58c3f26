import http from 'node:http';
import https from 'node:https';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { getProxyForUrl } from 'proxy-from-env';
import { getOrInsert } from '../spec/maps.js';
import { UsageError } from '../spec/thrown.js';

/** Options of TLS connections; file contents, not paths. */
export interface TlsOptions extends Pick<SecureContextOptions, 'ca' | 'cert' | 'key'> {
  readonly insecure?: boolean;
}

/** Which connection a request uses: a kept one, one kept for requests with the same symbol, or a new one. */
export type ConnectionUse = 'kept' | 'fresh' | symbol;

/** Provides connections to any server, directly or through the proxy of the environment. */
export class Agents {
  readonly #agents = new Map<ConnectionUse, Map<string, http.Agent>>();
  readonly #urls = new Map<string, URL>();
  /** The TLS options, for connections that are made by other means. */
  readonly tls: https.AgentOptions;
  readonly #proxied: ProxyAgents | undefined;

  private constructor(tls: TlsOptions, proxied: ProxyAgents | undefined) {
    const { insecure = false, ...context } = tls;
    this.tls = { ...context, rejectUnauthorized: !insecure };
    this.#proxied = proxied;
  }

  /**
   * Makes agents for some addresses; support for proxies is loaded only if the environment names one for them. Throws
   * UsageError, without secrets in it, if the TLS options or the proxy cannot work.
   */
  static async for(addresses: readonly string[], tls: TlsOptions = {}): Promise<Agents> {
    assertUsableTls(tls);
    const proxies = addresses.flatMap((address) => proxyFor(address) ?? []);
    for (const proxy of proxies) assertProxy(proxy);
    return new Agents(tls, proxies.length > 0 ? await loadProxyAgents() : undefined);
  }

  static direct(tls: TlsOptions = {}): Agents {
    return new Agents(tls, undefined);
  }

  get isInsecure(): boolean {
    return this.tls.rejectUnauthorized === false;
  }

  isProxied(url: string): boolean {
    return this.#proxied !== undefined && proxyFor(url) !== undefined;
  }

  /** Returns the agent for a URL: one that keeps connections, or one that makes a new one for each request. */
  of(url: string, use: ConnectionUse = 'kept'): http.Agent {
    // Called for every request, with few different URLs.
    const { origin, protocol } = getOrInsert(this.#urls, url, () => new URL(url));
    const byOrigin = getOrInsert(this.#agents, use, () => new Map());
    return getOrInsert(byOrigin, origin, () => this.#makeAgent(url, protocol, use !== 'fresh'));
  }

  /** Closes the idle connections that all requests share, or those of symbols too. Returns how many. */
  closeIdle(which: 'shared' | 'all' = 'shared'): number {
    const idle = [...this.#agents]
      .filter(([use]) => which === 'all' || use === 'kept')
      .flatMap(([, byOrigin]) => [...byOrigin.values()])
      .flatMap(({ freeSockets }) => Object.values(freeSockets))
      .flatMap((sockets = []) => sockets);
    for (const socket of idle) socket.destroy();
    return idle.length;
  }

  close(): void {
    for (const byOrigin of this.#agents.values()) for (const agent of byOrigin.values()) agent.destroy();
  }

  #makeAgent(url: string, protocol: string, keepAlive: boolean): http.Agent {
    const proxy = proxyFor(url);
    if (this.#proxied !== undefined && proxy !== undefined) {
      const { HttpProxyAgent, HttpsProxyAgent } = this.#proxied;
      if (protocol !== 'https:') return new HttpProxyAgent(proxy, { keepAlive });
      const tunnelling = new HttpsProxyAgent(proxy, { keepAlive });
      // The options of its constructor are for the connection to the proxy; these are for the target behind it.
      Object.assign(tunnelling.options, this.tls);
      return tunnelling;
    }
    return protocol === 'https:'
      ? new https.Agent({ ...this.tls, keepAlive })
      : new http.Agent({ keepAlive });
  }
}

type ProxyAgents = Awaited<ReturnType<typeof loadProxyAgents>>;

async function loadProxyAgents() {
  return { ...(await import('http-proxy-agent')), ...(await import('https-proxy-agent')) };
}

/** Returns the proxy of the environment for a URL; none for loopback addresses. */
function proxyFor(url: string): string | undefined {
  if (isLoopback(url)) return undefined;
  return getProxyForUrl(url) || undefined;
}

/** Refuses files that are not PEM: they would make every connection fail, with an error message of OpenSSL. */
function assertUsableTls({ ca, cert, key }: TlsOptions): void {
  if (ca !== undefined && !String(ca).includes('-----BEGIN '))
    throw new UsageError('tls.ca: the file contains no certificate in PEM. Give one that does.');
  if (cert === undefined && key === undefined) return;
  if (!succeeds(() => createSecureContext({ cert })))
    throw new UsageError('tls.cert: the file contains no certificate in PEM. Give one that does.');
  if (!succeeds(() => createSecureContext({ key })))
    throw new UsageError(
      'tls.key: the file contains no private key in PEM that is readable without a passphrase. Give one that does.',
    );
  if (!succeeds(() => createSecureContext({ cert, key })))
    throw new UsageError('tls.key: not the key of tls.cert. Give the two that belong together.');
}

/** Refuses a proxy that is not a URL. The message does not repeat it, since it may contain a password. */
function assertProxy(proxy: string): void {
  const { protocol = '', username = '', password = '' } = URL.canParse(proxy) ? new URL(proxy) : {};
  if (/^https?:$/.test(protocol) && succeeds(() => decodeURIComponent(`${username}:${password}`))) return;
  throw new UsageError(
    'the proxy that the environment names (HTTP_PROXY, HTTPS_PROXY or ALL_PROXY) is not a valid URL (for example http://proxy.example:3128). Fix it, or add the target to NO_PROXY.',
  );
}

function succeeds(run: () => unknown): boolean {
  try {
    run();
    return true;
  } catch {
    return false;
  }
}

/** Whether a URL is on loopback. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(?:\.\d+){3}$/.test(hostname)
  );
}

/** Whether the host of a URL is a name, which can be written in upper case, and not an address. */
export function hasHostName(url: string): boolean {
  return /^[^[]*[a-z]/i.test(new URL(url).hostname);
}

/** Returns an address, or a path, without slashes at its end. */
export function trimSlashes(url: string): string {
  return url.replace(/\/+$/, '');
}
