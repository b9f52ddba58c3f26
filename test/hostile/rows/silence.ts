import { writeMessage } from '../front.js';
import { chunkedHead, makeMessage, pour, sendJson, sendMade, trickle } from '../messages.js';
import { type Around, type Behaviour, endWith, type HostileRow } from '../row.js';

const refusal = (code: number) => `{"error":{"code":${code},"message":"Not now"}}`;

function refuseUntil(status: string, value: string): Behaviour {
  return sendJson(refusal(Number(status.slice(0, 3))), `Retry-After: ${value}\r\n`, status);
}

function sendAndReset(text: string): Behaviour {
  return async (socket, _asked, { sleep }) => {
    socket.write(text);
    await sleep(20);
    socket.resetAndDestroy();
  };
}

function redirectTo(location: (around: Around) => string, status = '302 Found'): Behaviour {
  return sendMade((around) => makeMessage('{}', `Location: ${location(around)}\r\n`, status));
}

const longHead = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n';
const tooMany = '429 Too Many Requests';
const unavailable = '503 Service Unavailable';

const late = endWith(4, /no answer within/);

/** What never comes, breaks off, asks to come back or sends the client, and what it carries, somewhere else. */
export const silenceRows: readonly HostileRow[] = [
  {
    name: 'answers that never come',
    waits: true,
    ...late,
    everywhere: endWith(3, /no answer within/),
    does: {
      'never answers': () => undefined,
      'answers a byte at a time': (socket, _asked, around) =>
        trickle(socket, makeMessage('{}').toString('latin1'), around, 100),
      '100 without end': pour('', Buffer.from('HTTP/1.1 100 Continue\r\n\r\n'.repeat(2_000)), 100_000),
      'sends the head at once and the body a byte at a time': async (socket, _asked, around) => {
        socket.write(longHead);
        await trickle(socket, '{"data":'.padEnd(1000), around, 100);
      },
    },
  },
  {
    name: 'bodies that never come',
    waits: true,
    ...late,
    does: {
      'announces a body and never sends it': (socket) => socket.write(longHead),
      'never ends a body in chunks': (socket) => socket.write(`${chunkedHead}2\r\n{}\r\n`),
    },
  },
  {
    name: 'connections that break before a body',
    ...endWith(4, /connection lost \(ECONNRESET\)/),
    everywhere: endWith(3, /breaks before an answer arrives \(ECONNRESET\)/),
    does: {
      'closes without an answer': (socket) => socket.end(),
      'resets without an answer': (socket) => socket.resetAndDestroy(),
      'resets in the middle of the head': sendAndReset('HTTP/1.1 200 OK\r\nContent-Ty'),
    },
  },
  {
    name: 'connections that break within a body',
    ...endWith(4, /connection lost \(ECONNRESET\)/),
    does: {
      'resets in the middle of the body': sendAndReset(
        'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"data":',
      ),
      'resets in the middle of a chunk': sendAndReset(`${chunkedHead}64\r\n{"data":`),
      'a body shorter than its Content-Length': (socket) =>
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"data":{}}'),
      'chunks without the last': (socket) => socket.end(`${chunkedHead}2\r\n{}\r\n`),
    },
  },
  {
    name: 'answers well and resets the connection right after',
    ...endWith(0, /^$/),
    // It may be that no three attempts in a row are left alone; nobody is accused.
    everywhere: endWith([0, 4], /^$|kept from before/),
    does: async (socket, _asked, { honest, sleep }) => {
      socket.write(writeMessage(await honest()));
      await sleep(2);
      socket.resetAndDestroy();
    },
  },
  {
    name: 'answers well, resets and answers 500',
    // Whoever answers every other request may pass, fail or stay open, by luck.
    ...endWith([0, 1, 4], /^$|ECONNRESET|500/),
    everywhere: endWith([0, 1, 3, 4], /^$|ECONNRESET|500/),
    does: async (socket, { before }, { honest }) => {
      if (before % 4 === 0) socket.resetAndDestroy();
      else if (before % 4 === 2) socket.write(makeMessage(refusal(500), '', '500 Error'));
      else socket.write(writeMessage(await honest()));
    },
  },
  {
    name: '429 for ever',
    ...endWith(4, /got 429/),
    everywhere: endWith(3, /got 429/),
    does: {
      'without a word of when': sendJson(refusal(429), '', tooMany),
      'Retry-After of a hundred years': refuseUntil(tooMany, '3153600000'),
      'Retry-After of more digits than a number has': refuseUntil(tooMany, '9'.repeat(5_000)),
      'a negative Retry-After': refuseUntil(tooMany, '-1'),
    },
  },
  {
    name: '503 for ever',
    ...endWith(4, /got 503/),
    does: {
      'Retry-After of the year 9999': refuseUntil(unavailable, 'Fri, 31 Dec 9999 23:59:59 GMT'),
      'Retry-After that is not a date': refuseUntil(unavailable, `soon ${'and soon '.repeat(1_000)}`),
    },
  },
  {
    name: 'redirects to another host',
    ...endWith(1, /got 30\d/),
    does: {
      'as usual': redirectTo(({ stranger }) => `${stranger}/v1/key`),
      'keeping method and body': redirectTo(({ stranger }) => `${stranger}/v1/key`, '307 Temporary Redirect'),
      'without its protocol': redirectTo(({ stranger }) => `${stranger.slice(5)}/v1/key`, '308 Permanent'),
      'with credentials in it': redirectTo(({ stranger }) => stranger.replace('//', '//user:password@')),
    },
  },
  {
    name: 'redirects elsewhere',
    ...endWith(1, /got 30\d/),
    does: {
      'to itself': redirectTo(({ origin }) => `${origin}/v1/key`, '301 Moved'),
      'to a file': redirectTo(() => 'file:///etc/passwd'),
      'to a socket of this machine': redirectTo(() => 'http+unix://%2Ftmp%2Fx.sock/'),
      'to nowhere': redirectTo(() => 'http://[::bad'),
      'each to the next': (socket, { before }, { origin }) =>
        socket.write(makeMessage('{}', `Location: ${origin}/v1/hop/${before}\r\n`, '300 Multiple Choices')),
    },
  },
];
