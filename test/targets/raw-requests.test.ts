import type { OutgoingHttpHeaders, RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import type { Received } from '../../targets/client.js';
import { sendRaw, sendSlowly } from '../../targets/raw-requests.js';
import { startRawServer, startServer } from '../servers.js';

const stop = new AbortController();

async function receiveRaw(answer: (socket: Socket, request: string) => unknown, path = '/x') {
  const base = `${await startRawServer(answer)}/v1/`;
  const outgoing = { method: 'DELETE', base, path, headers: { 'X-A': 'b' } };
  return await sendRaw(outgoing, stop.signal);
}

it('a raw request returns the answer after interim ones and every byte behind its head, in however many pieces', async () => {
  const framed = '2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\nX-B: 1\r\n\r\n';
  const { received: got, rest } = await receiveRaw(async (socket) => {
    const interim = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n';
    const head = 'HTTP/1.1 204 Gone\r\nX-A: b: c\r\nTransfer-Encoding:chunked\r\n\r';
    for (const piece of [`${interim}HTTP/1.1 204 G`, head.slice(14), `\n${framed.slice(0, 9)}`]) {
      socket.write(piece);
      await sleep(10);
    }
    socket.end(framed.slice(9));
  });
  expect(got.answer).toEqual({
    ...{ status: 204, reasonPhrase: 'Gone', text: 'hello', truncated: false, trailers: [['X-B', '1']] },
    headers: [
      ['X-A', 'b: c'],
      ['Transfer-Encoding', 'chunked'],
    ],
  });
  expect(rest).toBe(framed);
});

const incomplete = { lost: 'no complete answer' };
const reset = { lost: 'connection lost (ECONNRESET)', errorCode: 'ECONNRESET' };

it.each<readonly [what: string, answer: (socket: Socket) => unknown, got: object]>([
  ['nothing as an incomplete answer', (socket) => socket.end(), incomplete],
  ['half a head as one', (socket) => socket.end('HTTP/1.1 204 No Content\r\nA: b\r\n'), incomplete],
  ['an interim answer alone as one', (socket) => socket.end('HTTP/1.1 100 Continue\r\n\r\n'), incomplete],
  ['something else than HTTP as one', (socket) => socket.end('hello\r\n\r\n'), incomplete],
  ['a lost connection', (socket) => socket.resetAndDestroy(), reset],
])('a raw request reports %s', async (_what, answer, got) => {
  expect((await receiveRaw(answer)).received).toEqual(got);
});

it('a raw request waits at most two seconds for a server that keeps the connection', async () => {
  const start = performance.now();
  const { received, rest } = await receiveRaw((socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n'));
  expect([received.answer?.status, rest]).toEqual([204, '']);
  expect(performance.now() - start).toBeLessThan(20_000);
});

it('a raw request sends its path unchanged and asks to close the connection', async () => {
  const requests: string[] = [];
  await receiveRaw((socket, request) => {
    requests.push(request);
    socket.end('HTTP/1.1 204 No Content\r\n\r\n');
  }, '/a%zz/../b');
  expect(requests[0]?.split('\r\n')).toEqual([
    'DELETE /v1/a%zz/../b HTTP/1.1',
    expect.stringMatching(/^Host: 127\.0\.0\.1:\d+$/),
    'X-A: b',
    'Connection: close',
    '',
    '',
  ]);
});

async function receiveStalled(
  answer: RequestListener,
  signal = new AbortController().signal,
  announcement: Readonly<Record<string, string>> = { 'Content-Length': '64' },
): Promise<Received> {
  const base = `${await startServer(answer)}/v1/`;
  return await sendSlowly(
    { method: 'DELETE', base, path: '/a%zz', headers: { 'X-A': 'b', ...announcement }, waitMs: 1_000 },
    signal,
  );
}

const answerLate =
  (headers: OutgoingHttpHeaders, body: string | Buffer = 'late'): RequestListener =>
  (_request, response) =>
    response.writeHead(408, headers).end(body);

it.each([
  [{ 'Content-Length': '64' }, '/v1/a%zz 64 undefined b {'],
  [{ 'Transfer-Encoding': 'chunked' }, '/v1/a%zz undefined chunked b {'],
])('a stalled request announces a body by %o and sends one byte of it', async (announcement, text) => {
  const words = ['content-length', 'transfer-encoding', 'x-a'];
  const { answer } = await receiveStalled(
    (request, response) => {
      const told = words.map((name) => request.headers[name]).map(String);
      request.once('data', (bytes: Buffer) => response.end([request.url, ...told, bytes].join(' ')));
    },
    undefined,
    announcement,
  );
  expect(answer?.text).toBe(text);
});

it.each([
  ['keeps the connection', {}],
  ['closes the connection', { Connection: 'close' }],
])('a stalled request accepts the answer of a server that %s', async (_name, headers) => {
  const start = performance.now();
  const { answer } = await receiveStalled(answerLate(headers));
  expect(answer).toMatchObject({ status: 408, text: 'late', truncated: false });
  expect(performance.now() - start).toBeLessThan(900);
});

it('a stalled request keeps the part of an answer that arrived before the connection closed', async () => {
  const { answer } = await receiveStalled((_request, response) => {
    response.writeHead(408, { 'Content-Length': 9 }).write('late');
    setTimeout(() => response.socket?.destroy(), 20);
  });
  expect(answer).toMatchObject({ status: 408, text: 'late' });
});

// Neither request says which encodings it takes, so that any is right.
it.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
])('an answer in the encoding %s is decoded by raw and stalled requests', async (coding, encode) => {
  const stalled = await receiveStalled(answerLate({ 'Content-Encoding': coding }, encode('late')));
  expect(stalled.answer?.text).toBe('late');
  const { received } = await receiveRaw((socket) => {
    socket.write(`HTTP/1.1 408 Request Timeout\r\nContent-Encoding: ${coding}\r\n\r\n`);
    socket.end(encode('late'));
  });
  expect(received.answer?.text).toBe('late');
});

it('an answer that is not in the encoding that it names is kept as it is', async () => {
  const { answer } = await receiveStalled(answerLate({ 'Content-Encoding': 'gzip' }));
  expect(answer?.text).toBe('late');
});

it('a stalled request waits as long as its timeout', async () => {
  const start = performance.now();
  expect(await receiveStalled(() => undefined)).toEqual({ lost: 'no answer within 1 s' });
  expect(performance.now() - start).toBeGreaterThan(190);
});

it('a stalled request ends when the connection is lost', async () => {
  expect(await receiveStalled((request) => request.socket.resetAndDestroy())).toEqual(reset);
});

it('raw and stalled requests end when the run is stopped', async () => {
  const [one, other] = [new AbortController(), new AbortController()];
  const base = await startRawServer(() => one.abort());
  const { received } = await sendRaw({ method: 'GET', base, path: '/', headers: {} }, one.signal);
  const stalled = await receiveStalled(() => other.abort(), other.signal);
  expect([received, stalled]).toEqual(Array(2).fill({ lost: 'the run was stopped' }));
});
