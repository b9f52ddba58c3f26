import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FREE_MODEL, PAID_MODEL } from '../../reference/models.js';
import { type Reference, startReference } from '../../reference/server.js';
import type { Fault, Role } from '../../reference/vocabulary.js';
import { onServer, type Stage } from './arrange.js';
import { expectEnvelope } from './expect-envelope.js';
import { bearer, json, type Reply, send } from './send.js';

const NOON = Date.UTC(2025, 4, 14, 12);
let now = NOON;
let reference: Reference;
let stage: Stage;
beforeAll(async () => {
  reference = await startReference({ now: () => now, worldTtlMs: 1e12 });
});
beforeEach(() => {
  now = NOON;
  stage = onServer(reference);
});
afterAll(() => reference.close());

function eventsOf(reply: Reply): readonly unknown[] {
  expect(reply.status, reply.text).toBe(200);
  expect(reply.headers['content-type']).toMatch(/^text\/event-stream/);
  return reply.text
    .split('\n\n')
    .filter((frame) => frame.startsWith('data: '))
    .map((frame) => frame.slice('data: '.length))
    .map((data): unknown => (data === '[DONE]' ? data : JSON.parse(data)));
}

function used(role: Role, minute: number, day: number): Promise<Reply> {
  return stage.control('PUT', `/worlds/${stage.world.id}/free-usage`, { role, minute, day });
}

