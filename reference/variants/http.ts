import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { deflateSync, gzipSync } from 'node:zlib';
import { type Answer, type Behaviour, type Call, isFrames } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { beforeSending, countUp, editAnswer, setHeaders } from '../mutation.js';
import { everyday, permitted, type VariantRows } from '../variant.js';
import { formatAnswer, formatBody, wireHeaders } from '../wire.js';

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

/** Variants that use the freedoms of HTTP: connections, framing, packets and headers (§1). */
export const httpVariants: VariantRows = {
  'connection-closed': everyday('1')(
    'The connection is closed after every answer',
    setHeaders({}, { Connection: 'close' }),
  ),
  'connection-closed-when-idle': everyday('1')(
    'A connection without a request for 50 ms is closed, and nothing announces it',
    {
      ...setHeaders({}, { Connection: 'keep-alive' }),
      ...beforeSending((response) => {
        response.once('finish', () => response.socket?.setTimeout(50));
      }),
    },
  ),
  'connection-closed-unannounced': permitted('1')(
    'A connection is closed 1 ms after each answer, and nothing announces it',
    {
      ...setHeaders({}, { Connection: 'keep-alive' }),
      ...beforeSending((response) => {
        const { socket } = response;
        response.once('finish', () => setTimeout(() => socket?.destroy(), 1));
      }),
    },
  ),
  'body-ended-by-close': everyday('1')(
    'Answers are HTTP/1.0: no length is given, and the end of the connection ends the body',
    {
      transmit: (response, answer) => {
        const message = wholeMessage(answer).replace(/^HTTP\/1\.1/, 'HTTP/1.0');
        response.socket?.end(message.replace(/Content-Length: \d+\r\n/, ''));
      },
    },
  ),
  'chunked-answers': everyday('1')('Every body comes in chunks of 17 bytes', {
    transmit: withBody(async (response, text, answer, call) => {
      response.writeHead(answer.status, wireHeaders(answer, call));
      await inPieces(response, Buffer.from(text), 17);
    }),
  }),
  'interim-answers': everyday('1')(
    'A 102 and a 103 come before every answer',
    beforeSending((response) => {
      response.writeProcessing();
      response.writeEarlyHints({ link: '</style.css>; rel=preload; as=style' });
    }),
  ),
  'body-byte-by-byte': everyday('1')('Every eighth body comes byte by byte, the others in two packets', {
    transmit: withBody(async (response, text, answer, call) => {
      const bytes = Buffer.from(text);
      const headers = { ...wireHeaders(answer, call), 'Content-Length': String(bytes.length) };
      response.writeHead(answer.status, headers);
      const length = countUp(call, 'bodies') % 8 === 0 ? 1 : Math.ceil(bytes.length / 2);
      await inPieces(response, bytes, length);
    }),
  }),
  'head-in-pieces': permitted('1')(
    'Every answer, its head included, comes in packets of 23 bytes, and the connection is closed',
    {
      transmit: (response, answer) => inPieces(response.socket, Buffer.from(wholeMessage(answer)), 23),
    },
  ),
  'answers-delayed': everyday('1')('Every answer comes 5 ms late', { ...beforeSending(() => wait(5)) }),
  'answers-overtake': permitted('1')(
    'Of requests under way at once the later ones are answered first',
    beforeSending((_response, _answer, call) => wait(12 - (countUp(call, 'answers') % 4) * 4)),
  ),
  'more-headers': permitted('1')(
    'Every answer has many headers more, some of them twice',
    beforeSending((response) => {
      for (const [name, value] of MORE_HEADERS) response.appendHeader(name, value);
    }),
  ),
  'node-by-intern': permitted('1')(
    'X-Served-By names one of two nodes, which the internId of the path decides',
    editAnswer({ operation: 'vault-delete' }, (answer, { parameters }) => {
      const sum = Buffer.from(parameters.internId ?? '').reduce(
        (hash, byte) => (hash * 31 + byte) % 65_521,
        7,
      );
      return { ...answer, headers: { ...answer.headers, 'X-Served-By': sum % 2 === 0 ? 'amber' : 'violet' } };
    }),
  ),
  'no-date-other-reasons': permitted('1')(
    'Answers have no Date, and reason phrases of their own',
    beforeSending((response: ServerResponse) => {
      response.sendDate = false;
      response.statusMessage = 'As You Like It';
    }),
  ),
  'compressed-gzip': everyday('1')('Answers are compressed with gzip where the request allows it', {
    transmit: compressWith('gzip', gzipSync),
  }),
  'compressed-deflate': permitted('1')('Answers are compressed with deflate where the request allows it', {
    transmit: compressWith('deflate', deflateSync),
  }),
  'media-type-on-204': permitted('4.1')(
    'A 204 has a media type, though no body',
    setHeaders({ status: 204 }, { 'Content-Type': 'application/json' }),
  ),
};

function compressWith(coding: string, compress: (text: Buffer) => Buffer): Behaviour['transmit'] {
  return (response, answer, call) => {
    const text = formatBody(answer.body);
    if (text === '' || !isAllowed(call.headers['accept-encoding'], coding))
      return conforming.transmit(response, answer, call);
    const body = compress(Buffer.from(text));
    const more = { 'Content-Encoding': coding, Vary: 'Accept-Encoding', 'Content-Length': body.length };
    response.writeHead(answer.status, { ...wireHeaders(answer, call), ...more });
    response.end(body);
  };
}

/** Whether an `Accept-Encoding` names a coding and does not weigh it with 0. */
function isAllowed(accepted: string | string[] | undefined, coding: string): boolean {
  const entries = String(accepted ?? '').split(',');
  return entries.some((entry) => {
    const [name = '', weight = 'q=1'] = entry.split(';').map((part) => part.trim().toLowerCase());
    return name === coding && Number(weight.slice(2)) > 0;
  });
}

/** Formats an answer as one message that closes its connection; a 204 has no length. */
function wholeMessage(answer: Answer): string {
  const message = formatAnswer(answer);
  return answer.status === 204 ? message.replace(/Content-Length: \d+\r\n/, '') : message;
}

/** Replaces how answers with a body are sent; those without, and streams, are sent as by the reference. */
function withBody(
  send: (response: ServerResponse, text: string, answer: Answer, call: Call) => void | Promise<void>,
): Behaviour['transmit'] {
  return (response, answer, call) => {
    const text = formatBody(answer.body);
    const isPlain = text === '' || isFrames(answer.body);
    return isPlain ? conforming.transmit(response, answer, call) : send(response, text, answer, call);
  };
}

/** Writes bytes piece by piece, each as a packet of its own, and ends the stream. */
export async function inPieces(stream: Writable | null, bytes: Buffer, length: number): Promise<void> {
  for (let at = 0; at < bytes.length; at += length) {
    stream?.write(bytes.subarray(at, at + length));
    await new Promise(setImmediate);
  }
  stream?.end();
}
