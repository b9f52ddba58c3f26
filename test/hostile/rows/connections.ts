import net, { type Socket } from 'node:net';
import { listenInTest } from '../../servers.js';
import { startFront } from '../front.js';
import { type ConnectionRow, endWith } from '../row.js';

async function acceptAnd(connected: (socket: Socket) => unknown): Promise<string> {
  return listenInTest(net.createServer((socket) => void connected(socket.on('error', () => undefined))));
}

const withTls = (origin: Promise<string>) => origin.then((plain) => plain.replace('http:', 'https:'));
const handshakeFailure = Buffer.from([21, 3, 1, 0, 2, 2, 40]);

/** Odd ways to connect; `test/cli/trust.test.ts` has those whom nobody should trust. */
export const connectionRows: readonly ConnectionRow[] = [
  {
    name: 'an honest server on IPv6',
    ...endWith(0, /^$/),
    start: (behind) =>
      startFront({ behind, stranger: behind, chosen: () => false, does: () => undefined }, '::1'),
  },
  {
    name: 'speaks before it is asked',
    // Whether what it says is taken for an answer is a matter of moments.
    ...endWith([0, 1, 3, 4], /connection lost|no data object/),
    start: () => acceptAnd((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}')),
  },
  {
    name: 'a TLS handshake that never ends',
    waits: true,
    ...endWith(3, /no answer within/),
    start: () => withTls(acceptAnd(() => undefined)),
  },
  {
    name: 'plain HTTP where TLS is due',
    ...endWith(3, /the port does not speak TLS/),
    start: () => withTls(acceptAnd((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))),
  },
  {
    name: 'TLS where plain HTTP is due',
    ...endWith(3, /it may take https:/),
    start: () => acceptAnd((socket) => socket.once('data', () => socket.end(handshakeFailure))),
  },
];