describe('an answer', () => {
  it.each([FREE_MODEL, PAID_MODEL])('of %s carries no rate limit headers', async (model) => {
    const reply = await stage.infer('member', model);
    expect(reply.status).toBe(200);
    expect(JSON.parse(reply.text)).toMatchObject({ object: 'chat.completion', model });
    expect(Object.keys(reply.headers).filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
  });

  it('is streamed with a comment, chunks and [DONE]', async () => {
    const reply = await stage.infer('member', PAID_MODEL, true);
    const events = eventsOf(reply);
    expect(reply.text).toMatch(/^: /m);
    expect(events.at(-1)).toBe('[DONE]');
    expect(events.at(0)).toMatchObject({ object: 'chat.completion.chunk', model: PAID_MODEL });
    expect(events.at(-2)).toMatchObject({ choices: [{ finish_reason: 'stop' }] });
  });

  it('is an error for a bad key, another kind of key, a bad body, another model', async () => {
    const path = '/chat/completions';
    expectEnvelope(
      await send(reference.baseUrl, path, { method: 'POST', ...json({ model: PAID_MODEL }) }),
      401,
    );
    expectEnvelope(await stage.infer('disabled', PAID_MODEL), 401);
    expectEnvelope(await stage.infer('provisioning', PAID_MODEL), 403);
    expectEnvelope(await stage.infer('member', 'acme/none'), 400);
    const headers = bearer(stage.key('member'));
    for (const body of ['', '{', '[]', '{"model":1}', '{"model":"acme/large","stream":"yes"}']) {
      expectEnvelope(await send(reference.baseUrl, path, { method: 'POST', headers, body }), 400);
    }
    expectEnvelope(await send(reference.baseUrl, path, { headers }), 405);
  });
});

describe('faults', () => {
  it.each<[Fault, number]>([
    ['platform_rate_limited', 429],
    ['upstream_rate_limited', 429],
    ['upstream_rate_limited_hint', 429],
    ['model_down', 502],
    ['no_provider', 503],
  ])('%s is %i, plain and streamed', async (fault, status) => {
    await stage.faults(fault);
    expectEnvelope(await stage.infer('member', FREE_MODEL), status);
    expectEnvelope(await stage.infer('member', FREE_MODEL, true), status);
    await stage.faults();
    expect((await stage.infer('member', FREE_MODEL)).status).toBe(200);
  });

  it('the platform limit has its headers and error_type, and spares paid models', async () => {
    await stage.faults('platform_rate_limited');
    const reply = await stage.infer('member', FREE_MODEL);
    expectPlatformLimit(reply);
    expect((await stage.infer('member', PAID_MODEL)).status).toBe(200);
  });

  it('an upstream limit has its code, and Retry-After only with a hint', async () => {
    await stage.faults('upstream_rate_limited');
    const bare = await stage.infer('member', PAID_MODEL);
    expect(expectEnvelope(bare, 429).metadata).toHaveProperty('provider_code');
    expect(bare.headers).not.toHaveProperty('retry-after');
    await stage.faults('upstream_rate_limited_hint');
    const hinted = await stage.infer('member', PAID_MODEL);
    expect(expectEnvelope(hinted, 429).metadata).toHaveProperty('provider_code');
    expect(hinted.headers['retry-after']).toMatch(/^\d+$/);
  });

  it('mid_stream_error is 200 and an in-band event, and nothing on a plain request', async () => {
    await stage.faults('mid_stream_error');
    const events = eventsOf(await stage.infer('member', PAID_MODEL, true));
    expect(events.length).toBeGreaterThan(1);
    expect(events.at(-1)).toEqual({
      id: expect.any(String),
      object: 'chat.completion.chunk',
      created: NOON / 1000,
      model: PAID_MODEL,
      provider: expect.any(String),
      error: { code: 429, message: expect.any(String) },
      choices: [{ index: 0, delta: { content: expect.any(String) }, finish_reason: 'error' }],
    });
    expect((await stage.infer('member', PAID_MODEL)).status).toBe(200);
  });
});

describe('credit', () => {
  it('an exhausted key is refused paid models', async () => {
    expectEnvelope(await stage.infer('exhausted', PAID_MODEL), 402);
    expect((await stage.infer('exhausted', FREE_MODEL)).status).toBe(200);
  });

  it('an overdrawn account is refused all models', async () => {
    expectEnvelope(await stage.infer('overdrawn', PAID_MODEL), 402);
    expectEnvelope(await stage.infer('overdrawn', FREE_MODEL), 402);
    expectEnvelope(await stage.infer('overdrawn', FREE_MODEL, true), 402);
  });
});

describe('free models', () => {
  it.each<Role>(['free_small', 'free_large', 'member'])(
    'are answered to %s 20 times a minute',
    async (role) => {
      for (let n = 0; n < 20; n++) expect((await stage.infer(role, FREE_MODEL)).status).toBe(200);
      expectPlatformLimit(await stage.infer(role, FREE_MODEL));
      expect((await stage.infer(role, PAID_MODEL)).status).toBe(200);
      now += 60_000;
      expect((await stage.infer(role, FREE_MODEL)).status).toBe(200);
    },
  );

  it.each<[Role, number]>([
    ['free_small', 50],
    ['free_large', 1000],
    ['member', 1000],
  ])('are answered to %s %i times a UTC day', async (role, limit) => {
    expect((await used(role, 0, limit - 1)).status).toBe(204);
    expect((await stage.infer(role, FREE_MODEL)).status).toBe(200);
    expectPlatformLimit(await stage.infer(role, FREE_MODEL));
    now = Date.UTC(2025, 4, 14, 23, 59, 59, 999);
    expectPlatformLimit(await stage.infer(role, FREE_MODEL));
    now += 1;
    expect((await stage.infer(role, FREE_MODEL)).status).toBe(200);
  });

  it('free-usage fills the minute of one account', async () => {
    await used('free_small', 19, 19);
    expect((await stage.infer('free_small', FREE_MODEL)).status).toBe(200);
    expectPlatformLimit(await stage.infer('free_small', FREE_MODEL));
    expect((await stage.infer('free_large', FREE_MODEL)).status).toBe(200);
    await used('free_small', 0, 0);
    expect((await stage.infer('free_small', FREE_MODEL)).status).toBe(200);
  });
});

function expectPlatformLimit(reply: Reply): void {
  expect(expectEnvelope(reply, 429).metadata).toMatchObject({ error_type: 'rate_limit_exceeded' });
  for (const name of ['limit', 'remaining', 'reset']) {
    expect(reply.headers[`x-ratelimit-${name}`], name).toMatch(/^\d+$/);
  }
}
