import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import tls from 'node:tls';
import { trimSlashes } from './agents.js';
import type { Received } from './client.js';
import { describeLostConnection } from './connection-errors.js';
import { BodyBytes, bodyLimit, header, toAnswer, toPairs } from './exchange.js';
import { contentCodings, maxHeaderSize, type Outgoing } from './transports.js';

/** The final answer that a socket received, and every byte after its head. */
export interface RawReceived {
  readonly received: Received;
  /** Read as latin1, framing included. */
  readonly rest: string;
}

// By then, a server that does not close the connection as requested has sent everything.
const waitMs = 2_000;

/** Sends a request over a socket of its own and reads until the peer closes it: what an HTTP client hides shows here. */
export function sendRaw(
  outgoing: Outgoing,
  signal: AbortSignal,
  options: tls.ConnectionOptions = {},
): Promise<RawReceived> {
  const url = new URL(outgoing.base);
  return new Promise((resolve) => {
    const socket = connectTo(url, options, () => socket.write(formatRequest(outgoing, url)));
    let text = '';
    const end = (lost?: Received) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      socket.destroy();
      resolve(lost === undefined ? parseRawAnswer(text) : { received: lost, rest: '' });
    };
    const stop = () => end({ lost: 'the run was stopped' });
    const timer = setTimeout(() => end(), waitMs);
    signal.addEventListener('abort', stop, { once: true });
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (text.length > bodyLimit) end();
    });
    socket.once('end', () => end());
    socket.once('error', (error: NodeJS.ErrnoException) => {
      // An answer that was complete before the connection broke still counts.
      end(text.includes('\r\n\r\n') ? undefined : describeLostConnection(error.code));
    });
  });
}

/** Opens a connection to the server of a URL. */
export function connectTo(url: URL, options: tls.ConnectionOptions, ready?: () => void): net.Socket {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (url.protocol !== 'https:') return net.connect({ host, port: Number(url.port) || 80 }, ready);
  const servername = net.isIP(host) === 0 ? host : '';
  return tls.connect({ ...options, host, port: Number(url.port) || 443, servername }, ready);
}

function formatRequest(outgoing: Outgoing, url: URL): string {
  const { method, path, body } = outgoing;
  const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
  const headers = { Host: url.host, ...outgoing.headers, ...length, Connection: 'close' };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${trimSlashes(url.pathname)}${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`;
}

function parseRawAnswer(text: string): RawReceived {
  let head = '';
  let status = 100;
  let end = 0;
  // Any number of interim answers may come first.
  while (status < 200) {
    const split = text.indexOf('\r\n\r\n', end);
    if (split < 0) return { received: { lost: 'no complete answer' }, rest: text.slice(end) };
    head = text.slice(end, split);
    status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1]);
    end = split + 4;
  }
  const rest = text.slice(end);
  if (Number.isNaN(status)) return { received: { lost: 'no complete answer' }, rest };
  const [statusLine = '', ...lines] = head.split('\r\n');
  const isChunked = /^transfer-encoding:\s*chunked\s*$/im.test(head);
  const rawHeaders = lines.flatMap(parseField);
  const body = Buffer.from(isChunked ? joinChunks(rest) : rest, 'latin1');
  const answer = toAnswer(
    {
      statusCode: status,
      statusMessage: statusLine.slice('HTTP/1.1 200 '.length),
      rawHeaders,
      rawTrailers: isChunked ? parseTrailers(rest) : [],
    },
    decodeBody(body, rawHeaders),
  );
  return { received: { answer: { ...answer, truncated: text.length > bodyLimit } }, rest };
}

/** Decodes a body, which a server may encode unasked (RFC 9110, §12.5.3); one that cannot be decoded is returned as it is. */
function decodeBody(body: Buffer, rawHeaders: readonly string[]): Buffer {
  const coding = header({ headers: toPairs(rawHeaders) }, 'content-encoding') ?? '';
  try {
    return contentCodings.get(coding.toLowerCase())?.decode(body, { maxOutputLength: bodyLimit }) ?? body;
  } catch {
    return body;
  }
}

function parseField(line: string): string[] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon), line.slice(colon + 1).trim()];
}

function parseTrailers(framed: string): string[] {
  const [, lines = ''] = /(?:^|\r\n)0+(?:;[^\r\n]*)?\r\n((?:[^\r\n]+\r\n)*)\r\n$/.exec(framed) ?? [];
  return lines.split('\r\n').slice(0, -1).flatMap(parseField);
}

function joinChunks(framed: string): string {
  const data: string[] = [];
  for (let at = 0; ; ) {
    const line = framed.indexOf('\r\n', at);
    const size = line < 0 ? Number.NaN : Number.parseInt(framed.slice(at, line), 16);
    if (!(size > 0)) return data.join('');
    const start = line + 2;
    data.push(framed.slice(start, start + size));
    at = start + size + 2;
  }
}

interface SlowRequest extends Outgoing {
  readonly waitMs: number;
  /** The rest of the body; never sent where absent. */
  readonly rest?: string;
}

/** Sends the head of a request that announces a body, then one byte of the body and, where it is given, the rest. */
export function sendSlowly(
  { base, method, path, headers, waitMs, rest }: SlowRequest,
  signal: AbortSignal,
  tls: https.RequestOptions = {},
): Promise<Received> {
  const url = new URL(base);
  const { request } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve) => {
    const outgoing = request({
      ...tls,
      maxHeaderSize,
      // The path is not put through URL, which would tidy it up.
      ...{ protocol: url.protocol, hostname: url.hostname.replace(/^\[|\]$/g, ''), port: url.port },
      method,
      path: `${trimSlashes(url.pathname)}${path}`,
      headers,
      agent: false,
    });
    const end = (received: Received) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      outgoing.destroy();
      resolve(received);
    };
    const stop = () => end({ lost: 'the run was stopped' });
    const timer = setTimeout(() => end({ lost: `no answer within ${waitMs / 1000} s` }), waitMs);
    signal.addEventListener('abort', stop, { once: true });
    outgoing.on('error', (error: NodeJS.ErrnoException) => end(describeLostConnection(error.code)));
    outgoing.on('response', (incoming) => {
      const body = new BodyBytes();
      incoming.on('data', (chunk: Buffer) => {
        body.add(chunk);
        if (body.isBeyond) incoming.destroy();
      });
      // The server may close the connection as soon as it has answered; what arrived by then is the answer.
      incoming.on('close', () => {
        end({ answer: toAnswer(incoming, decodeBody(body.bytes, incoming.rawHeaders)) });
      });
    });
    outgoing.write('{');
    if (rest !== undefined) outgoing.end(rest);
  });
}
