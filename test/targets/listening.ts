import http from 'node:http';
import type { AddressInfo } from 'node:net';
import net from 'node:net';

/** A server of a test's own. */
export interface Listening {
  /** `http://127.0.0.1:PORT`. */
  readonly base: string;
  close(): Promise<void>;
}

/** Listens for HTTP. */
export function listening(answer: http.RequestListener): Promise<Listening> {
  const server = http.createServer(answer);
  return startListening(server, () => server.closeAllConnections());
}

/** Listens on a bare socket; a client gets exactly the bytes written to it. */
export function listeningRaw(answer: (socket: net.Socket, request: string) => void): Promise<Listening> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', (bytes) => answer(socket, bytes.toString('latin1')));
  });
  return startListening(server, () => {
    for (const socket of sockets) socket.destroy();
  });
}

function startListening(server: net.Server, cut: () => void): Promise<Listening> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      resolve({
        base: `http://127.0.0.1:${port}`,
        close: () =>
          new Promise((closed) => {
            server.close(() => closed());
            cut();
          }),
      });
    });
  });
}
