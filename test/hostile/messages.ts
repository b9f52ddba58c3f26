import type { Socket } from 'node:net';
import { wire } from './front.js';
import type { Around, Behaviour, Honest } from './row.js';

/** A message with these headers, its length told. */
export function message(body: string | Buffer, headers = '', status = '200 OK'): Buffer {
  const bytes = Buffer.from(body);
  const head = `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\n${headers}Content-Length: ${bytes.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), bytes]);
}

/** The head of a message whose body follows in chunks. */
export const chunkedHead =
  'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';

/** Answers with these bytes, whatever was asked. */
export function bytes(text: string | Buffer): Behaviour {
  return (socket) => {
    socket.write(typeof text === 'string' ? Buffer.from(text, 'latin1') : text);
  };
}

/** Answers with these bytes and closes the connection. */
export function lastBytes(text: string | Buffer): Behaviour {
  return (socket) => {
    socket.end(typeof text === 'string' ? Buffer.from(text, 'latin1') : text);
  };
}

/** Answers with the bytes of a message that is made where the behaviour stands. */
export function pointing(made: (around: Around) => Buffer): Behaviour {
  return (socket, _asked, around) => {
    socket.write(made(around));
  };
}

/** Answers as the reference would, altered. */
export function altered(alter: (honest: Honest) => Honest): Behaviour {
  return async (socket, _asked, { honest }) => {
    socket.write(wire(alter(await honest())));
  };
}

/** The honest answer with more headers. */
export function withHeaders(...headers: readonly (readonly [string, string])[]): Behaviour {
  return altered((honest) => ({ ...honest, headers: [...honest.headers, ...headers] }));
}

/** The honest answer with its body rewritten. */
export function rewritten(rewrite: (body: string) => string | Buffer): Behaviour {
  return altered((honest) => ({ ...honest, body: Buffer.from(rewrite(honest.body.toString('utf8'))) }));
}

/** The honest answer with more members of `data`, as JSON text. */
export function withMembers(members: string): Behaviour {
  return rewritten((body) => body.replace('{"data":{', `{"data":{${members},`));
}

/** Writes a piece again and again, as fast as it is taken, so many times or until the peer closes. */
export function pours(head: string, piece: Buffer, times: number): Behaviour {
  return (socket) => {
    socket.write(Buffer.from(head, 'latin1'));
    let left = times;
    const pour = () => {
      while (left-- > 0 && !socket.destroyed) if (!socket.write(piece)) return socket.once('drain', pour);
      return socket.end();
    };
    pour();
  };
}

/** Writes a text a character at a time. */
export async function trickles(socket: Socket, text: string, { sleep }: Around, ms: number): Promise<void> {
  for (const character of text) {
    if (socket.destroyed) return;
    socket.write(character);
    await sleep(ms);
  }
}
