import { type Answer, beginningOf, header, isJsonMediaType } from './exchange.js';

/** Signs that something in front of the service has touched an answer. */
const signs = ['cf-ray', 'x-amz-cf-id', 'x-served-by', 'x-akamai-request-id', 'x-cache', 'via'];
const edgeServers = /cloudflare|cloudfront|akamai|fastly|varnish|awselb|nginx|envoy|haproxy|squid|traefik/i;

/**
 * Tells answers that something in front of the service gave in its place: a page, or a status of its own (52x). What
 * the service's own JSON answers carry too is no sign of an edge.
 */
export class Edge {
  readonly #ofTheService = new Set<string>();

  /** What gave the answer, where it was not the service; takes note of the service's own answers otherwise. */
  inPlaceOfService(answer: Answer): string | undefined {
    const { status } = answer;
    if (status >= 520 && status <= 530) return `status ${status}, which gateways make`;
    const traces = tracesOf(answer);
    if (isJsonMediaType(answer)) {
      for (const trace of traces) this.#ofTheService.add(compared(trace));
      return undefined;
    }
    if (!isPage(answer)) return undefined;
    const foreign = traces.find((trace) => !this.#ofTheService.has(compared(trace)));
    return foreign === undefined ? undefined : `a page with status ${status} and the header ${foreign}`;
  }
}

/** The part of a trace that two are compared by: a server may write a page into a header. */
function compared(trace: string): string {
  return beginningOf(trace, 48);
}

function tracesOf(answer: Answer): readonly string[] {
  const server = header(answer, 'server');
  return [
    ...(server !== undefined && edgeServers.test(server) ? [`server: ${server}`] : []),
    ...signs.filter((name) => header(answer, name) !== undefined),
  ];
}

function isPage(answer: Answer): boolean {
  return (header(answer, 'content-type') ?? '').toLowerCase().startsWith('text/html');
}
