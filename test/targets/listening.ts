import http from 'node:http';
import net, { type AddressInfo } from 'node:net';

/** A server of a test's own. */
export interface Listening {
  /** `http://127.0.0.1:PORT`. */
  readonly base: string;
  readonly port: number;
  /** Closes it and whatever is connected. */
  close(): Promise<void>;
}

/** Listens for HTTP. */
export function listening(answer: http.RequestListener): Promise<Listening> {
  return listenOn(http.createServer(answer));
}

/** Listens on a bare socket; a client gets exactly the bytes written to it. */
export function listeningRaw(answer: (socket: net.Socket, request: string) => void): Promise<Listening> {
  return listenOn(
    net.createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', (bytes) => answer(socket, bytes.toString('latin1')));
    }),
  );
}

/** Lets a server listen on a free port of this machine. */
export async function listenOn(server: net.Server, host = '127.0.0.1'): Promise<Listening> {
  const sockets = new Set<net.Socket>();
  server.on('connection', (socket: net.Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    base: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
