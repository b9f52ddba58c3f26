import type { Socket } from 'node:net';
import { writeMessage } from './front.js';
import type { Around, Behaviour, Honest } from './row.js';

export function makeMessage(body: string | Buffer, headers = '', status = '200 OK'): Buffer {
  const bytes = Buffer.from(body);
  const head = `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\n${headers}Content-Length: ${bytes.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), bytes]);
}

export const chunkedHead =
  'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';

export function sendBytes(text: string | Buffer): Behaviour {
  return (socket) => socket.write(text, 'latin1');
}

export function sendJson(...message: Parameters<typeof makeMessage>): Behaviour {
  return sendBytes(makeMessage(...message));
}

export function sendLast(text: string): Behaviour {
  return (socket) => socket.end(text, 'latin1');
}

export function sendMade(make: (around: Around) => Buffer): Behaviour {
  return (socket, _asked, around) => socket.write(make(around));
}

export function alterAnswer(alter: (honest: Honest) => Honest): Behaviour {
  return async (socket, _asked, { honest }) => socket.write(writeMessage(alter(await honest())));
}

export function addHeaders(...headers: readonly (readonly [string, string])[]): Behaviour {
  return alterAnswer((honest) => ({ ...honest, headers: [...honest.headers, ...headers] }));
}

export function rewriteBody(rewrite: (body: string) => string | Buffer): Behaviour {
  return alterAnswer((honest) => ({ ...honest, body: Buffer.from(rewrite(honest.body.toString('utf8'))) }));
}

/** Answers as the reference would, with more members of `data`, given as JSON text. */
export function addMembers(members: string): Behaviour {
  return rewriteBody((body) => body.replace('{"data":{', `{"data":{${members},`));
}

/** Writes a piece again and again, as fast as it is taken, so many times or until the client closes. */
export function pour(head: string, piece: Buffer, times: number): Behaviour {
  return (socket) => {
    socket.write(head, 'latin1');
    let left = times;
    const writeMore = () => {
      while (left-- > 0 && !socket.destroyed)
        if (!socket.write(piece)) return socket.once('drain', writeMore);
      return socket.end();
    };
    writeMore();
  };
}

export async function trickle(socket: Socket, text: string, { sleep }: Around, ms: number): Promise<void> {
  for (const character of text) {
    if (socket.destroyed) return;
    socket.write(character);
    await sleep(ms);
  }
}
