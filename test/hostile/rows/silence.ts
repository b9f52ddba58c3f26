import { chunkedHead, message, trickles } from '../messages.js';
import type { HostileRow } from '../row.js';

const late = /no answer within/;
const lost = /connection lost \(ECONNRESET\)/;

/** What never comes, comes too slowly, or breaks off. */
export const silenceRows: readonly HostileRow[] = [
  { name: 'never answers', waits: true, exit: 4, tells: late, does: () => undefined },
  {
    name: 'answers a byte at a time, too slowly to end',
    waits: true,
    exit: 4,
    tells: late,
    does: (socket, _asked, around) => trickles(socket, message('{}').toString('latin1'), around, 100),
  },
  {
    name: 'sends the head at once and the body a byte at a time, too slowly to end',
    waits: true,
    exit: 4,
    tells: late,
    does: async (socket, _asked, around) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n');
      await trickles(socket, '{"data":'.padEnd(1000), around, 100);
    },
  },
  {
    name: 'announces a body and never sends it',
    waits: true,
    exit: 4,
    tells: late,
    does: (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n'),
  },
  {
    name: 'never ends a body in chunks',
    waits: true,
    exit: 4,
    tells: late,
    does: (socket) => socket.write(`${chunkedHead}2\r\n{}\r\n`),
  },
  { name: 'closes without an answer', exit: 4, tells: lost, does: (socket) => socket.end() },
  { name: 'resets without an answer', exit: 4, tells: lost, does: (socket) => socket.resetAndDestroy() },
  {
    name: 'resets in the middle of the head',
    exit: 4,
    tells: lost,
    does: async (socket, _asked, { sleep }) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Ty');
      await sleep(20);
      socket.resetAndDestroy();
    },
  },
  {
    name: 'resets in the middle of the body',
    exit: 4,
    tells: lost,
    does: async (socket, _asked, { sleep }) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"data":');
      await sleep(20);
      socket.resetAndDestroy();
    },
  },
  {
    name: 'resets in the middle of a chunk',
    exit: 4,
    tells: lost,
    does: async (socket, _asked, { sleep }) => {
      socket.write(`${chunkedHead}64\r\n{"data":`);
      await sleep(20);
      socket.resetAndDestroy();
    },
  },
];
