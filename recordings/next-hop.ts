import type { IncomingMessage } from 'node:http';
import type { RawHeaders } from '../targets/exchange.js';

// What a proxy changes in a message for the next hop (RFC 9110, 7.6.1).

/** The fields of one hop, and `Expect`, which the proxy itself answers. */
const hopByHop = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
]);

/** Drops the header fields of this hop, and those that `Connection` names. */
export function dropHopByHop(headers: RawHeaders): RawHeaders {
  const named = headers
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((word) => word.trim().toLowerCase()));
  return headers.filter(([name]) => {
    const lower = name.toLowerCase();
    return !hopByHop.has(lower) && !named.includes(lower);
  });
}

/** Replaces a `Host` that names the proxy's own port by the target's; any other `Host` is left as the client sent it. */
export function replaceHost(host: string, headers: RawHeaders, ownPort: number): RawHeaders {
  return headers.map(([name, value]) => {
    const port = Number(/:(\d+)$/.exec(value)?.[1] ?? 80);
    return [name, name.toLowerCase() === 'host' && port === ownPort ? host : value];
  });
}

/** Returns the path of a request; clients send a forward proxy the whole URL. */
export function readPath({ url = '/' }: IncomingMessage): string {
  const path = url.replace(/^https?:\/\/[^/?#]*/i, '');
  return path.startsWith('/') ? path : `/${path}`;
}

/** Whether a request announces a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && Number(length) > 0);
}
