import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Answer } from '../behaviour.js';
import { answers, counted } from '../mutation.js';
import { makeVariants, type Variant } from '../variant.js';
import { after, inPieces, wholeMessage, wireHeaders, withBody } from './wire.js';

/** Variants that use the freedoms of HTTP: connections, framing, packets and headers (§1). */
export const httpVariants: readonly Variant[] = [
  ...makeVariants('1', {
    'connection-closed': {
      everyday: 'The connection is closed after every answer',
      override: answers({}, (answer) => withHeaders(answer, { Connection: 'close' })),
    },
    'connection-closed-when-idle': {
      everyday: 'A connection without a request for 50 ms is closed, and nothing announces it',
      override: {
        answer: (answer) => withHeaders(answer, { Connection: 'keep-alive' }),
        transmit: after((response) => {
          response.once('finish', () => response.socket?.setTimeout(50));
        }),
      },
    },
    'body-ended-by-close': {
      everyday: 'Answers are HTTP/1.0: no length is told, and the end of the connection ends the body',
      override: {
        transmit: (response, answer) => {
          const message = wholeMessage(answer).replace(/^HTTP\/1\.1/, 'HTTP/1.0');
          response.socket?.end(message.replace(/Content-Length: \d+\r\n/, ''));
        },
      },
    },
    'chunked-answers': {
      everyday: 'Every body comes in chunks of 17 bytes',
      override: {
        transmit: withBody(async (response, text, answer, call) => {
          response.writeHead(answer.status, wireHeaders(answer, call));
          await inPieces((piece) => response.write(piece), text, 17);
          response.end();
        }),
      },
    },
    trailers: {
      description: 'Every body comes in chunks, and a trailer follows it',
      override: {
        transmit: withBody((response, text, answer, call) => {
          // The answer to HEAD has no body that a trailer could follow.
          const trailer = response.req.method === 'HEAD' ? {} : { Trailer: 'X-Length' };
          response.writeHead(answer.status, { ...wireHeaders(answer, call), ...trailer });
          response.write(text);
          response.addTrailers({ 'X-Length': String(text.length) });
          response.end();
        }),
      },
    },
    'interim-answers': {
      everyday: 'A 102 and a 103 come before every answer',
      override: {
        transmit: after((response) => {
          response.writeProcessing();
          response.writeEarlyHints({ link: '</style.css>; rel=preload; as=style' });
        }),
      },
    },
    'head-before-body': {
      description: 'The head of an answer is a packet of its own, and the body comes 2 ms later',
      override: {
        transmit: withBody(async (response, text, answer, call) => {
          response.writeHead(answer.status, withLength(wireHeaders(answer, call), text));
          response.flushHeaders();
          await wait(2);
          response.end(text);
        }),
      },
    },
    'body-byte-by-byte': {
      everyday: 'Every eighth body comes byte by byte, the others in two packets',
      override: {
        transmit: withBody(async (response, text, answer, call) => {
          response.writeHead(answer.status, withLength(wireHeaders(answer, call), text));
          const bytes = Buffer.from(text).toString('latin1');
          const length = counted(call, 'bodies') % 8 === 0 ? 1 : Math.ceil(bytes.length / 2);
          await inPieces((piece) => response.write(piece, 'latin1'), bytes, length);
          response.end();
        }),
      },
    },
    'head-in-pieces': {
      description:
        'Every answer, its head included, comes in packets of 23 bytes, and the connection is closed',
      override: {
        transmit: async (response, answer) => {
          const { socket } = response;
          await inPieces((piece) => socket?.write(piece), wholeMessage(answer), 23);
          socket?.end();
        },
      },
    },
    'answers-delayed': {
      everyday: 'Every answer comes 5 ms late',
      override: { transmit: after(() => wait(5)) },
    },
    'some-answers-slow': {
      description: 'Every third answer comes 30 ms late',
      override: {
        transmit: after(async (_response, call) => {
          if (counted(call, 'answers') % 3 === 0) await wait(30);
        }),
      },
    },
    'answers-overtake': {
      description: 'Of requests under way at once the later ones are answered first',
      override: { transmit: after((_response, call) => wait(12 - (counted(call, 'answers') % 4) * 4)) },
    },
    'more-headers': {
      description: 'Every answer has many headers more, some of them twice',
      override: {
        transmit: after((response) => {
          for (const [name, value] of MORE_HEADERS) response.appendHeader(name, value);
        }),
      },
    },
    'header-names-in-lower-case': {
      description: 'All header names are in lower case',
      override: answers({}, (answer) => renamed(answer, (name) => name.toLowerCase())),
    },
    'header-names-in-upper-case': {
      description: 'All header names are in upper case',
      override: answers({}, (answer) => renamed(answer, (name) => name.toUpperCase())),
    },
    'headers-in-another-order': {
      description: 'Headers come in the opposite order, the length before the media type',
      override: {
        transmit: withBody((response, text, answer, call) => {
          const headers = Object.entries(withLength(wireHeaders(answer, call), text)).reverse();
          response.writeHead(answer.status, Object.fromEntries(headers));
          response.end(text);
        }),
      },
    },
    'no-date-other-reasons': {
      description: 'Answers have no Date, and reason phrases of their own',
      override: {
        transmit: after((response: ServerResponse) => {
          response.sendDate = false;
          response.statusMessage = 'As You Like It';
        }),
      },
    },
  }),
  ...makeVariants('4.1', {
    'media-type-on-204': {
      description: 'A 204 has a media type, though no body',
      override: answers({ status: 204 }, (answer) =>
        withHeaders(answer, { 'Content-Type': 'application/json' }),
      ),
    },
  }),
];

const MORE_HEADERS: readonly (readonly [string, string])[] = [
  ['Set-Cookie', 'session=1; Path=/; HttpOnly'],
  ['Set-Cookie', 'lane=eu; Path=/'],
  ['Vary', 'Origin'],
  ['Vary', 'Accept-Encoding'],
  ['Server', 'edge'],
  ['Via', '1.1 edge'],
  ['ETag', 'W/"1"'],
  ['Cache-Control', 'no-store'],
  ['Strict-Transport-Security', 'max-age=31536000'],
  ['X-Request-Id', 'f9e4d0'],
  ['X-Padding', 'x'.repeat(4000)],
];

function withHeaders(answer: Answer, headers: Record<string, string>): Answer {
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

function withLength(headers: Record<string, string>, text: string): Record<string, string> {
  return { ...headers, 'Content-Length': String(Buffer.byteLength(text)) };
}

function renamed(answer: Answer, rename: (name: string) => string): Answer {
  const headers = Object.entries(answer.headers).map(([name, value]) => [rename(name), value] as const);
  return { ...answer, headers: Object.fromEntries(headers) };
}
