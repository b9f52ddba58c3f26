import { type Answer, copyBeginning, header, isJsonMediaType } from './exchange.js';

/** Headers of gateways, proxies and caches. */
const proxyHeaders = ['cf-ray', 'x-amz-cf-id', 'x-served-by', 'x-akamai-request-id', 'x-cache', 'via'];
const proxyServers = /cloudflare|cloudfront|akamai|fastly|varnish|awselb|nginx|envoy|haproxy|squid|traefik/i;

/**
 * Detects answers that something in front of the service gave in its place: a page, or a status of its own (52x). What
 * the service's own JSON answers carry too is no sign of it.
 */
export class ProxyDetector {
  readonly #ofService = new Set<string>();

  /** Says what gave the answer, where it was not the service; takes note of the service's own answers otherwise. */
  explainForeign(answer: Answer): string | undefined {
    const { status } = answer;
    if (status >= 520 && status <= 530) return `status ${status}, which gateways make`;
    const traces = findTraces(answer);
    if (isJsonMediaType(answer)) {
      for (const trace of traces) this.#ofService.add(keyOf(trace));
      return undefined;
    }
    if (!(header(answer, 'content-type') ?? '').toLowerCase().startsWith('text/html')) return undefined;
    const foreign = traces.find((trace) => !this.#ofService.has(keyOf(trace)));
    return foreign === undefined ? undefined : `a page with status ${status} and the header ${foreign}`;
  }
}

/** The part of a trace that two are compared by: a server may write a page into a header. */
function keyOf(trace: string): string {
  return copyBeginning(trace, 48);
}

function findTraces(answer: Answer): readonly string[] {
  const server = header(answer, 'server');
  return [
    ...(server !== undefined && proxyServers.test(server) ? [`server: ${server}`] : []),
    ...proxyHeaders.filter((name) => header(answer, name) !== undefined),
  ];
}
