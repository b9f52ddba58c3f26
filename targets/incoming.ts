import { type IncomingMessage, STATUS_CODES } from 'node:http';
import { bodyLimit } from './body-limit.js';
import type { Answer, RawHeaders } from './exchange.js';
import { keepHeapSmall } from './small-heap.js';

// Far beyond what the interface has to say.
const bigBody = 50_000;

/** A response of node:http, with the bytes of its body, as an answer. */
export function answerOf(incoming: IncomingMessage, bytes: Buffer): Answer {
  if (bytes.length > bigBody) keepHeapSmall();
  return {
    status: incoming.statusCode ?? 0,
    ...unusualPhrase(incoming),
    headers: pairs(incoming.rawHeaders),
    ...(incoming.rawTrailers.length === 0 ? {} : { trailers: pairs(incoming.rawTrailers) }),
    text: bytes.subarray(0, bodyLimit).toString('utf8'),
    truncated: bytes.length > bodyLimit,
  };
}

function unusualPhrase({
  statusCode = 0,
  statusMessage = '',
}: IncomingMessage): Pick<Answer, 'reasonPhrase'> {
  return statusMessage === '' || statusMessage === STATUS_CODES[statusCode]
    ? {}
    : { reasonPhrase: statusMessage };
}

function pairs(raw: readonly string[]): RawHeaders {
  const headers: [string, string][] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) headers.push([raw[at] ?? '', raw[at + 1] ?? '']);
  return headers;
}
