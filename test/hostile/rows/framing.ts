import { wire } from '../front.js';
import { bytes, chunkedHead, lastBytes, message, pours } from '../messages.js';
import type { HostileRow } from '../row.js';

const broken = /connection lost \(HPE_[A-Z_]+\)/;
const lost = /connection lost \(ECONNRESET\)/;
const onTheWire = {
  on: 'vault-delete',
  only: ['vault-delete.204.no-body'],
  thorough: true,
} as const;

/** Messages whose parts do not fit together. */
export const framingRows: readonly HostileRow[] = [
  {
    name: 'a body shorter than its Content-Length',
    exit: 4,
    tells: lost,
    does: lastBytes('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"data":{}}'),
  },
  {
    name: 'a body longer than its Content-Length',
    exit: 1,
    tells: noDataOrBroken(),
    does: bytes('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}{"data":{}} and more'),
  },
  {
    name: 'a negative Content-Length',
    exit: 1,
    tells: broken,
    does: bytes('HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n{}'),
  },
  {
    name: 'a Content-Length beyond all numbers',
    exit: 1,
    tells: broken,
    does: bytes(`HTTP/1.1 200 OK\r\nContent-Length: ${'9'.repeat(40)}\r\n\r\n{}`),
  },
  {
    name: 'two Content-Lengths',
    exit: 1,
    tells: broken,
    does: bytes('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}x'),
  },
  {
    name: 'a Content-Length and chunks',
    exit: 1,
    tells: broken,
    does: bytes(
      'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
    ),
  },
  {
    name: 'a chunk size that is no number',
    exit: 1,
    tells: broken,
    does: bytes(`${chunkedHead}zz\r\n{}\r\n0\r\n\r\n`),
  },
  {
    name: 'a chunk of more bytes than there are',
    exit: 1,
    tells: broken,
    does: bytes(`${chunkedHead}fffffffffffffffff\r\n{}\r\n`),
  },
  { name: 'chunks without the last', exit: 4, tells: lost, does: lastBytes(`${chunkedHead}2\r\n{}\r\n`) },
  {
    name: 'chunk extensions without end',
    exit: 1,
    tells: broken,
    does: pours(`${chunkedHead}2;`, Buffer.alloc(65_536, 'x'), 200),
  },
  {
    name: 'trailers without end',
    exit: 1,
    tells: broken,
    does: pours(`${chunkedHead}2\r\n{}\r\n0\r\n`, Buffer.from('X-Trailer: yes\r\n'.repeat(4_000)), 200),
  },
  {
    name: 'a 204 with a body',
    exit: 1,
    tells: /bytes/,
    ...onTheWire,
    does: (socket, { headers }) => {
      const body = headers.connection === 'close' ? '{"deleted":true}' : '';
      socket.end(`HTTP/1.1 204 No Content\r\n\r\n${body}`);
    },
    everywhere: { exit: 1, tells: /bytes/ },
  },
  {
    name: 'tens of thousands of 1xx before a 204, on the wire',
    // A busy machine reads them too slowly for the time there is.
    exit: [0, 4],
    tells: /^$|no complete answer/,
    ...onTheWire,
    does: async (socket, { headers }, { honest }) => {
      const answer = wire(await honest());
      if (headers.connection !== 'close') socket.write(answer);
      else socket.end(Buffer.concat([Buffer.from('HTTP/1.1 102 \r\n\r\n'.repeat(50_000)), answer]));
    },
    everywhere: { exit: [0, 4], tells: /^$|no complete answer/ },
  },
  {
    name: 'a 204 in a hundred thousand chunks, on the wire',
    exit: 1,
    tells: /bytes/,
    ...onTheWire,
    does: async (socket, { headers }, { honest }) => {
      if (headers.connection !== 'close') socket.write(wire(await honest()));
      else {
        const head = 'HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n';
        socket.end(`${head}${'1\r\na\r\n'.repeat(100_000)}0\r\n\r\n`);
      }
    },
    everywhere: { exit: 1, tells: /bytes/ },
  },
  {
    name: '1 GB after a 204, on the wire',
    big: true,
    exit: 1,
    tells: /bytes/,
    ...onTheWire,
    does: async (socket, asked, around) => {
      if (asked.headers.connection !== 'close') socket.write(wire(await around.honest()));
      else pours('HTTP/1.1 204 No Content\r\n\r\n', Buffer.alloc(65_536, 'a'), 15_000)(socket, asked, around);
    },
    everywhere: { exit: 1, tells: /bytes/ },
  },
  {
    name: '304 in place of an answer',
    exit: 1,
    tells: /got 304/,
    does: bytes('HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n'),
  },
  {
    name: 'two answers to one request',
    exit: 1,
    tells: /no data object|not valid JSON|got/,
    does: bytes(Buffer.concat([message('{}'), message('{"data":{}}')])),
  },
  {
    name: 'an answer to a request that was not sent yet',
    exit: 1,
    tells: /no data object|got/,
    does: async (socket, _asked, { sleep }) => {
      socket.write(message('{}'));
      await sleep(1);
      socket.write(message('{"data":{"id":"from before"}}', '', '418 I am early'));
    },
    everywhere: { exit: [1, 3, 4], tells: /got 200|got 418|ECONNRESET|HPE|no data object/ },
  },
];

function noDataOrBroken(): RegExp {
  return /no data object|not valid JSON|connection lost \((?:HPE_[A-Z_]+|ECONNRESET)\)/;
}
