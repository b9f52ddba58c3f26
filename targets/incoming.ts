import type { IncomingMessage } from 'node:http';
import type { Answer, RawHeaders } from './exchange.js';

/** How many bytes of a body are read: more proves nothing more, and a hostile one has no end. */
export const bodyLimit = 1_000_000;

/** A response of node:http, with the bytes of its body, as an answer. */
export function answerOf(incoming: IncomingMessage, chunks: readonly Buffer[]): Answer {
  const bytes = Buffer.concat(chunks);
  return {
    status: incoming.statusCode ?? 0,
    headers: pairs(incoming.rawHeaders),
    text: bytes.subarray(0, bodyLimit).toString('utf8'),
    truncated: bytes.length > bodyLimit,
  };
}

function pairs(raw: readonly string[]): RawHeaders {
  const headers: [string, string][] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) headers.push([raw[at] ?? '', raw[at + 1] ?? '']);
  return headers;
}
