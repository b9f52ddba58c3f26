import { writeMessage } from '../front.js';
import { addHeaders, chunkedHead, makeMessage, pour, sendBytes, sendJson, sendLast } from '../messages.js';
import { type Behaviour, endWith, type HostileRow } from '../row.js';

const broken = /cannot be read as HTTP \(HPE_[A-Z_]+\)|connection lost \(ECONNRESET\)/;
const onTheWire = { on: 'vault-delete', only: ['vault-delete.204.no-body'], thorough: true } as const;
const kib64 = (text: string) => Buffer.alloc(65_536, text);
const repeatLine = (line: string) => Buffer.from(`${line}\r\n`.repeat(4_000));

type Header = readonly [name: string, value: string];
const numbered = (length: number, make: (at: number) => Header) =>
  Array.from({ length }, (_, at) => make(at));

function sendBefore(text: string): Behaviour {
  return async (socket, _asked, { honest }) => {
    socket.write(Buffer.concat([Buffer.from(text, 'latin1'), writeMessage(await honest())]));
  };
}

function sendStatusLine(line: string): Behaviour {
  return sendBytes(`${line}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`);
}

function sendHead(lines: string): Behaviour {
  return sendBytes(`HTTP/1.1 200 OK\r\n${lines}\r\nContent-Length: 2\r\n\r\n{}`);
}

/** What an honest answer is followed by where the request came over a socket of its own, which shows it. */
function onOwnSocket(answer: Behaviour): Behaviour {
  return async (socket, asked, around) => {
    if (asked.headers.connection === 'close') await answer(socket, asked, around);
    else socket.write(writeMessage(await around.honest()));
  };
}

