import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, test } from 'vitest';
import type { JudgingContext } from '../../judge/check.js';
import type { Attempt } from '../../judge/finding.js';
import { maxWorlds, vaultRequestsPerWorld } from '../../judge/run-limits.js';
import { findViolatedRow, WorldAudit } from '../../judge/world-audit.js';
import { WorldPool } from '../../judge/world-pool.js';
import { worldStateCheck } from '../../judge/world-state-check.js';
import { ControlError } from '../../targets/control-client.js';
import type { Exchange } from '../../targets/exchange.js';
import type { Target } from '../../targets/target.js';
import type { World } from '../../targets/world.js';
import { WorldState } from '../../targets/world-state.js';
import { sampleAttempt, sampleExchange } from './samples.js';

const { signal } = new AbortController();
const clean = sampleAttempt();

function worldMaker() {
  const seen = { open: 0, mostOpen: 0, opened: 0 };
  const close = async () => {
    await sleep(1);
    seen.open -= 1;
  };
  const openWorld = async (): Promise<World> => {
    const id = `w${++seen.opened}`;
    seen.mostOpen = Math.max(seen.mostOpen, ++seen.open);
    await sleep(1);
    return { id, close } as World;
  };
  return { seen, target: { controlled: true, openWorld } as unknown as Target };
}

it('attempts that each need two worlds never block one another', async () => {
  const { seen, target } = worldMaker();
  const pool = new WorldPool(target, signal);
  const attempt = async (at: number): Promise<void> => {
    const first = await pool.lease({ label: 'first', pool: at % 3 === 0 ? 'free-usage' : 'plain' });
    await sleep(2);
    const second = await pool.lease({ label: 'second', isSecond: true });
    await sleep(1);
    await Promise.all([first.release(clean), second.release(clean)]);
  };
  await Promise.all(Array.from({ length: 200 }, (_, at) => attempt(at)));
  await pool.closeUnused();
  expect(seen.open).toBe(0);
  expect(seen.mostOpen).toBeLessThanOrEqual(maxWorlds);
});

it('a world is reused up to its limit of requests, and never after an error', async () => {
  const { target } = worldMaker();
  const pool = new WorldPool(target, signal);
  const use = async (made: Attempt | undefined, request: object = {}): Promise<string> => {
    const lease = await pool.lease({ label: 'x', pool: 'plain', vaultRequests: 20, ...request });
    await lease.release(made);
    return lease.world.id;
  };
  const full = { ...clean, vaultRequests: 20 };
  expect([await use(full), await use(full), await use(full)]).toEqual(['w1', 'w1', 'w2']);
  expect(await use(clean, { vaultRequests: 10 }), 'the fullest that has room').toBe('w1');
  expect(await use({ ...clean, disturbed: 'it was lost' })).toBe('w2');
  expect([await use(undefined), await use(clean)]).toEqual(['w3', 'w4']);
  expect([await use(clean, { pool: 'spoiled' }), await use(clean)]).toEqual(['w5', 'w4']);
  expect([await use(clean, { pool: 'settings' }), await use(clean)]).toEqual(['w4', 'w6']);
  expect([await use(clean, { pool: undefined }), await use(clean)]).toEqual(['w7', 'w6']);
});

it('whoever needs a whole world gets none in which a case was broken off before its first delete', async () => {
  const { target } = worldMaker();
  const pool = new WorldPool(target, signal);
  const request = { label: 'x', pool: 'spoiled', vaultRequests: vaultRequestsPerWorld } as const;
  const lease = await pool.lease(request);
  await lease.release({ ...clean, vaultRequests: 0 });
  expect((await pool.lease(request)).world.id).not.toBe(lease.world.id);
});

it('everyone who waits for a world stops waiting when the run ends', async () => {
  const { target } = worldMaker();
  const stop = new AbortController();
  const pool = new WorldPool(target, stop.signal);
  const leases = Array.from({ length: 60 }, () => pool.lease({ label: 'x' }));
  await sleep(20);
  stop.abort('out of time');
  const ended = await Promise.allSettled(leases);
  const refused = ended.flatMap((lease) => (lease.status === 'rejected' ? [lease.reason] : []));
  expect(new Set(refused)).toEqual(new Set(['out of time']));
  expect(refused.length).toBeGreaterThanOrEqual(60 - maxWorlds);
});

it('a world that is closed to make room is audited before the idle worlds are given back', async () => {
  const { target } = worldMaker();
  let audited = 0;
  const audit = async () => {
    await sleep(50);
    audited += 1;
  };
  const pool = new WorldPool(target, signal, audit);
  const lease = (from: 'plain' | 'faulty') => pool.lease({ label: 'x', pool: from, user: 'x' });
  const idle = await lease('plain');
  const used: Promise<unknown>[] = Array.from({ length: maxWorlds }, () => lease('faulty'));
  await idle.release(clean);
  await pool.closeUnused();
  expect(audited).toBe(1);
  await Promise.race(used);
});

it('a control that stops answering is asked for worlds ever more slowly, until it answers again', async () => {
  const { target } = worldMaker();
  let isDown = true;
  const openWorld: Target['openWorld'] = async (label) => {
    if (isDown) throw new ControlError('no answer');
    return target.openWorld(label);
  };
  const pool = new WorldPool({ controlled: true, openWorld }, signal);
  const ask = async (times: number): Promise<number> => {
    const start = performance.now();
    for (let time = 0; time < times; time++)
      await expect(pool.lease({ label: 'any' })).rejects.toThrow('no answer');
    return performance.now() - start;
  };
  expect(await ask(8)).toBeLessThan(90);
  expect(await ask(2)).toBeGreaterThan(290);
  isDown = false;
  await pool.lease({ label: 'any' });
  isDown = true;
  expect(await ask(8)).toBeLessThan(90);
});

