import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { FAULTS, FEATURES, SCOPES } from '../../reference/vocabulary.js';
import { ROLES } from '../../reference/world.js';
import { WorldStore } from '../../reference/world-store.js';
import { arrange, bearer, json, type Reply, send } from './arrange.js';

function expectControlError(reply: Reply, status: number): void {
  expect(reply.status, reply.text).toBe(status);
  expect(JSON.parse(reply.text)).toEqual({ error: expect.stringMatching(/./) });
}

it('the control answers with its capabilities', async () => {
  const fixture = await arrange();
  for (const path of ['', '/']) {
    const capabilities = JSON.parse((await fixture.control('GET', path)).text);
    expect(capabilities).toMatchObject({ protocol: '1', base_url: fixture.reference.baseUrl });
    expect(capabilities).toMatchObject({ roles: ROLES, faults: FAULTS, features: FEATURES, scopes: SCOPES });
  }
});

it('the control opens worlds of their own and deletes them for good', async () => {
  const fixture = await arrange();
  const reply = await fixture.control('POST', '/worlds', { label: 'one' });
  expect(reply.status).toBe(201);
  const world = JSON.parse(reply.text) as typeof fixture.world;
  expect(Object.keys(world).sort()).toEqual(['guardrail_id', 'id', 'interns', 'keys', 'workspace_id']);
  expect(Object.keys(world.keys).sort()).toEqual([...ROLES].sort());
  const texts = [...Object.values(world.keys), ...Object.values(fixture.world.keys)];
  expect(new Set(texts).size).toBe(2 * ROLES.length);
  for (const text of texts) expect(text).toMatch(/^sk-[A-Za-z0-9]{48}$/);
  expect(fixture.reference.worldCount()).toBe(2);

  expect((await fixture.control('DELETE', `/worlds/${world.id}`)).status).toBe(204);
  expect((await fixture.control('DELETE', `/worlds/${world.id}`)).status).toBe(204);
  expect(fixture.reference.worldCount()).toBe(1);
  const headers = bearer(world.keys.member ?? '');
  expect((await send(fixture.reference.baseUrl, '/key', { headers })).status).toBe(401);
  expectControlError(await fixture.control('GET', `/worlds/${world.id}/secrets`), 404);
});

it('the control lists secrets without their values', async () => {
  const fixture = await arrange();
  await fixture.store('foreign', 'a', 'hush-hush');
  await fixture.store('workspace', 'b', '');
  const reply = await fixture.control('GET', `/worlds/${fixture.world.id}/secrets`);
  const listed = Object.entries({ workspace: 'b', foreign: 'a' });
  expect(JSON.parse(reply.text)).toEqual({ secrets: listed.map(([scope, name]) => ({ scope, name })) });
});

it('the control refuses what it does not know', async () => {
  const fixture = await arrange();
  const world = `/worlds/${fixture.world.id}`;
  const free = { role: 'member', minute: 1, day: 1 };
  const refused: [string, string, unknown, number][] = [
    ['PUT', '/worlds/none/secrets/own/a', { value: '' }, 404],
    ['GET', '/worlds/none/secrets', undefined, 404],
    ['PUT', `${world}/secrets/elsewhere/a`, { value: '' }, 400],
    ['PUT', `${world}/secrets/own/A`, { value: '' }, 400],
    ['PUT', `${world}/secrets/own/a`, { value: 1 }, 400],
    ['PUT', `${world}/secrets/own/%ZZ`, { value: '' }, 400],
    ['PUT', `${world}/keys/king/info`, {}, 400],
    ['PUT', `${world}/keys/member/info`, [], 400],
    ['PUT', `${world}/faults`, { faults: ['flood'] }, 400],
    ['PUT', `${world}/faults`, {}, 400],
    ['PUT', `${world}/free-usage`, { ...free, minute: -1 }, 400],
    ['PUT', `${world}/free-usage`, { ...free, day: 'x' }, 400],
    ['PUT', `${world}/credit`, { role: 'king', balance: 1 }, 400],
    ['PUT', `${world}/credit`, { role: 'member' }, 400],
    ['PUT', `${world}/credit`, { role: 'member', balance: '1' }, 400],
    ['PUT', `${world}/credit`, { role: 'member', balance: 1, limit_remaining: 1 }, 400],
    ['PUT', `${world}/usage`, { role: 'member' }, 400],
    ['PUT', `${world}/usage`, { role: 'member', records: [1] }, 400],
    ['PUT', `${world}/usage`, { role: 'member', records: [{ at: 'x', credits: 1, byok: 0 }] }, 400],
    ['POST', '/worlds', {}, 400],
    ['GET', '/elsewhere', undefined, 404],
  ];
  for (const [method, path, body, status] of refused) {
    expectControlError(await fixture.control(method, path, body), status);
  }
  const malformed = { method: 'POST', headers: json({}).headers, body: '{' };
  expectControlError(await send(fixture.reference.controlUrl, '/worlds', malformed), 400);
});