export const framingRows: readonly HostileRow[] = [
  {
    name: 'invalid lengths',
    ...endWith(1, broken),
    does: {
      'a negative Content-Length': sendHead('Content-Length: -5'),
      'a Content-Length beyond all numbers': sendHead(`Content-Length: ${'9'.repeat(40)}`),
      'two Content-Lengths': sendHead('Content-Length: 3'),
      'a Content-Length and chunks': sendHead('Transfer-Encoding: chunked'),
      'a body longer than its Content-Length': sendBytes(`${makeMessage('{}')}{"data":{}} and more`),
    },
  },
  {
    name: 'invalid chunks',
    ...endWith(1, broken),
    does: {
      'a chunk size that is not a number': sendBytes(`${chunkedHead}zz\r\n{}\r\n0\r\n\r\n`),
      'a chunk of more bytes than there are': sendBytes(`${chunkedHead}fffffffffffffffff\r\n{}\r\n`),
      'chunk extensions without end': pour(`${chunkedHead}2;`, kib64('x'), 200),
      'trailers without end': pour(`${chunkedHead}2\r\n{}\r\n0\r\n`, repeatLine('X-Trailer: yes'), 200),
    },
  },
  {
    name: 'bytes that are not HTTP',
    ...endWith(1, broken),
    everywhere: endWith(3, /breaks before an answer arrives \(HPE_[A-Z_]+\)/),
    does: {
      'HTTP/0.9': sendLast('{"data":{}}'),
      'HTTP/9.7': sendStatusLine('HTTP/9.7 200 OK'),
      'the preface of HTTP/2': sendBytes(Buffer.from([0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 100])),
      'the banner of another protocol': sendBytes('SSH-2.0-OpenSSH_9.2\r\n'),
      'line feeds alone': sendBytes('HTTP/1.1 200 OK\nContent-Length: 2\n\n{}'),
    },
  },
  {
    name: 'invalid status lines',
    ...endWith(1, broken),
    does: {
      'status 99': sendStatusLine('HTTP/1.1 99 Low'),
      'status 1000': sendStatusLine('HTTP/1.1 1000 Highest'),
      'status abc': sendStatusLine('HTTP/1.1 abc OK'),
      'a status line without end': pour('HTTP/1.1 200 ', kib64('a'), 15_000),
    },
  },
  {
    name: 'heads that are broken',
    ...endWith(1, broken),
    does: {
      'one header without end': pour('HTTP/1.1 200 OK\r\nX-Long: ', kib64('a'), 15_000),
      'header names of odd bytes': sendHead('X\xe9\x00(): 1'),
      'a header folded over lines': sendHead('X-Folded: a\r\n b'),
      'a null byte': sendHead('X-Null: a\x00b'),
      'a Retry-After that would move a terminal': sendJson(
        '{}',
        'Retry-After: \x1b]0;soon\x07 Feb 31\r\n',
        '503 Service Unavailable',
      ),
      'a media type that would move a terminal': sendHead('Content-Type: text/\x1b[2Jhtml'),
      'a server that would move a terminal': sendHead('Server: nginx\x1b]0;owned\x07'),
    },
  },
  {
    name: '1 GB of headers',
    big: true,
    ...endWith(1, /cannot be read as HTTP \(HPE_HEADER_OVERFLOW\)/),
    does: pour('HTTP/1.1 200 OK\r\n', repeatLine('X-More: and more'), 14_000),
  },
  {
    name: 'undefined statuses',
    ...endWith(1, /got (?:304|418|600|999)/),
    does: {
      'status 600': sendStatusLine('HTTP/1.1 600 High'),
      'status 999': sendStatusLine('HTTP/1.1 999 Higher'),
      '304 in place of an answer': sendBytes('HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n'),
      'a reason phrase that would move a terminal': sendStatusLine('HTTP/1.1 418 \x1b[2J\x1b]0;owned\x07'),
    },
  },
  {
    name: 'status 000',
    waits: true,
    ...endWith(1, /connection lost|got 0|no answer/),
    does: sendStatusLine('HTTP/1.1 000 None'),
  },
  {
    name: '101 in place of an answer',
    waits: true,
    ...endWith(4, /connection lost|no answer within/),
    does: sendBytes('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
  },
  {
    name: 'odd ways to be right',
    ...endWith(0, /^$/),
    everywhere: endWith(0, /^$/),
    only: ['guardrail-read.200.*', 'guardrail-read.field.*'],
    does: {
      '100 before the answer': sendBefore('HTTP/1.1 100 Continue\r\n\r\n'),
      '103 before the answer': sendBefore('HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n'),
      'thousands of 100 before the answer': sendBefore('HTTP/1.1 100 Continue\r\n\r\n'.repeat(5_000)),
      'HTTP/1.0, the body ended by the end of the connection': async (socket, _asked, { honest }) => {
        const { status, body } = await honest();
        socket.write(`HTTP/1.0 ${status} Told\r\nContent-Type: application/json\r\n\r\n`);
        socket.end(body);
      },
      'a header a thousand times': addHeaders(...numbered(1_000, (at) => ['X-Again', String(at)])),
      'two Content-Types': addHeaders(['Content-Type', 'text/html'], ['Content-Type', 'application/json']),
      'headers called __proto__ and constructor': addHeaders(
        ...['__proto__', 'constructor', 'toString', 'hasOwnProperty'].map((name) => [name, 'x'] as const),
      ),
      'cookies, for everywhere and for ever': addHeaders(
        ...numbered(40, (at) => ['Set-Cookie', `c${at}=v; Domain=.test; Path=/; Max-Age=9999999999`]),
      ),
      'a refresh and an alternative service on another host': (socket, asked, around) =>
        addHeaders(
          ['Refresh', `0; url=${around.stranger}`],
          ['Alt-Svc', `http/1.1="${new URL(around.stranger).host}"; ma=99999`],
        )(socket, asked, around),
    },
  },
  {
    name: 'a body after a 204, on the wire',
    ...endWith(1, /: a body\b/),
    ...onTheWire,
    does: onOwnSocket((socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\n{"deleted":true}')),
  },
  {
    name: 'a hundred thousand chunks after a 204, on the wire',
    ...endWith(1, /Transfer-Encoding: chunked/),
    ...onTheWire,
    does: onOwnSocket((socket) => {
      const head = 'HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n';
      socket.end(`${head}${'1\r\na\r\n'.repeat(100_000)}0\r\n\r\n`);
    }),
  },
  {
    name: '1 GB after a 204, on the wire',
    big: true,
    ...endWith(1, /: a body\b/),
    ...onTheWire,
    does: onOwnSocket(pour('HTTP/1.1 204 No Content\r\n\r\n', kib64('a'), 15_000)),
  },
  {
    name: 'tens of thousands of 1xx before a 204, on the wire',
    // A busy machine reads them too slowly for the time there is.
    ...endWith([0, 4], /^$|no complete answer/),
    ...onTheWire,
    does: onOwnSocket(async (socket, _asked, { honest }) => {
      const interim = Buffer.from('HTTP/1.1 102 \r\n\r\n'.repeat(50_000));
      socket.end(Buffer.concat([interim, writeMessage(await honest())]));
    }),
  },
  {
    name: 'more answers than requests',
    ...endWith(1, /no data object|not valid JSON|got/),
    everywhere: endWith([1, 3, 4], /got 200|got 418|ECONNRESET|HPE|no data object/),
    does: {
      'two answers to one request': sendBytes(`${makeMessage('{}')}${makeMessage('{"data":{}}')}`),
      'an answer to a request that was not sent yet': async (socket, _asked, { sleep }) => {
        socket.write(makeMessage('{}'));
        await sleep(1);
        socket.write(makeMessage('{"data":{"id":"from before"}}', '', '418 I am early'));
      },
    },
  },
];
