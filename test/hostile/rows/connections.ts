import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { type Certificates, makeCertificates } from '../../cli/certificates.js';
import { front, listens } from '../front.js';
import type { ConnectionRow, Door, Opened } from '../row.js';

/** A door that shows a certificate, which the machine trusts or not. */
function showing(pick: (made: Certificates) => string, isTrusted: boolean): () => Promise<Door> {
  return async () => {
    const made = makeCertificates();
    const cert = pick(made);
    const server = createServer({ key: made.key, cert }, (socket) =>
      socket.on('error', () => undefined).destroy(),
    );
    server.on('tlsClientError', () => undefined);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (typeof address !== 'object' || address === null) throw new Error('The server has no port.');
    const trusted = join(made.folder, 'trusted.pem');
    writeFileSync(trusted, cert);
    return {
      target: `https://127.0.0.1:${address.port}/v1`,
      ...(isTrusted ? { env: { NODE_EXTRA_CA_CERTS: trusted } } : {}),
      close: async () => {
        server.close();
      },
    };
  };
}

/** A door that only takes connections, and does one thing with each. */
function taking(protocol: 'http' | 'https', connected: Parameters<typeof listens>[0], host?: string) {
  return async (): Promise<Door> => {
    const { origin, close } = await listens(connected, host);
    return { target: `${origin.replace('http:', `${protocol}:`)}/v1`, close };
  };
}

async function passingOn({ behind }: Opened, host: string): Promise<Door> {
  const { origin, close } = await front(
    { behind, stranger: behind, chosen: () => false, does: () => undefined },
    host,
  );
  return { target: `${origin}/v1`, close };
}

/** Nobody to talk to, and nobody to trust. */
export const connectionRows: readonly ConnectionRow[] = [
  {
    name: 'nobody listens',
    exit: 3,
    tells: /ECONNREFUSED/,
    opens: async () => ({ target: 'http://127.0.0.1:1/v1' }),
  },
  {
    name: 'a host name that nobody knows',
    exit: 3,
    tells: /ENOTFOUND|EAI_AGAIN/,
    opens: async () => ({ target: 'http://plumbline.invalid/v1' }),
  },
  { name: 'an honest server on IPv6', exit: 0, tells: /^$/, opens: (opened) => passingOn(opened, '::1') },
  {
    name: 'nobody listens on IPv6',
    exit: 3,
    tells: /ECONNREFUSED/,
    opens: async () => ({ target: 'http://[::1]:1/v1' }),
  },
  {
    name: 'resets every connection as it is made',
    exit: 3,
    tells: /ECONNRESET/,
    opens: taking('http', (socket) => socket.resetAndDestroy()),
  },
  {
    name: 'takes connections and says nothing',
    waits: true,
    exit: 3,
    tells: /no answer within/,
    opens: taking('http', () => undefined),
  },
  {
    name: 'speaks before it is asked',
    // Whether what it says is taken for an answer is a matter of moments.
    exit: [0, 1, 3, 4],
    tells: /connection lost|no data object/,
    opens: taking('http', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}')),
  },
  {
    name: 'a TLS handshake that never ends',
    waits: true,
    exit: 3,
    tells: /no answer within/,
    opens: taking('https', () => undefined),
  },
  {
    name: 'plain HTTP where TLS is due',
    exit: 3,
    tells: /connection lost \((?:EPROTO|ERR_SSL_\w+)\)/,
    opens: taking('https', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
  },
  {
    name: 'TLS where plain HTTP is due',
    exit: 3,
    tells: /connection lost/,
    opens: async () => {
      const door = await showing((made) => made.good, false)();
      return { ...door, target: door.target.replace('https:', 'http:') };
    },
  },
  {
    name: 'a certificate that nobody signed',
    exit: 3,
    tells: /SELF_SIGNED/,
    opens: showing((made) => made.good, false),
  },
  {
    name: 'a certificate that is long expired',
    exit: 3,
    tells: /CERT_HAS_EXPIRED/,
    opens: showing((made) => made.expired, true),
  },
  {
    name: 'a certificate for another host',
    exit: 3,
    tells: /ALTNAME_INVALID/,
    opens: showing((made) => made.otherName, true),
  },
];
