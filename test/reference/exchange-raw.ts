import { connect } from 'node:net';
import type { Reference } from '../../reference/server.js';

/** Sends bytes on a connection of their own, keeps it open, and gives what comes until the server ends it. */
export function exchangeRaw(reference: Reference, bytes: string): Promise<string> {
  const { port, hostname } = new URL(reference.baseUrl);
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(text));
  });
}