const id = '6f0c0000-0000-4000-8000-00000000000a';

interface Asked {
  readonly method?: string;
  readonly path: string;
  readonly status: number | undefined;
}

function exchange({ method = 'DELETE', path, status }: Asked): Exchange {
  const asked = sampleExchange({ method, url: `http://localhost/v1/vault/interns/${path}` }, '', status);
  return { ...asked, operation: 'vault-delete', ...(status === undefined ? { answer: undefined } : {}) };
}

/** Returns how the listing of a world differs from its state after it stored `name` and `other` and got a request. */
async function differencesAfter(asked: Asked, listed: readonly string[]): Promise<readonly string[]> {
  const list = () => Promise.resolve(listed.map((name) => ({ scope: 'own', name })));
  const state = new WorldState({ interns: { own: id }, list });
  for (const name of ['name', 'other']) state.noteStored('own', name);
  state.noteAnswer(exchange(asked));
  return (await state.differences(0, signal)).map(({ kind, name }) => `${kind} ${name}`);
}

test.each([400, 401, 403, 404, 429, 500, 503])('a secret gone after a %i is missing', async (status) => {
  const asked = { path: `${id}/secrets/name`, status };
  expect(await differencesAfter(asked, ['name', 'other'])).toEqual([]);
  expect(await differencesAfter(asked, ['other'])).toEqual(['missing name']);
});

test.each([408, 502, 504, 418, undefined])('after %s the secret may be present or gone', async (status) => {
  const asked = { path: `${id}/secrets/name`, status };
  expect(await differencesAfter(asked, ['name', 'other'])).toEqual([]);
  expect(await differencesAfter(asked, ['other'])).toEqual([]);
  expect(await differencesAfter(asked, ['name'])).toEqual(['missing other']);
});

test('after a 204 only the named secret is gone', async () => {
  const asked = { path: `${id.toUpperCase()}/secrets/name`, status: 204 };
  expect(await differencesAfter(asked, ['other'])).toEqual([]);
  expect(await differencesAfter(asked, ['name', 'other'])).toEqual(['remaining name']);
  expect(await differencesAfter(asked, [])).toEqual(['missing other']);
});

test.each([
  '//secrets/name',
  ...['name/', '/name', './name', 'x%2F..%2Fname', '%6eame%2F'].map((end) => `/secrets/${end}`),
])('the odd path %s below an intern leaves only the secret open that it may name', async (path) => {
  const asked = { path: `${id}${path}`, status: 404 };
  expect(await differencesAfter(asked, ['other'])).toEqual([]);
  expect(await differencesAfter(asked, ['name'])).toEqual(['missing other']);
});

const oddEnds = ['x%2Fname', 'name%2Fx', 'name%5cx', 'name;x/y'];
test.each(oddEnds)('the odd path secrets/%s names no secret, whatever it is answered', async (end) => {
  for (const status of [204, 404])
    expect(await differencesAfter({ path: `${id}/secrets/${end}`, status }, ['other'])).toEqual([
      'missing name',
    ]);
});

it.each([
  [['vault-delete.204.takes-effect'], 0],
  [[], 1],
] as const)(
  'the cause of a remaining secret is sought where %j are violated: %i time',
  async (rows, times) => {
    const audit = new WorldAudit<never>(signal);
    audit.suspects.push({
      difference: { kind: 'remaining', scope: 'own', name: 'x' },
      users: [],
      storer: undefined,
    });
    const context = { worlds: new WorldPool(worldMaker().target, signal), audit, signal };
    const means = { context, controls: {}, violated: new Set(rows) } as unknown as JudgingContext;
    expect(await worldStateCheck.judge(means)).toMatchObject({ cases: times });
  },
);

test('a read changes nothing, and an unexpected secret is reported as added', async () => {
  const asked = { method: 'GET', path: `${id}/secrets/name`, status: 200 };
  expect(await differencesAfter(asked, ['other', 'name', 'third'])).toEqual(['added third']);
  expect(await differencesAfter(asked, ['other'])).toEqual(['missing name']);
});

test('after a 504 a secret of the same name elsewhere is still due', async () => {
  const list = () => Promise.resolve([]);
  const state = new WorldState({ interns: { own: id }, list });
  for (const scope of ['own', 'workspace'] as const) state.noteStored(scope, 'name');
  state.noteAnswer(exchange({ path: `${id}/secrets/name`, status: 504 }));
  const missing = { kind: 'missing', scope: 'workspace', name: 'name' };
  expect(await state.differences(0, signal)).toEqual([missing]);
});

test('a difference that does not last is not reported', async () => {
  let times = 0;
  const list = () => Promise.resolve(++times < 3 ? [] : [{ scope: 'own', name: 'name' }]);
  const state = new WorldState({ interns: { own: id }, list });
  state.noteStored('own', 'name');
  expect(await state.differences(2_000, signal)).toEqual([]);
});

test('secrets that a world had from the start are not reported as added', async () => {
  const list = () => Promise.resolve([{ scope: 'workspace', name: 'seeded' }]);
  const state = new WorldState({ interns: { own: id }, list });
  expect(await state.takeBaseline()).toBe(1);
  expect(await state.differences(0, signal)).toEqual([]);
});

test.each(['a(', '[', '\\'])('a secret that nobody stored may have any name, such as %s', (name) => {
  const asked = exchange({ path: `${id}/secrets/name`, status: 204 });
  const row = 'vault-delete.204.only-the-named';
  expect(findViolatedRow(asked, { kind: 'added', scope: 'own', name })).toBe(row);
});
