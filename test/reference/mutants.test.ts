import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { FREE_MODEL, PAID_MODEL } from '../../reference/inference.js';
import { behaviourWith } from '../../reference/mutation.js';
import { startReference } from '../../reference/server.js';
import { variants } from '../../reference/variants.js';
import { bearer, onServer, type Reply, type Stage, send } from './arrange.js';

const running: Stage[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map(({ reference }) => reference.close()));
});

async function withRow(id: string, now: () => number = Date.now): Promise<Stage> {
  const row = variants.find((candidate) => candidate.id === id);
  if (row === undefined) throw new Error(`no row ${id}`);
  const stage = onServer(await startReference({ behaviour: behaviourWith(row.mutation), now }));
  running.push(stage);
  return stage;
}

function read(stage: Stage, path: string, key: string): Promise<Reply> {
  return send(stage.reference.baseUrl, path, { headers: bearer(key) });
}

/** Variants that refuse everything for a while, which is over 600 ms after the first request. */
const BREAKING_OFF: readonly string[] = ['noise-restart', 'noise-slow-start'];

/** Variants whose stream does not end after the in-band error, or ends with the connection lost. */
const ENDLESS: readonly string[] = ['stream-never-closed', 'stream-cut-after-error'];

const serving = variants.filter(({ id }) => !/-down(-with-a-key)?$/.test(id));

it.each(serving)('$id still serves every operation', async ({ id }) => {
  const stage = await withRow(id);
  await stage.store('own', 'token');
  if (BREAKING_OFF.includes(id)) {
    await keyRead(stage);
    await wait(600);
  }
  expect((await stage.remove('provisioning', 'token')).status).toBe(401);
  expect((await stage.remove('member', 'Token')).status).toBe(400);
  expect((await stage.remove('member', 'token', { headers: { Host: 'eu.vault.test' } })).status).toBe(403);
  expect((await stage.remove('outsider', 'token')).status).toBe(404);
  expect((await stage.remove('member', 'token')).status).toBe(204);
  const information = await keyRead(stage);
  expect(dataOf(information)).toMatchObject({ usage: 25.5, limit_remaining: 74.5 });
  expect((await read(stage, '/key', '')).status).toBe(401);
  const guardrail = await read(stage, `/guardrails/${stage.world.guardrail_id}`, stage.key('management'));
  expect(guardrail.status).toBe(200);
  expect(dataOf(guardrail)).toBeTypeOf('object');
  expect((await stage.infer('member', FREE_MODEL)).status).toBe(200);
  if (ENDLESS.includes(id)) return;
  await stage.faults('mid_stream_error');
  const broken = await stage.infer('member', PAID_MODEL, true);
  expect(eventsOf(broken)).toContainEqual(
    expect.objectContaining({ choices: [expect.objectContaining({ finish_reason: 'error' })] }),
  );
});

function keyRead(stage: Stage): Promise<Reply> {
  return read(stage, '/key', stage.key('member'));
}

function dataOf({ text }: Reply): unknown {
  return (JSON.parse(text) as { data?: unknown }).data;
}

/** The JSON chunks of a stream, whatever its line ends, and however many data lines one has. */
function eventsOf({ text }: Reply): readonly unknown[] {
  const events = text.replace(/\r\n?/g, '\n').split('\n\n');
  return events.flatMap((event) => {
    const lines = event.split('\n').filter((line) => /^\ufeff?data:/.test(line));
    const data = lines.map((line) => line.replace(/^\ufeff?data:/, '')).join('\n');
    return data.trim().startsWith('{') ? [JSON.parse(data) as unknown] : [];
  });
}

it('variants show their difference', async () => {
  const problem = await withRow('problem-json');
  const refused = await problem.remove('member', 'token');
  expect(refused.headers['content-type']).toBe('application/problem+json; charset=utf-8');
  const closed = await withRow('connection-closed');
  expect((await closed.remove('member', 'token')).headers.connection).toBe('close');
  const more = await withRow('more-members');
  expect((await more.remove('member', 'token')).rawHeaders).toContain('x-REQUEST-id');
  expect((await more.remove('member', 'token')).text).toContain('x_more');
  const reversed = await withRow('gates-reversed');
  expect((await reversed.remove('provisioning', 'Token')).status).toBe(400);
  const everywhere = await withRow('regional-everywhere');
  const headers = { ...bearer(everywhere.key('member')), Host: 'eu.vault.test' };
  expect((await send(everywhere.reference.baseUrl, '/key', { headers })).status).toBe(403);
  const inBand = await withRow('stream-refusals-in-band');
  await inBand.faults('model_down');
  const streamed = await inBand.infer('member', PAID_MODEL, true);
  expect([streamed.status, streamed.text.includes('"code":502')]).toEqual([200, true]);
  const sparse = await withRow('sparse-guardrail');
  const path = `/guardrails/${sparse.world.guardrail_id}`;
  expect((await read(sparse, path, sparse.key('management'))).text).not.toContain('limit_usd');
  const delayed = await withRow('answers-delayed');
  const begun = performance.now();
  await delayed.remove('member', 'token');
  expect(performance.now() - begun).toBeGreaterThanOrEqual(4);
});

it('a variant that makes noise makes it at its number, and not in between', async () => {
  const noisy = await withRow('noise-503');
  const statuses: number[] = [];
  for (let n = 0; n < 120; n++) statuses.push((await keyRead(noisy)).status);
  expect(statuses.flatMap((status, at) => (status === 200 ? [] : [[at + 1, status]]))).toEqual([
    [60, 503],
    [120, 503],
  ]);
});

it.each([
  ['limited-to-100-a-second', 20, { error: { code: 429, message: 'Too many requests' } }],
  ['limited-by-a-gateway', 20, { message: 'Too Many Requests' }],
  ['limited-vault-of-a-workspace', 15, { error: { code: 429 } }],
] as const)('%s serves %i requests at once and refuses more, in words of its own', async (id, most, body) => {
  const stage = await withRow(id, () => 0);
  const ask = () => (id.includes('vault') ? stage.remove('member', 'token') : keyRead(stage));
  const replies = await Promise.all(Array.from({ length: 50 }, ask));
  const refused = replies.filter(({ status }) => status === 429);
  expect(replies.length - refused.length).toBe(most);
  for (const { text } of refused) expect(JSON.parse(text)).toMatchObject(body);
});

it.each([
  ['vault-delete-down', 503],
  ['vault-delete-down-with-a-key', 502],
  ['guardrail-read-down', 500],
  ['key-read-down', 503],
] as const)('%s answers %i in the envelope, and serves the rest', async (id, status) => {
  const stage = await withRow(id);
  await stage.store('own', 'token');
  const replies = [
    await stage.remove('member', 'token'),
    await read(stage, `/guardrails/${stage.world.guardrail_id}`, stage.key('management')),
    await keyRead(stage),
  ];
  const down = replies.filter((reply) => reply.status === status);
  expect(down.map(({ text }): unknown => JSON.parse(text))).toMatchObject([
    { error: { code: status, message: expect.any(String) } },
  ]);
  expect(replies.filter((reply) => reply.status < 300)).toHaveLength(2);
});