it('the control refuses every call without its token', async () => {
  const fixture = await arrange({ controlToken: 'open-sesame' });
  const { controlUrl } = fixture.reference;
  for (const [method, path] of Object.entries({ GET: '', DELETE: `/worlds/${fixture.world.id}` })) {
    expectControlError(await fixture.control(method, path), 401);
    expectControlError(await send(controlUrl, path, { method, headers: bearer('open') }), 401);
  }
  expect(fixture.reference.worldCount()).toBe(1);
  expect((await send(controlUrl, '', { headers: bearer('open-sesame') })).status).toBe(200);
});

it('the control offers only the capabilities that it is given', async () => {
  const lists = { roles: ['member'], faults: [], features: [], scopes: [] } as const;
  const fixture = await arrange({
    capabilities: { ...lists, inference: false, regional: false, blockedOrigin: false },
  });
  const told = JSON.parse((await fixture.control('GET', '')).text);
  expect(told).toEqual({ protocol: '1', base_url: fixture.reference.baseUrl, ...lists });
  expect(Object.keys(fixture.world.keys)).toEqual(['member']);
  const world = `/worlds/${fixture.world.id}`;
  const role = 'member';
  const puts = {
    ...{ 'secrets/own/a': { value: '' }, 'keys/member/info': {}, guardrail: {}, faults: { faults: [] } },
    ...{
      'free-usage': { role, minute: 0, day: 0 },
      credit: { role, balance: 0 },
      usage: { role, records: [] },
    },
  };
  for (const [path, body] of Object.entries(puts))
    expectControlError(await fixture.control('PUT', `${world}/${path}`, body), 404);
  expectControlError(await fixture.control('GET', `${world}/secrets`), 404);
  const inference = { method: 'POST', headers: bearer(fixture.key('member')) };
  expect((await send(fixture.reference.baseUrl, '/chat/completions', inference)).status).toBe(404);
});

it('the control refuses a role or a fault that is not offered', async () => {
  const fixture = await arrange({ capabilities: { roles: ['member'], faults: ['model_down'] } });
  const world = `/worlds/${fixture.world.id}`;
  expectControlError(await fixture.control('PUT', `${world}/keys/management/info`, {}), 400);
  expectControlError(await fixture.control('PUT', `${world}/faults`, { faults: ['no_provider'] }), 400);
  expect((await fixture.control('PUT', `${world}/faults`, { faults: ['model_down'] })).status).toBe(204);
});

const MEGABYTE = 1_048_576;

it('2,000 worlds opened and deleted leave nothing behind', () => {
  const store = new WorldStore({ ttlMs: 1000, roles: ROLES, now: Date.now, elapsed: Date.now });
  const cycle = (count: number): void => {
    for (let n = 0; n < count; n++) {
      const world = store.open('many');
      world.secrets.own.set('token', 'x'.repeat(100));
      world.keys.get('member')?.usage.add(Date.now());
      store.delete(world.id);
    }
  };
  cycle(500);
  const before = heapInUse();
  cycle(2_000);
  expect([...store.worlds(), ...store.keys()]).toEqual([]);
  // Kept worlds would take more than 10 MB.
  expect(heapInUse() - before).toBeLessThan(5 * MEGABYTE);
});

function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  collect();
  return process.memoryUsage().heapUsed;
}
