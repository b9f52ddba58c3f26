import http from 'node:http';
import https from 'node:https';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { getProxyForUrl } from 'proxy-from-env';
import { UsageError } from '../spec/thrown.js';

/** What TLS connections are made with; file contents, not paths. */
export interface TlsOptions extends Pick<SecureContextOptions, 'ca' | 'cert' | 'key'> {
  /** Whether any certificate of the target is accepted. */
  readonly insecure?: boolean;
}

/** Which connection a request takes: one kept for all, one kept for those that give the same symbol, or one for it alone. */
export type ConnectionUse = 'kept' | 'fresh' | symbol;

/** Keep-alive connections to wherever requests go, directly or through the proxy that the environment names. */
export class Agents {
  readonly #agents = new Map<ConnectionUse, Map<string, http.Agent>>();
  readonly #urls = new Map<string, URL>();
  /** The TLS options that a connection made by other means must use too. */
  readonly tls: https.AgentOptions;
  readonly #proxied: ProxyAgents | undefined;

  private constructor(tls: TlsOptions, proxied: ProxyAgents | undefined) {
    const { insecure = false, ...context } = tls;
    this.tls = { ...context, rejectUnauthorized: !insecure };
    this.#proxied = proxied;
  }

  /**
   * Makes agents for some addresses; what proxies need is loaded only where the environment names one for them. Throws
   * UsageError, without a secret, where no connection can be made with what the profile or the environment says.
   */
  static async for(addresses: readonly string[], tls: TlsOptions = {}): Promise<Agents> {
    assertUsableTls(tls);
    const proxies = addresses.flatMap((address) => proxyFor(address) ?? []);
    for (const proxy of proxies) assertProxy(proxy);
    return new Agents(tls, proxies.length > 0 ? await loadProxyAgents() : undefined);
  }

  /** Agents that go everywhere directly. */
  static direct(tls: TlsOptions = {}): Agents {
    return new Agents(tls, undefined);
  }

  /** Whether any certificate is accepted. */
  get isInsecure(): boolean {
    return this.tls.rejectUnauthorized === false;
  }

  /** Whether requests to a URL go through a proxy. */
  isProxied(url: string): boolean {
    return this.#proxied !== undefined && proxyFor(url) !== undefined;
  }

  /** The agent for a URL: one that keeps connections, or one that makes a fresh one for each request. */
  of(url: string, use: ConnectionUse = 'kept'): http.Agent {
    const { origin, protocol } = this.#parse(url);
    const byOrigin = this.#agents.get(use) ?? new Map<string, http.Agent>();
    this.#agents.set(use, byOrigin);
    const agent = byOrigin.get(origin) ?? this.#makeAgent(url, protocol, use !== 'fresh');
    byOrigin.set(origin, agent);
    return agent;
  }

  // Every request asks, and always for one of a few.
  #parse(url: string): URL {
    const known = this.#urls.get(url) ?? new URL(url);
    this.#urls.set(url, known);
    return known;
  }

  /** Closes the idle connections. */
  close(): void {
    for (const byOrigin of this.#agents.values()) for (const agent of byOrigin.values()) agent.destroy();
  }

  #makeAgent(url: string, protocol: string, keepAlive: boolean): http.Agent {
    const proxy = proxyFor(url);
    if (this.#proxied !== undefined && proxy !== undefined) {
      const { HttpProxyAgent, HttpsProxyAgent } = this.#proxied;
      if (protocol !== 'https:') return new HttpProxyAgent(proxy, { keepAlive });
      const tunnelling = new HttpsProxyAgent(proxy, { keepAlive });
      // What its constructor takes is for the connection to the proxy; the target behind it is met with these.
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
  const [{ HttpProxyAgent }, { HttpsProxyAgent }] = await Promise.all([
    import('http-proxy-agent'),
    import('https-proxy-agent'),
  ]);
  return { HttpProxyAgent, HttpsProxyAgent };
}

/** The proxy that the environment names for a URL; this machine itself is never asked for through one. */
function proxyFor(url: string): string | undefined {
  if (isLoopback(url)) return undefined;
  return getProxyForUrl(url) || undefined;
}

/** Refuses a file that is not PEM: it would break every connection, one by one and in OpenSSL's words. */
function assertUsableTls({ ca, cert, key }: TlsOptions): void {
  if (ca !== undefined && !String(ca).includes('-----BEGIN '))
    throw new UsageError('tls.ca: the file holds no certificate in PEM. Give one that does.');
  if (cert === undefined && key === undefined) return;
  if (!succeeds(() => createSecureContext({ cert })))
    throw new UsageError('tls.cert: the file holds no certificate in PEM. Give one that does.');
  if (!succeeds(() => createSecureContext({ key })))
    throw new UsageError(
      'tls.key: the file holds no private key in PEM that is readable without a passphrase. Give one that does.',
    );
  if (!succeeds(() => createSecureContext({ cert, key })))
    throw new UsageError('tls.key: not the key of tls.cert. Give the two that belong together.');
}

/** Refuses a proxy that is no URL; its value may hold a password, so it is not repeated. */
function assertProxy(proxy: string): void {
  const { protocol = '', username = '', password = '' } = URL.canParse(proxy) ? new URL(proxy) : {};
  if (/^https?:$/.test(protocol) && succeeds(() => decodeURIComponent(`${username}:${password}`))) return;
  throw new UsageError(
    'The proxy that the environment names (HTTP_PROXY, HTTPS_PROXY or ALL_PROXY) is not a valid URL (for example http://proxy.example:3128). Fix it, or add the target to NO_PROXY.',
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

/** Whether a URL names this machine itself. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(?:\.\d+){3}$/.test(hostname)
  );
}

/** Whether the host of a URL is a name, which has an upper case, and not an address. */
export function hasHostName(url: string): boolean {
  return /^[^[]*[a-z]/i.test(new URL(url).hostname);
}

/** Returns an address, or a path, without slashes at its end. */
export function trimSlashes(url: string): string {
  return url.replace(/\/+$/, '');
}
