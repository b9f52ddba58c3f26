import http from 'node:http';
import https from 'node:https';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { getProxyForUrl } from 'proxy-from-env';
import { UsageError } from '../spec/thrown.js';

/** What TLS connections are made with; file contents, not paths. */
export interface TlsOptions extends Pick<SecureContextOptions, 'ca' | 'cert' | 'key'> {
  /** Whatever certificate the target shows is taken. */
  readonly insecure?: boolean;
}

/** No connection can be made with what the profile or the environment says; told in a line that holds no secret. */
export class UnusableConnection extends UsageError {
  override readonly name = 'UnusableConnection';
}

/** Keep-alive connections to wherever requests go, directly or through the proxy that the environment names. */
export class Agents {
  readonly #kept = new Map<string, http.Agent>();
  readonly #fresh = new Map<string, http.Agent>();
  readonly #urls = new Map<string, URL>();
  readonly #tls: https.AgentOptions;
  readonly #proxied: ProxyAgents | undefined;

  private constructor(tls: TlsOptions, proxied: ProxyAgents | undefined) {
    const { insecure = false, ...context } = tls;
    this.#tls = { ...context, rejectUnauthorized: !insecure };
    this.#proxied = proxied;
  }

  /**
   * What proxies take is loaded only where the environment names one for an address that will be used. Throws
   * UnusableConnection.
   */
  static async for(addresses: readonly string[], tls: TlsOptions = {}): Promise<Agents> {
    assertUsable(tls);
    const proxies = addresses.flatMap((address) => proxyFor(address) ?? []);
    for (const proxy of proxies) assertProxy(proxy);
    return new Agents(tls, proxies.length > 0 ? await loadProxyAgents() : undefined);
  }

  /** Agents that go everywhere directly. */
  static direct(tls: TlsOptions = {}): Agents {
    return new Agents(tls, undefined);
  }

  /** The TLS options that a connection made by other means must use too. */
  get tls(): https.AgentOptions {
    return this.#tls;
  }

  /** Whether any certificate is accepted. */
  get isInsecure(): boolean {
    return this.#tls.rejectUnauthorized === false;
  }

  /** Whether requests to a URL go through a proxy. */
  isProxied(url: string): boolean {
    return this.#proxied !== undefined && proxyFor(url) !== undefined;
  }

  /** The agent for a URL: one that keeps connections, or one that makes a fresh one for each request. */
  of(url: string, connections: 'kept' | 'fresh' = 'kept'): http.Agent {
    const { origin, protocol } = this.#parsed(url);
    const byOrigin = connections === 'kept' ? this.#kept : this.#fresh;
    const known = byOrigin.get(origin);
    if (known !== undefined) return known;
    const agent = this.#made(url, protocol, connections === 'kept');
    byOrigin.set(origin, agent);
    return agent;
  }

  // Every request asks, and always for one of a few.
  #parsed(url: string): URL {
    const known = this.#urls.get(url) ?? new URL(url);
    this.#urls.set(url, known);
    return known;
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

/** A file that is no PEM would break every connection, one by one and in OpenSSL's words. */
function assertUsable({ ca, cert, key }: TlsOptions): void {
  if (ca !== undefined && !String(ca).includes('-----BEGIN '))
    throw new UnusableConnection('The file of tls.ca holds no certificate in PEM. Give one that does.');
  if (cert === undefined && key === undefined) return;
  if (!isTaken({ cert }))
    throw new UnusableConnection('The file of tls.cert holds no certificate in PEM. Give one that does.');
  if (!isTaken({ key }))
    throw new UnusableConnection(
      'The file of tls.key holds no private key in PEM that is readable without a passphrase. Give one that does.',
    );
  if (!isTaken({ cert, key }))
    throw new UnusableConnection(
      'The file of tls.key is not the key of tls.cert. Give the two that belong together.',
    );
}

function isTaken(options: Pick<SecureContextOptions, 'cert' | 'key'>): boolean {
  try {
    createSecureContext(options);
    return true;
  } catch {
    return false;
  }
}

/** Its value may hold a password, so it is not repeated. */
function assertProxy(proxy: string): void {
  const isUrl = URL.canParse(proxy) && ['http:', 'https:'].includes(new URL(proxy).protocol);
  if (isUrl && isDecodable(new URL(proxy))) return;
  throw new UnusableConnection(
    'The environment names a proxy (HTTP_PROXY, HTTPS_PROXY or ALL_PROXY) that is no URL such as http://proxy.example:3128. Mend it, or add the target to NO_PROXY.',
  );
}

function isDecodable({ username, password }: URL): boolean {
  try {
    decodeURIComponent(`${username}:${password}`);
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
