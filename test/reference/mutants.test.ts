import { afterEach, expect, it } from 'vitest';
import { FREE_MODEL, PAID_MODEL } from '../../reference/models.js';
import { mutants } from '../../reference/mutants.js';
import { startReference } from '../../reference/server.js';
import { variants } from '../../reference/variants.js';
import { onServer, type Stage } from './arrange.js';
import { bearer, type Reply, send } from './send.js';

const running: Stage[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map(({ reference }) => reference.close()));
});

async function withRow(rows: typeof mutants, id: string): Promise<Stage> {
  const row = rows.find((candidate) => candidate.id === id);
  if (row === undefined) throw new Error(`no row ${id}`);
  const stage = onServer(await startReference({ behaviour: row.behaviour }));
  running.push(stage);
  return stage;
}

function read(stage: Stage, path: string, key: string): Promise<Reply> {
  return send(stage.reference.baseUrl, path, { headers: bearer(key) });
}

const AREAS = [
  'vault-delete',
  'secret-name',
  'guardrail-read',
  'key-info',
  'auth',
  'envelope',
  'inference',
  'stream-error',
  'credit-limit',
  'rate-limit',
  'secrecy',
];

it('there is a mutant for every area, and ids are unique', () => {
  expect(new Set(mutants.map(({ id }) => id.split('.')[0]))).toEqual(new Set(AREAS));
  const ids = [...mutants, ...variants].map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

// For each mutant what shows it: its answer and the answer of the conforming server differ.
const SHOWS: Readonly<Record<string, (stage: Stage) => Promise<boolean>>> = {
  'vault-delete.sibling-secret-through-own': async (stage) => {
    await stage.store('sibling', 'token');
    return (await stage.remove('member', 'token')).status === 204 && (await stage.stored()).length === 0;
  },
  'secret-name.accepts-256-characters': async (stage) =>
    (await stage.remove('member', 'a'.repeat(256))).status === 404 &&
    (await stage.remove('member', 'a'.repeat(257))).status === 400,
  'guardrail-read.limit-as-string': async (stage) =>
    (await read(stage, `/guardrails/${stage.world.guardrail_id}`, stage.key('management'))).text.includes(
      '"limit_usd":"50"',
    ),
  'key-info.daily-of-another-key': async (stage) =>
    (await read(stage, '/key', stage.key('member'))).text.includes('"usage_daily":0.5,'),
  'auth.key-case-insensitive': async (stage) =>
    (await read(stage, '/key', stage.key('member').toLowerCase())).status === 200,
  'envelope.vault-404-without-message': async (stage) =>
    (await stage.remove('member', 'token')).text === '{"error":{"code":404}}',
  'inference.model-down-500': async (stage) => {
    await stage.faults('model_down');
    return (await stage.infer('member', PAID_MODEL)).status === 500;
  },
  'stream-error.finish-reason-stop': async (stage) => {
    await stage.faults('mid_stream_error');
    return (await stage.infer('member', PAID_MODEL, true)).text.includes('"finish_reason":"stop"');
  },
  'credit-limit.overdrawn-uses-free-models': async (stage) =>
    (await stage.infer('overdrawn', FREE_MODEL)).status === 200 &&
    (await stage.infer('overdrawn', PAID_MODEL)).status === 402,
  'rate-limit.21-per-minute': async (stage) => {
    const statuses: number[] = [];
    for (let n = 0; n < 22; n++) statuses.push((await stage.infer('member', FREE_MODEL)).status);
    return statuses.indexOf(429) === 21;
  },
  'secrecy.value-in-503-header': async (stage) => {
    await stage.store('own', 'token', 'hush-hush');
    return (await stage.remove('write_disabled', 'token')).rawHeaders.includes('hush-hush');
  },
};

it.each(mutants)('$id does what it says', async ({ id }) => {
  const shows = SHOWS[id];
  if (shows === undefined) throw new Error(`no test shows ${id}`);
  expect(await shows(await withRow(mutants, id))).toBe(true);
  const conformingStage = onServer(await startReference());
  running.push(conformingStage);
  expect(await shows(conformingStage)).toBe(false);
});

it.each(variants)('$id still serves every operation', async ({ id }) => {
  const stage = await withRow(variants, id);
  await stage.store('own', 'token');
  expect((await stage.remove('provisioning', 'token')).status).toBe(401);
  expect((await stage.remove('member', 'Token')).status).toBe(400);
  expect((await stage.remove('member', 'token', { headers: { Host: 'eu.vault.test' } })).status).toBe(403);
  expect((await stage.remove('outsider', 'token')).status).toBe(404);
  expect((await stage.remove('member', 'token')).status).toBe(204);
  expect((await read(stage, '/key', stage.key('member'))).text).toContain('"usage":25.5');
  expect((await read(stage, '/key', '')).status).toBe(401);
  const guardrail = await read(stage, `/guardrails/${stage.world.guardrail_id}`, stage.key('management'));
  expect(guardrail.text).toContain(stage.world.guardrail_id);
  expect((await stage.infer('member', FREE_MODEL)).status).toBe(200);
  await stage.faults('mid_stream_error');
  expect((await stage.infer('member', PAID_MODEL, true)).text).toContain('"finish_reason":"error"');
});

it('variants show their difference', async () => {
  const problem = await withRow(variants, 'problem-json');
  const refused = await problem.remove('member', 'token');
  expect(refused.headers['content-type']).toBe('application/problem+json; charset=utf-8');
  const closed = await withRow(variants, 'connection-closed');
  expect((await closed.remove('member', 'token')).headers.connection).toBe('close');
  const more = await withRow(variants, 'more-members');
  expect((await more.remove('member', 'token')).rawHeaders).toContain('x-REQUEST-id');
  expect((await more.remove('member', 'token')).text).toContain('x_more');
  const reversed = await withRow(variants, 'gates-reversed');
  expect((await reversed.remove('provisioning', 'Token')).status).toBe(400);
  const everywhere = await withRow(variants, 'regional-everywhere');
  const headers = { ...bearer(everywhere.key('member')), Host: 'eu.vault.test' };
  expect((await send(everywhere.reference.baseUrl, '/key', { headers })).status).toBe(403);
  const inBand = await withRow(variants, 'stream-refusals-in-band');
  await inBand.faults('model_down');
  const streamed = await inBand.infer('member', PAID_MODEL, true);
  expect([streamed.status, streamed.text.includes('"code":502')]).toEqual([200, true]);
  const sparse = await withRow(variants, 'sparse-guardrail');
  const path = `/guardrails/${sparse.world.guardrail_id}`;
  expect((await read(sparse, path, sparse.key('management'))).text).not.toContain('limit_usd');
  const delayed = await withRow(variants, 'answers-delayed');
  const begun = performance.now();
  await delayed.remove('member', 'token');
  expect(performance.now() - begun).toBeGreaterThanOrEqual(4);
});
