import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Client } from '../../targets/client.js';
import { type Listening, listening } from './listening.js';

let client: Client;
let server: Listening | undefined;
beforeEach(() => {
  client = new Client({ concurrency: 3, timeoutMs: 2_000 });
});
afterEach(async () => {
  client.close();
  await server?.close();
});

it('a request goes out as it stands: method, path, header fields, body', async () => {
  const path = '/a%zz/../b//%2F?x=%00';
  server = await listening((request, response) => {
    const chunks: Buffer[] = [];
    const { method, url, headers } = request;
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () =>
      response.end(
        JSON.stringify([method, url, headers.host, headers['x-a'], String(Buffer.concat(chunks))]),
      ),
    );
  });
  const { answer } = await client.send({
    method: 'DELETE',
    base: server.base,
    path,
    headers: { Host: 'EU.vault.test:443', 'X-A': '1', 'Content-Type': 'application/json' },
    body: '{"a":',
  });
  expect(JSON.parse(answer?.text ?? '')).toEqual(['DELETE', path, 'EU.vault.test:443', '1', '{"a":']);
});

it('no more requests than the concurrency are in flight, those sent by other means included', async () => {
  let inFlight = 0;
  let most = 0;
  const passed: number[] = [];
  server = await listening(async (_request, response) => {
    inFlight += 1;
    most = Math.max(most, inFlight);
    await sleep(5);
    inFlight -= 1;
    response.end();
  });
  const { base } = server;
  const requests = Array.from({ length: 30 }, async (_, at) => {
    const outgoing = { method: 'GET', base, path: '/', headers: {} };
    if (at % 3 === 0) await client.occupy(async () => passed.push((await fetch(base)).status));
    else await client.send(outgoing);
  });
  await Promise.all(requests);
  expect(most).toBe(3);
  expect(passed).toHaveLength(10);
  expect(client.sent).toBe(30);
});

it('once the signal is aborted nothing goes out, and what is under way ends', async () => {
  const stop = new AbortController();
  server = await listening(() => setTimeout(() => stop.abort('enough'), 20));
  const outgoing = { method: 'GET', base: server.base, path: '/', headers: {} };
  expect(await client.send(outgoing, stop.signal)).toEqual({ lost: 'the run was stopped' });
  await expect(client.send(outgoing, stop.signal)).rejects.toBe('enough');
  expect(client.sent).toBe(1);
});
