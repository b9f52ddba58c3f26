import { wire } from '../front.js';
import { altered, bytes, lastBytes, message, pours, withHeaders } from '../messages.js';
import type { Behaviour, HostileRow } from '../row.js';

const broken = /connection lost \((?:HPE_[A-Z_]+|ECONNRESET)\)/;
const overflow = /connection lost \(HPE_HEADER_OVERFLOW\)/;
const fine = { exit: 0, tells: /^$/, everywhere: { exit: 0, tells: /^$/ } } as const;

/** An honest answer with something before it. */
function before(text: string): Behaviour {
  return async (socket, _asked, { honest }) => {
    socket.write(Buffer.concat([Buffer.from(text, 'latin1'), wire(await honest())]));
  };
}

/** An honest answer whose status line is another. */
function statusLine(line: string): Behaviour {
  return bytes(`${line}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`);
}

/** Status lines and headers. */
export const headRows: readonly HostileRow[] = [
  {
    name: '1 GB of headers',
    big: true,
    exit: 1,
    tells: overflow,
    does: pours('HTTP/1.1 200 OK\r\n', Buffer.from('X-More: and more\r\n'.repeat(4_000)), 14_000),
  },
  {
    name: 'one header without end',
    exit: 1,
    tells: overflow,
    does: pours('HTTP/1.1 200 OK\r\nX-Long: ', Buffer.alloc(65_536, 'a'), 15_000),
  },
  {
    name: 'a status line without end',
    exit: 1,
    tells: broken,
    does: pours('HTTP/1.1 200 ', Buffer.alloc(65_536, 'a'), 15_000),
  },
  { name: '100 before the answer', ...fine, does: before('HTTP/1.1 100 Continue\r\n\r\n') },
  {
    name: '103 before the answer',
    ...fine,
    does: before('HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n'),
  },
  {
    name: 'thousands of 100 before the answer',
    ...fine,
    does: before('HTTP/1.1 100 Continue\r\n\r\n'.repeat(5_000)),
  },
  {
    name: '100 without end',
    waits: true,
    exit: [1, 4],
    tells: /no answer within/,
    does: pours('', Buffer.from('HTTP/1.1 100 Continue\r\n\r\n'.repeat(2_000)), 100_000),
  },
  {
    name: '101 in place of an answer',
    waits: true,
    exit: 4,
    tells: /connection lost|no answer within/,
    does: bytes('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
  },
  { name: 'HTTP/0.9', exit: 1, tells: broken, does: lastBytes('{"data":{}}') },
  {
    name: 'HTTP/1.0, the body ended by the end of the connection',
    ...fine,
    does: async (socket, _asked, { honest }) => {
      const { status, body } = await honest();
      socket.write(`HTTP/1.0 ${status} Told\r\nContent-Type: application/json\r\n\r\n`);
      socket.end(body);
    },
  },
  { name: 'HTTP/9.7', exit: 1, tells: broken, does: statusLine('HTTP/9.7 200 OK') },
  {
    name: 'the preface of HTTP/2',
    exit: 1,
    tells: broken,
    does: bytes(Buffer.from([0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 100])),
  },
  { name: 'the banner of another protocol', exit: 1, tells: broken, does: bytes('SSH-2.0-OpenSSH_9.2\r\n') },
  {
    name: 'line feeds alone',
    exit: 1,
    tells: broken,
    does: bytes('HTTP/1.1 200 OK\nContent-Length: 2\n\n{}'),
  },
  { name: 'status 99', exit: 1, tells: /connection lost|got 99/, does: statusLine('HTTP/1.1 99 Low') },
  { name: 'status 600', exit: 1, tells: /got 600/, does: statusLine('HTTP/1.1 600 High') },
  { name: 'status 999', exit: 1, tells: /got 999/, does: statusLine('HTTP/1.1 999 Higher') },
  { name: 'status 1000', exit: 1, tells: broken, does: statusLine('HTTP/1.1 1000 Highest') },
  { name: 'status abc', exit: 1, tells: broken, does: statusLine('HTTP/1.1 abc OK') },
  {
    name: 'status 000',
    exit: 1,
    tells: /connection lost|got 0|no answer/,
    waits: true,
    does: statusLine('HTTP/1.1 000 None'),
  },
  {
    name: 'a reason phrase that would move a terminal',
    exit: 1,
    tells: /got 418|connection lost/,
    does: statusLine('HTTP/1.1 418 \x1b[2J\x1b]0;owned\x07'),
  },
  {
    name: 'headers that would move a terminal',
    exit: 1,
    tells: /media type|not valid JSON|connection lost/,
    does: bytes(
      `HTTP/1.1 200 OK\r\nContent-Type: text/\x1b[2Jhtml\r\nServer: nginx\x1b]0;owned\x07\r\nContent-Length: 11\r\n\r\n{"data":{}}`,
    ),
  },
  {
    name: 'a header a thousand times',
    ...fine,
    does: withHeaders(...Array.from({ length: 1_000 }, (_, at) => ['X-Again', String(at)] as const)),
  },
  {
    name: 'two Content-Types',
    ...fine,
    does: withHeaders(['Content-Type', 'text/html'], ['Content-Type', 'application/json']),
  },
  {
    name: 'header names of odd bytes',
    exit: 1,
    tells: broken,
    does: bytes('HTTP/1.1 200 OK\r\nX\xe9\x00(): 1\r\nContent-Length: 2\r\n\r\n{}'),
  },
  {
    name: 'a header folded over lines',
    exit: 1,
    tells: broken,
    does: bytes('HTTP/1.1 200 OK\r\nX-Folded: a\r\n b\r\nContent-Length: 2\r\n\r\n{}'),
  },
  {
    name: 'headers called __proto__ and constructor',
    ...fine,
    does: withHeaders(
      ['__proto__', 'status'],
      ['constructor', 'x'],
      ['toString', 'y'],
      ['hasOwnProperty', 'z'],
    ),
  },
  {
    name: 'cookies, for everywhere and for ever',
    ...fine,
    does: withHeaders(
      ...Array.from(
        { length: 40 },
        (_, at) => ['Set-Cookie', `c${at}=v; Domain=.test; Path=/; Max-Age=9999999999`] as const,
      ),
    ),
  },
  {
    name: 'a media type of 15,000 characters',
    exit: 1,
    tells: /media type/,
    does: altered((honest) => ({
      ...honest,
      headers: [['Content-Type', `text/${'x'.repeat(15_000)}`]],
    })),
  },
  {
    name: 'a null byte in the head',
    exit: 1,
    tells: broken,
    does: bytes('HTTP/1.1 200 OK\r\nX-Null: a\x00b\r\nContent-Length: 2\r\n\r\n{}'),
  },
  {
    name: 'an error of 15,000 characters as a status of 500',
    exit: 4,
    tells: /got 500/,
    does: bytes(message(`{"error":{"code":500,"message":"${'\\u001b[2J'.repeat(1_500)}"}}`, '', '500 Error')),
  },
];
