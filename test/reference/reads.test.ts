import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Reference, startReference } from '../../reference/server.js';
import { ROLES, type Role } from '../../reference/vocabulary.js';
import { bearer, expectEnvelope, onServer, type Reply, type Stage, send } from './arrange.js';

let reference: Reference;
let stage: Stage;
beforeAll(async () => {
  reference = await startReference();
});
beforeEach(() => {
  stage = onServer(reference);
});
afterAll(() => reference.close());

function read(path: string, role: Role): Promise<Reply> {
  return send(reference.baseUrl, path, { headers: bearer(stage.key(role)) });
}

function dataOf(reply: Reply): Record<string, unknown> {
  expect(reply.status, reply.text).toBe(200);
  expect(reply.headers['content-type']).toMatch(/^application\/json/);
  return (JSON.parse(reply.text) as { data: Record<string, unknown> }).data;
}

const isRefused = (role: Role): boolean => role === 'disabled' || role === 'expired_session';

describe('GET /guardrails/{id}', () => {
  it("answers the management key with its world's guardrail", async () => {
    const data = dataOf(await read(`/guardrails/${stage.world.guardrail_id}`, 'management'));
    expect(data).toMatchObject({ id: stage.world.guardrail_id, workspace_id: stage.world.workspace_id });
    expect(data.limit_usd).toBeTypeOf('number');
  });

  it('merges what the control sets, and keeps its ids', async () => {
    const fields = { name: 'Other', limit_usd: 0.5, enforce_zdr: true, id: 'x' };
    expect((await stage.control('PUT', `/worlds/${stage.world.id}/guardrail`, fields)).status).toBe(204);
    const data = dataOf(await read(`/guardrails/${stage.world.guardrail_id}`, 'management'));
    expect(data).toMatchObject({ ...fields, id: stage.world.guardrail_id, reset_interval: 'monthly' });
  });

  it.each(ROLES.filter((role) => role !== 'management'))('refuses %s', async (role) => {
    const reply = await read(`/guardrails/${stage.world.guardrail_id}`, role);
    expectEnvelope(reply, isRefused(role) ? 401 : 403);
  });

  it('is 401 without a key, 404 for another world and a malformed id, 500 for its fault', async () => {
    const path = `/guardrails/${stage.world.guardrail_id}`;
    expectEnvelope(await send(reference.baseUrl, path), 401);
    expectEnvelope(await read(`/guardrails/${onServer(reference).world.guardrail_id}`, 'management'), 404);
    expectEnvelope(await read('/guardrails/none', 'management'), 404);
    await stage.faults('guardrail_internal_error', 'vault_unreachable');
    expectEnvelope(await read(path, 'management'), 500);
    expectEnvelope(await read(path, 'member'), 403);
  });
});

describe('GET /key', () => {
  it.each(ROLES.filter((role) => !isRefused(role)))('tells %s its own figures', async (role) => {
    const data = dataOf(await read('/key', role));
    for (const prefix of ['usage', 'byok_usage']) {
      const figure = (suffix: string): number => Number(data[prefix + suffix]);
      expect(figure('_daily')).toBeLessThanOrEqual(figure('_weekly'));
      expect(figure('_daily')).toBeLessThanOrEqual(figure('_monthly'));
      expect(Math.max(figure('_weekly'), figure('_monthly'))).toBeLessThanOrEqual(figure(''));
    }
    expect(data.limit === null).toBe(data.limit_remaining === null);
    expect(data.is_free_tier).toBe(role.startsWith('free_small'));
    expect(data.include_byok_in_limit).toBeTypeOf('boolean');
    expect(data.label).toBeTypeOf('string');
    if (role === 'exhausted') expect(data.limit_remaining).toBe(0);
  });

  it('is 401 for a disabled key, an expired session and no key', async () => {
    expectEnvelope(await read('/key', 'disabled'), 401);
    expectEnvelope(await read('/key', 'expired_session'), 401);
    expectEnvelope(await send(reference.baseUrl, '/key'), 401);
  });

  it('reports what the control set for that key alone', async () => {
    const path = `/worlds/${stage.world.id}/keys/member/info`;
    const before = dataOf(await read('/key', 'management'));
    await stage.control('PUT', path, { usage_daily: 0.125, limit: null, limit_remaining: null });
    await stage.control('PUT', path, { label: 'mine' });
    const expected = { usage_daily: 0.125, limit: null, limit_remaining: null, label: 'mine', usage: 25.5 };
    expect(dataOf(await read('/key', 'member'))).toMatchObject(expected);
    expect(dataOf(await read('/key', 'management'))).toEqual(before);
  });

  it('computes the usage figures from the records that the control set', async () => {
    const clock = Date.parse('2026-03-04T10:00:00Z');
    const other = onServer(await startReference({ now: () => clock }));
    const at = [
      '2026-03-04T00:00:00Z',
      '2026-03-02T00:00:00Z',
      '2026-03-01T23:59:59Z',
      '2026-02-28T23:59:59Z',
    ];
    const records = at.map((time, place) => ({ at: time, credits: 2 ** place, byok: 16 * 2 ** place }));
    await other.control('PUT', `/worlds/${other.world.id}/usage`, { role: 'member', records });
    const reply = await send(other.reference.baseUrl, '/key', { headers: bearer(other.key('member')) });
    expect(dataOf(reply)).toMatchObject({
      ...{ usage: 15, usage_daily: 1, usage_weekly: 3, usage_monthly: 7 },
      ...{ byok_usage: 240, byok_usage_daily: 16, byok_usage_weekly: 48, byok_usage_monthly: 112 },
      limit_remaining: 85,
    });
    await other.reference.close();
  });

  it('shows nothing of one world in another', async () => {
    const other = onServer(reference);
    await stage.control('PUT', `/worlds/${stage.world.id}/keys/member/info`, { usage: 999 });
    const data = dataOf(await send(reference.baseUrl, '/key', { headers: bearer(other.key('member')) }));
    expect(data.usage).toBe(25.5);
  });
});
