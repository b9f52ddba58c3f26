import { listenOnSockets, startFront } from '../front.js';
import { type ConnectionRow, type Door, endWith } from '../row.js';

/** A door that only takes connections, and does one thing with each. */
function acceptAnd(protocol: 'http' | 'https', connected: Parameters<typeof listenOnSockets>[0]) {
  return async (): Promise<Door> => {
    const { origin, close } = await listenOnSockets(connected);
    return { target: `${origin.replace('http:', `${protocol}:`)}/v1`, close };
  };
}

const handshakeFailure = Buffer.from([21, 3, 1, 0, 2, 2, 40]);

/** Nobody to talk to; `test/cli/trust.test.ts` has those whom nobody should trust. */
export const connectionRows: readonly ConnectionRow[] = [
  {
    name: 'a host name that nobody knows',
    ...endWith(3, /ENOTFOUND|EAI_AGAIN/),
    opens: async () => ({ target: 'http://plumbline.invalid/v1' }),
  },
  {
    name: 'an honest server on IPv6',
    ...endWith(0, /^$/),
    opens: async (behind) => {
      const nobody = () => undefined;
      const { origin, close } = await startFront(
        { behind, stranger: behind, chosen: () => false, does: nobody },
        '::1',
      );
      return { target: `${origin}/v1`, close };
    },
  },
  {
    name: 'nobody listens on IPv6',
    ...endWith(3, /ECONNREFUSED/),
    opens: async () => ({ target: 'http://[::1]:1/v1' }),
  },
  {
    name: 'resets every connection as it is made',
    ...endWith(3, /ECONNRESET/),
    opens: acceptAnd('http', (socket) => socket.resetAndDestroy()),
  },
  {
    name: 'takes connections and says nothing',
    waits: true,
    ...endWith(3, /no answer within/),
    opens: acceptAnd('http', () => undefined),
  },
  {
    name: 'speaks before it is asked',
    // Whether what it says is taken for an answer is a matter of moments.
    ...endWith([0, 1, 3, 4], /connection lost|no data object/),
    opens: acceptAnd('http', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}')),
  },
  {
    name: 'a TLS handshake that never ends',
    waits: true,
    ...endWith(3, /no answer within/),
    opens: acceptAnd('https', () => undefined),
  },
  {
    name: 'plain HTTP where TLS is due',
    ...endWith(3, /connection lost \((?:EPROTO|ERR_SSL_\w+)\)/),
    opens: acceptAnd('https', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
  },
  {
    name: 'TLS where plain HTTP is due',
    ...endWith(3, /connection lost/),
    opens: acceptAnd('http', (socket) => socket.once('data', () => socket.end(handshakeFailure))),
  },
];
