import http, { STATUS_CODES } from 'node:http';
import https from 'node:https';
import net from 'node:net';
import tls from 'node:tls';
import { brotliDecompressSync, unzipSync } from 'node:zlib';
import type { Received } from './client.js';
import { describeLostConnection } from './connection-errors.js';
import { BodyBytes, bodyLimit, type RawHeaders, toAnswer, toPairs, toText } from './exchange.js';
import type { Outgoing } from './transports.js';

/** What came over a socket: the head of the final answer, and every byte after it. */
export interface RawReceived {
  readonly received: Received;
  /** Read as latin1, framing included. */
  readonly rest: string;
}

// A server that was asked to close and does not has said all it had to say by then.
const waitMs = 2_000;

/** Sends a request over a socket of its own and reads until the peer closes it: what an HTTP client hides shows here. */
export function sendRaw(
  outgoing: Outgoing,
  signal: AbortSignal,
  options: tls.ConnectionOptions = {},
): Promise<RawReceived> {
  const url = new URL(outgoing.base);
  return new Promise((resolve) => {
    const socket = connect(url, options, () => socket.write(formatHead(outgoing, url)));
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
      // What came whole before the connection broke is an answer all the same.
      end(text.includes('\r\n\r\n') ? undefined : describeLostConnection(error.code));
    });
  });
}

function connect(url: URL, options: tls.ConnectionOptions, ready: () => void): net.Socket {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (url.protocol !== 'https:') return net.connect({ host, port: Number(url.port) || 80 }, ready);
  return tls.connect(
    { ...options, host, port: Number(url.port) || 443, servername: net.isIP(host) === 0 ? host : '' },
    ready,
  );
}

function formatHead(outgoing: Outgoing, url: URL): string {
  const headers = { Host: url.host, ...outgoing.headers, Connection: 'close' };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${outgoing.method} ${url.pathname.replace(/\/+$/, '')}${outgoing.path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

function parseRawAnswer(text: string): RawReceived {
  const { statusLine, status, lines, end } = findFinalHead(text);
  if (statusLine === undefined || Number.isNaN(status))
    return { received: { lost: 'no complete answer' }, rest: text.slice(end) };
  const rest = text.slice(end);
  const headers = lines.map(parseField);
  const isInChunks = headers.some(isChunked);
  const body = isInChunks ? joinChunks(rest) : rest;
  const trailers = isInChunks ? parseTrailers(rest) : [];
  const reasonPhrase = statusLine.slice('HTTP/1.1 200 '.length);
  const answer = {
    status,
    ...(reasonPhrase === STATUS_CODES[status] ? {} : { reasonPhrase }),
    headers,
    ...(trailers.length === 0 ? {} : { trailers }),
    ...toText(decodeBody(Buffer.from(body, 'latin1'), headers)),
    truncated: text.length > bodyLimit,
  };
  return { received: { answer }, rest };
}

const decoders = new Map([
  ['gzip', unzipSync],
  ['deflate', unzipSync],
  ['br', brotliDecompressSync],
]);

/** Decodes a body, which a server may encode unasked (RFC 9110, §12.5.3); one that cannot be decoded is returned as it is. */
function decodeBody(body: Buffer, headers: RawHeaders): Buffer {
  const [, coding = ''] = headers.find(([name]) => name.toLowerCase() === 'content-encoding') ?? [];
  try {
    return decoders.get(coding.toLowerCase())?.(body, { maxOutputLength: bodyLimit }) ?? body;
  } catch {
    return body;
  }
}

interface RawHead {
  /** Undefined where no head came whole. */
  readonly statusLine: string | undefined;
  readonly status: number;
  readonly lines: readonly string[];
  /** Where it ends in the text. */
  readonly end: number;
}

/** Finds the head of the answer that counts: interim answers, however many, come before it. */
function findFinalHead(text: string): RawHead {
  let start = 0;
  for (;;) {
    const split = text.indexOf('\r\n\r\n', start);
    if (split < 0) return { statusLine: undefined, status: Number.NaN, lines: [], end: start };
    const [statusLine = '', ...lines] = text.slice(start, split).split('\r\n');
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(statusLine)?.[1]);
    start = split + 4;
    if (!(status < 200)) return { statusLine, status, lines, end: start };
  }
}

function parseField(line: string): RawHeaders[number] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon), line.slice(colon + 1).trim()];
}

function isChunked([name, value]: RawHeaders[number]): boolean {
  return name.toLowerCase() === 'transfer-encoding' && value.toLowerCase() === 'chunked';
}

/** Parses the fields after the last chunk. */
function parseTrailers(framed: string): RawHeaders {
  const [, lines = ''] = /(?:^|\r\n)0+(?:;[^\r\n]*)?\r\n((?:[^\r\n]+\r\n)*)\r\n$/.exec(framed) ?? [];
  return lines.split('\r\n').slice(0, -1).map(parseField);
}

/** Joins the data of chunks, as far as they are whole. */
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

/** A request that announces a body and never sends it. */
export interface StalledRequest extends Outgoing {
  /** Milliseconds to wait for an answer. */
  readonly waitMs: number;
}

const announced = 64;

/** Sends the head of a request and one byte of its body, then nothing more. */
export function sendStalled(
  stalled: StalledRequest,
  signal: AbortSignal,
  tls: https.RequestOptions = {},
): Promise<Received> {
  const url = new URL(stalled.base);
  const { request } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve) => {
    const outgoing = request({
      ...tls,
      // The path is not put through URL, which would tidy it up.
      ...{ protocol: url.protocol, hostname: url.hostname.replace(/^\[|\]$/g, ''), port: url.port },
      method: stalled.method,
      path: `${url.pathname.replace(/\/+$/, '')}${stalled.path}`,
      headers: { ...stalled.headers, 'Content-Type': 'application/json', 'Content-Length': announced },
      agent: false,
    });
    const end = (received: Received) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      outgoing.destroy();
      resolve(received);
    };
    const stop = () => end({ lost: 'the run was stopped' });
    const timer = setTimeout(
      () => end({ lost: `no answer within ${stalled.waitMs / 1000} s` }),
      stalled.waitMs,
    );
    signal.addEventListener('abort', stop, { once: true });
    outgoing.on('error', (error: NodeJS.ErrnoException) => end(describeLostConnection(error.code)));
    outgoing.on('response', (incoming) => {
      const body = new BodyBytes();
      incoming.on('data', (chunk: Buffer) => {
        body.add(chunk);
        if (body.isBeyond) incoming.destroy();
      });
      // The server may close the connection as soon as it has answered; what came by then is the answer.
      incoming.on('close', () => {
        const headers = toPairs(incoming.rawHeaders);
        end({ answer: toAnswer(incoming, decodeBody(body.bytes, headers)) });
      });
    });
    outgoing.write('{');
  });
}
