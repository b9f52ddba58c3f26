import { wire } from '../front.js';
import { message } from '../messages.js';
import type { HostileRow } from '../row.js';

const refusal = (code: number) => `{"error":{"code":${code},"message":"Not now"}}`;
const later = (value: string, status: '429 Too Many Requests' | '503 Service Unavailable') =>
  message(refusal(Number(status.slice(0, 3))), `Retry-After: ${value}\r\n`, status);
const tooMany = '429 Too Many Requests';

/** What changes from request to request, or asks to come back. */
export const courseRows: readonly HostileRow[] = [
  {
    name: 'answers well and resets the connection right after',
    exit: 0,
    tells: /^$/,
    // It may be that no three attempts in a row are left alone; nobody is accused.
    everywhere: { exit: [0, 4], tells: /^$|kept from before/ },
    does: async (socket, _asked, { honest, sleep }) => {
      socket.write(wire(await honest()));
      await sleep(2);
      socket.resetAndDestroy();
    },
  },
  {
    name: 'answers well and resets by turns',
    // Whoever answers every other request may pass, fail or stay open, by luck.
    exit: [0, 1, 4],
    tells: /^$|ECONNRESET/,
    does: async (socket, { before }, { honest }) => {
      if (before % 2 === 0) socket.resetAndDestroy();
      else socket.write(wire(await honest()));
    },
    everywhere: { exit: [0, 1, 3, 4], tells: /^$|ECONNRESET/ },
  },
  {
    name: 'answers 500 by turns',
    exit: [0, 1, 4],
    tells: /^$|500/,
    does: async (socket, { before }, { honest }) => {
      socket.write(before % 2 === 0 ? message(refusal(500), '', '500 Error') : wire(await honest()));
    },
    everywhere: { exit: [0, 1, 3, 4], tells: /^$|500/ },
  },
  {
    name: '429 for ever, without a word of when',
    exit: 4,
    tells: /got 429/,
    does: (socket) => socket.write(message(refusal(429), '', tooMany)),
  },
  {
    name: '429 and Retry-After of a hundred years',
    exit: 4,
    tells: /got 429/,
    does: (socket) => socket.write(later('3153600000', tooMany)),
  },
  {
    name: '429 and Retry-After of more digits than a number has',
    exit: 4,
    tells: /got 429/,
    does: (socket) => socket.write(later('9'.repeat(5_000), tooMany)),
  },
  {
    name: '429 and a negative Retry-After',
    exit: 4,
    tells: /got 429/,
    does: (socket) => socket.write(later('-1', tooMany)),
  },
  {
    name: '503 and a Retry-After of the year 9999',
    exit: 4,
    tells: /got 503/,
    does: (socket) => socket.write(later('Fri, 31 Dec 9999 23:59:59 GMT', '503 Service Unavailable')),
  },
  {
    name: '503 and a Retry-After that is no date',
    exit: 4,
    tells: /got 503/,
    everywhere: { exit: 3, tells: /got 503/ },
    does: (socket) => socket.write(later(`soon ${'and soon '.repeat(1_000)}`, '503 Service Unavailable')),
  },
  {
    name: '503 and a Retry-After that would move a terminal',
    exit: 1,
    tells: /HPE_INVALID_HEADER_TOKEN/,
    does: (socket) => socket.write(later('\x1b]0;soon\x07 Feb 31', '503 Service Unavailable')),
  },
];
