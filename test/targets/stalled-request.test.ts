import type { RequestListener } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import type { Received } from '../../targets/client.js';
import { sendStalled } from '../../targets/stalled-request.js';
import { type Listening, listening } from './listening.js';

let server: Listening | undefined;
afterEach(() => server?.close());

async function received(answer: RequestListener, signal = new AbortController().signal): Promise<Received> {
  server = await listening(answer);
  const base = `${server.base}/v1/`;
  return await sendStalled(
    { method: 'DELETE', base, path: '/a%zz', headers: { 'X-A': 'b' }, waitMs: 200 },
    signal,
  );
}

it('announces a body and sends one byte of it', async () => {
  const { answer } = await received((request, response) => {
    request.once('data', (bytes: Buffer) => {
      response.end(
        JSON.stringify([
          request.url,
          request.headers['content-length'],
          request.headers['x-a'],
          String(bytes),
        ]),
      );
    });
  });
  expect(JSON.parse(answer?.text ?? '')).toEqual(['/v1/a%zz', '64', 'b', '{']);
});

it.each([
  ['keeps the connection', {}],
  ['closes the connection', { Connection: 'close' }],
])('takes the answer of a server that %s', async (_name, headers) => {
  const start = performance.now();
  const { answer } = await received((_request, response) => response.writeHead(408, headers).end('late'));
  expect(answer).toMatchObject({ status: 408, text: 'late', truncated: false });
  expect(performance.now() - start).toBeLessThan(190);
});

it('takes an answer without a body', async () => {
  const { answer } = await received((_request, response) => response.writeHead(204).end());
  expect(answer).toMatchObject({ status: 204, text: '' });
});

it('takes what came of an answer before its connection was closed', async () => {
  const { answer } = await received((_request, response) => {
    response.writeHead(408, { 'Content-Length': 9 }).write('late');
    setTimeout(() => response.socket?.destroy(), 20);
  });
  expect(answer).toMatchObject({ status: 408, text: 'late' });
});

it('waits as long as it was told', async () => {
  const start = performance.now();
  expect(await received(() => undefined)).toEqual({ lost: 'no answer within 0.2 s' });
  expect(performance.now() - start).toBeGreaterThan(190);
});

it('says when the connection was lost', async () => {
  expect(await received((request) => request.socket.resetAndDestroy())).toEqual({
    lost: 'connection lost (ECONNRESET)',
    errorCode: 'ECONNRESET',
  });
});

it('ends when the run is stopped', async () => {
  const stop = new AbortController();
  expect(await received(() => stop.abort(), stop.signal)).toEqual({ lost: 'the run was stopped' });
});
