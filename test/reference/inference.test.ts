import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FREE_MODEL, PAID_MODEL } from '../../reference/inference.js';
import { type Reference, startReference } from '../../reference/server.js';
import type { Fault, Role } from '../../reference/vocabulary.js';
import { bearer, expectEnvelope, json, onServer, type Reply, type Stage, send } from './arrange.js';

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
    ['inference_deadline', 408],
    ['guardrail_blocks', 403],
    ['moderation_flags', 403],
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

  it('provider_bad_response is 502, and in band where a stream has begun', async () => {
    await stage.faults('provider_bad_response');
    expectEnvelope(await stage.infer('member', PAID_MODEL), 502);
    const events = eventsOf(await stage.infer('member', PAID_MODEL, true));
    expect(events.at(-1)).toMatchObject({ error: { code: 502 }, choices: [{ finish_reason: 'error' }] });
  });

  it('one_provider_limited shows nowhere', async () => {
    await stage.faults('one_provider_limited');
    expect((await stage.infer('member', PAID_MODEL)).status).toBe(200);
    expect(eventsOf(await stage.infer('member', FREE_MODEL, true)).at(-1)).toBe('[DONE]');
  });
});

describe('an origin that CORS blocks', () => {
  it('gets 400 on every route, another origin does not', async () => {
    const at = (path: string, role: Role, origin: string): Promise<Reply> =>
      send(reference.baseUrl, path, { headers: { ...bearer(stage.key(role)), Origin: origin } });
    for (const [path, role] of [
      ['/key', 'member'],
      [`/guardrails/${stage.world.guardrail_id}`, 'management'],
    ] as const) {
      expectEnvelope(await at(path, role, 'https://blocked.test'), 400);
      expect((await at(path, role, 'https://console.test')).status).toBe(200);
    }
    await stage.store('own', 'token');
    expectEnvelope(
      await stage.remove('member', 'token', { headers: { Origin: 'https://blocked.test' } }),
      400,
    );
    expect(await stage.stored()).toEqual(['own/token']);
  });
});

describe('credit', () => {
  const set = (role: Role, figure: object): Promise<Reply> =>
    stage.control('PUT', `/worlds/${stage.world.id}/credit`, { role, ...figure });
  const statuses = async (role: Role): Promise<readonly number[]> => [
    (await stage.infer(role, FREE_MODEL)).status,
    (await stage.infer(role, PAID_MODEL)).status,
  ];

  it('a balance is owed until it is above zero', async () => {
    for (const [balance, expected] of [
      [0, 200],
      [-0.5, 402],
      [0, 402],
      [0.5, 200],
      [0, 200],
    ] as const) {
      expect((await set('member', { balance })).status).toBe(204);
      expect([balance, await statuses('member')]).toEqual([balance, [expected, expected]]);
    }
    await set('overdrawn', { balance: 1 });
    expect(await statuses('overdrawn')).toEqual([200, 200]);
  });

  it('a limit is used up until it is raised', async () => {
    await set('member', { limit_remaining: 0 });
    expect(await statuses('member')).toEqual([200, 402]);
    const { text } = await send(reference.baseUrl, '/key', { headers: bearer(stage.key('member')) });
    expect(JSON.parse(text)).toMatchObject({ data: { limit: 100, limit_remaining: 0 } });
    await set('member', { limit_remaining: 1 });
    expect(await statuses('member')).toEqual([200, 200]);
    await set('exhausted', { limit_remaining: 1 });
    expect(await statuses('exhausted')).toEqual([200, 200]);
  });

  it('records beyond a limit use it up, those of own keys only where they count', async () => {
    const used = (credits: number, byok: number): Promise<Reply> =>
      stage.control('PUT', `/worlds/${stage.world.id}/usage`, {
        role: 'member',
        records: [{ at: '2024-01-01T00:00:00Z', credits, byok }],
      });
    const info = `/worlds/${stage.world.id}/keys/member/info`;
    for (const [credits, byok, counts, expected] of [
      [100.5, 0, false, 402],
      [99.5, 50, false, 200],
      [99.5, 50, true, 402],
    ] as const) {
      await stage.control('PUT', info, { limit: 100, include_byok_in_limit: counts });
      await used(credits, byok);
      expect([credits, byok, counts, await statuses('member')]).toEqual([
        credits,
        byok,
        counts,
        [200, expected],
      ]);
    }
  });

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
    ['free_large_exactly', 1000],
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

  it('count for both keys of one account', async () => {
    await used('free_small', 19, 19);
    expect((await stage.infer('free_small_second', FREE_MODEL)).status).toBe(200);
    expectPlatformLimit(await stage.infer('free_small', FREE_MODEL));
    await used('free_small_second', 0, 50);
    expectPlatformLimit(await stage.infer('free_small', FREE_MODEL));
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
