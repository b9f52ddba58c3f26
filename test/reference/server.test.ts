import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { startReference } from '../../reference/server.js';
import { behaveAsMutant, behaveAsVariant } from '../behaviours.js';
import { serveReference } from '../servers.js';
import { arrange, bearer, exchangeRaw, expectEnvelope, send } from './arrange.js';

it('an unknown route or method gets an envelope', async () => {
  const reference = await serveReference();
  const origin = new URL(reference.baseUrl).origin;
  for (const path of ['/v1/', '/v1/keys', '/v1/KEY', '/v1/key/', '/v2/key', '/nothing']) {
    expectEnvelope(await send(origin, path), 404);
  }
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    expectEnvelope(await send(reference.baseUrl, '/key', { method }), 405);
    expectEnvelope(await send(reference.baseUrl, '/guardrails/1', { method }), 405);
  }
  expectEnvelope(await send(reference.baseUrl, '/%ZZ/%'), 404);
  expectEnvelope(await send(reference.baseUrl, '/guardrails/%ZZ'), 400);
});

it('bytes that are not HTTP get an envelope', async () => {
  const reference = await serveReference();
  for (const bytes of ['NONSENSE\r\n\r\n', 'GET /v1/key HTTP/1.1\r\nConnection: close\r\n\r\n']) {
    const reply = await exchangeRaw(reference, bytes);
    expect(reply).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(JSON.parse(reply.slice(reply.indexOf('\r\n\r\n')))).toMatchObject({ error: { code: 400 } });
  }
});

it('an internal error gets 500 and reveals nothing', async () => {
  const broken = (): never => {
    throw new Error('the inside');
  };
  const reference = await serveReference({ behaviour: { keyInformation: broken } });
  const headers = bearer(reference.openWorld('x').keys.member ?? '');
  const reply = await send(reference.baseUrl, '/key', { headers });
  expectEnvelope(reply, 500);
  expect(reply.text).not.toContain('inside');
});

it.each([
  ['503-header', 'vault_writes_disabled', 503],
  ['503-reason-phrase', 'vault_writes_disabled', 503],
  ['502-trailer', 'vault_bad_response', 502],
])('a value that no header may have is answered all the same in a %s', async (mutant, fault, status) => {
  const behaviour = behaveAsMutant(`secrecy.value-in-${mutant}`);
  const { world, reference, key, store, control } = await arrange({ behaviour });
  await store('own', 'lines', '\r\nsecond\r\n');
  await control('PUT', `/worlds/${world.id}/faults`, { faults: [fault] });
  const path = `/vault/interns/${world.interns.own}/secrets/lines`;
  const headers = bearer(key('member'));
  expectEnvelope(await send(reference.baseUrl, path, { method: 'DELETE', headers }), status);
});

const inPieces = ['chunked-answers', 'body-byte-by-byte', 'head-in-pieces'];
it.each(inPieces)('the variant %s keeps characters of several bytes whole', async (variant) => {
  const { world, reference, key, control } = await arrange({ behaviour: behaveAsVariant(variant) });
  const headers = bearer(key('management'));
  for (const description of ['\u{1f511}'.repeat(30), `x${'\u{1f511}'.repeat(30)}`]) {
    await control('PUT', `/worlds/${world.id}/guardrail`, { description });
    const { text } = await send(reference.baseUrl, `/guardrails/${world.guardrail_id}`, { headers });
    expect(JSON.parse(text)).toMatchObject({ data: { description } });
  }
});

it('an absolute target names the host', async () => {
  const bytes = 'GET http://eu.vault.test/v1/vault/x HTTP/1.1\r\nHost: other\r\nConnection: close\r\n\r\n';
  expect(await exchangeRaw(await serveReference(), bytes)).toMatch(/^HTTP\/1\.1 403 /);
});

it('worlds expire with their keys', async () => {
  let now = 1_000_000;
  const reference = await serveReference({ worldTtlMs: 1000, now: () => now });
  const world = reference.openWorld('x');
  const headers = bearer(world.keys.member ?? '');
  now += 999;
  expect((await send(reference.baseUrl, '/key', { headers })).status).toBe(200);
  now += 1;
  expectEnvelope(await send(reference.baseUrl, '/key', { headers }), 401);
  expect((await send(reference.controlUrl, `/worlds/${world.id}/secrets`)).status).toBe(404);
  expect(reference.worldCount()).toBe(0);
});

it('closing a server ends its open connections at once', async () => {
  const reference = await startReference();
  const { port, hostname } = new URL(reference.baseUrl);
  const socket = connect(Number(port), hostname);
  socket.write('GET /v1/key HTTP/1.1\r\nHost: h\r\n\r\n');
  await once(socket, 'data');
  const ended = once(socket, 'close');
  const begun = performance.now();
  await Promise.all([reference.close(), ended]);
  expect(performance.now() - begun).toBeLessThan(4_000);
  await expect(fetch(`${reference.baseUrl}/key`)).rejects.toThrow();
});

it('the mutant of another week gives the time of a Wednesday noon', async () => {
  const behaviour = behaveAsMutant('key-info.week-from-sunday');
  const sundayNight = Date.parse('2026-11-22T23:55:00Z');
  const reference = await serveReference({ behaviour, now: () => sundayNight });
  const { headers } = await send(reference.baseUrl, '/key');
  expect(headers.date).toBe('Wed, 18 Nov 2026 12:00:00 GMT');
});
