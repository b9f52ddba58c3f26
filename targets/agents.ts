import http from 'node:http';
import https from 'node:https';
import type { SecureContextOptions } from 'node:tls';
import { getProxyForUrl } from 'proxy-from-env';
import { isLoopback } from './loopback.js';

/** What TLS connections are made with; file contents, not paths. */
export interface TlsOptions extends Pick<SecureContextOptions, 'ca' | 'cert' | 'key'> {
  /** Whatever certificate the target shows is taken. */
  readonly insecure?: boolean;
}

/** Keep-alive connections to wherever requests go, directly or through the proxy that the environment names. */
export class Agents {
  readonly #kept = new Map<string, http.Agent>();
  readonly #fresh = new Map<string, http.Agent>();
  readonly #tls: https.AgentOptions;
  readonly #proxied: ProxyAgents | undefined;

  private constructor(tls: TlsOptions, proxied: ProxyAgents | undefined) {
    const { insecure = false, ...context } = tls;
    this.#tls = { ...context, rejectUnauthorized: !insecure };
    this.#proxied = proxied;
  }

  /** What proxies take is loaded only where the environment names one for an address that will be used. */
  static async for(addresses: readonly string[], tls: TlsOptions = {}): Promise<Agents> {
    const isProxied = addresses.some((address) => proxyFor(address) !== undefined);
    return new Agents(tls, isProxied ? await loadProxyAgents() : undefined);
  }

  /** Agents that go everywhere directly. */
  static direct(tls: TlsOptions = {}): Agents {
    return new Agents(tls, undefined);
  }

  /** The TLS options that a connection made by other means must use too. */
  get tls(): https.AgentOptions {
    return this.#tls;
  }

  /** Whether requests to a URL go through a proxy. */
  isProxied(url: string): boolean {
    return this.#proxied !== undefined && proxyFor(url) !== undefined;
  }

  /** The agent for a URL: one that keeps connections, or one that makes a fresh one for each request. */
  of(url: string, connections: 'kept' | 'fresh' = 'kept'): http.Agent {
    const { origin, protocol } = new URL(url);
    const byOrigin = connections === 'kept' ? this.#kept : this.#fresh;
    const known = byOrigin.get(origin);
    if (known !== undefined) return known;
    const agent = this.#made(url, protocol, connections === 'kept');
    byOrigin.set(origin, agent);
    return agent;
  }

  /** Closes the idle connections. */
  close(): void {
    for (const agent of [...this.#kept.values(), ...this.#fresh.values()]) agent.destroy();
  }

  #made(url: string, protocol: string, keepAlive: boolean): http.Agent {
    const proxy = this.#proxied === undefined ? undefined : proxyFor(url);
    if (proxy !== undefined && this.#proxied !== undefined) {
      const { HttpProxyAgent, HttpsProxyAgent } = this.#proxied;
      if (protocol !== 'https:') return new HttpProxyAgent(proxy, { keepAlive });
      const tunnelling = new HttpsProxyAgent(proxy, { keepAlive });
      // What its constructor takes is for the connection to the proxy; the target behind it is met with these.
      Object.assign(tunnelling.options, this.#tls);
      return tunnelling;
    }
    return protocol === 'https:'
      ? new https.Agent({ ...this.#tls, keepAlive })
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
