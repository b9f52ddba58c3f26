import { connect } from 'node:net';
import { PATIENCE_MS } from './answer-text.js';

/** How long nothing must come before an answer counts as complete, in milliseconds. */
const QUIET_MS = 40;

/**
 * Writes bytes on a connection of its own and gives all that comes, with `(closed)` where the server ends it
 * and `(in pieces)` where it comes in more than one; listens until nothing has come for a while.
 */
export function rawText(origin: string, bytes: string, quietMs: number = QUIET_MS): Promise<string> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve) => {
    const pieces: string[] = [];
    const socket = connect(Number(port), hostname, () => socket.write(bytes, 'latin1'));
    let silent = PATIENCE_MS;
    // After a pause of the whole process the timer fires before what has already arrived is read.
    const afterSilence = (seen: number): void => {
      if (seen === pieces.length) settle(seen === 0 ? '(no answer in time)' : '(open)');
      else socket.setTimeout(silent);
    };
    const settle = (ending: string): void => {
      socket.destroy();
      const text = pieces.join('').replace(/^Date: .*\r\n/gim, '');
      resolve(`${text}\n${pieces.length > 1 ? '(in pieces)' : ''}${ending}`);
    };
    socket.setEncoding('latin1');
    socket.setTimeout(silent, () => setImmediate(afterSilence, pieces.length));
    socket.on('data', (piece: string) => {
      pieces.push(piece);
      silent = quietMs;
      socket.setTimeout(silent);
    });
    socket.on('error', () => settle('(reset)'));
    socket.on('end', () => settle('(closed)'));
  });
}
