import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Reference, startReference } from '../../reference/server.js';
import type { Fault, Role } from '../../reference/vocabulary.js';
import { bearer, exchangeRaw, expectEnvelope, onServer, type Stage, send } from './arrange.js';

let reference: Reference;
let stage: Stage;
beforeAll(async () => {
  reference = await startReference({ bodyDeadlineMs: 60 });
});
beforeEach(() => {
  stage = onServer(reference);
});
afterAll(() => reference.close());

describe('a delete that is in order', () => {
  it('is 204 without body and framing, and the secret is gone', async () => {
    await stage.store('own', 'token');
    const reply = await stage.remove('member', 'token');
    expect(reply.status).toBe(204);
    expect(reply.text).toBe('');
    expect(reply.headers).not.toHaveProperty('content-length');
    expect(reply.headers).not.toHaveProperty('transfer-encoding');
    expect(reply.headers).not.toHaveProperty('content-type');
    expect(await stage.stored()).toEqual([]);
    expectEnvelope(await stage.remove('member', 'token'), 404);
  });

  it.each<Role>(['member', 'exhausted', 'overdrawn', 'free_small', 'free_large'])(
    'is granted to %s',
    async (role) => {
      await stage.store('own', 'token');
      expect((await stage.remove(role, 'token')).status).toBe(204);
    },
  );

  it("reaches the sibling's secrets and leaves namesakes of other scopes alone", async () => {
    for (const scope of ['own', 'sibling', 'foreign', 'workspace'] as const)
      await stage.store(scope, 'token');
    const { sibling } = stage.world.interns;
    expect((await stage.remove('member', 'token', { intern: sibling })).status).toBe(204);
    expect(await stage.stored()).toEqual(['workspace/token', 'own/token', 'foreign/token']);
  });

  it('ignores query and body', async () => {
    await stage.store('own', 'token');
    expect((await stage.remove('member', 'token?force=1')).status).toBe(204);
    await stage.store('own', 'token');
    const body = { body: '{"a":1}', headers: { 'Content-Type': 'application/json' } };
    expect((await stage.remove('member', 'token', body)).status).toBe(204);
  });
});

describe('a refused delete leaves the secret', () => {
  it.each<[Role, number]>([
    ['provisioning', 401],
    ['disabled', 401],
    ['unscoped', 403],
    ['outsider', 404],
    ['write_disabled', 503],
  ])('%s gets %i', async (role, status) => {
    await stage.store('own', 'token');
    expectEnvelope(await stage.remove(role, 'token'), status);
    expect(await stage.stored()).toEqual(['own/token']);
  });

  it.each<[Fault, number]>([
    ['vault_rate_limited', 429],
    ['scope_lookup_failed', 500],
    ['vault_unreachable', 502],
    ['vault_bad_response', 502],
    ['vault_writes_disabled', 503],
    ['vault_not_configured', 503],
    ['vault_timeout', 504],
    ['route_deadline', 408],
  ])('%s gets %i, and only what is otherwise valid meets it', async (fault, status) => {
    await stage.store('own', 'token');
    await stage.faults(fault);
    const reply = await stage.remove('member', 'token');
    expectEnvelope(reply, status);
    expect(reply.text).not.toContain('value-of-a-secret');
    expectEnvelope(await stage.remove('member', 'Token'), 400);
    expectEnvelope(await stage.remove('provisioning', 'token'), 401);
    expectEnvelope(await stage.remove('member', 'absent'), 404);
    await stage.faults();
    expect((await stage.remove('member', 'token')).status).toBe(204);
  });

  it('a missing, unknown or misspelt key gets 401', async () => {
    await stage.store('own', 'token');
    const path = `/vault/interns/${stage.world.interns.own}/secrets/token`;
    const key = stage.key('member');
    const swapped = key.replace(/[a-z]/gi, (letter) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    );
    for (const authorization of [
      '',
      'Bearer',
      'Bearer sk-none',
      `Basic ${key}`,
      key,
      `Bearer ${swapped}`,
      `Bearer ${key}x`,
    ]) {
      const headers = authorization === '' ? {} : { Authorization: authorization };
      expectEnvelope(await send(reference.baseUrl, path, { method: 'DELETE', headers }), 401);
    }
    expect(await stage.stored()).toEqual(['own/token']);
  });

  it('what only another scope or world holds gets 404', async () => {
    const other = onServer(reference);
    await stage.store('workspace', 'in_workspace');
    await stage.store('sibling', 'in_sibling');
    await stage.store('foreign', 'in_foreign');
    await other.store('own', 'in_other');
    for (const name of ['in_workspace', 'in_sibling', 'in_foreign', 'in_other']) {
      expectEnvelope(await stage.remove('member', name), 404);
    }
    expectEnvelope(await stage.remove('member', 'in_foreign', { intern: stage.world.interns.foreign }), 404);
    expectEnvelope(await stage.remove('member', 'in_other', { intern: other.world.interns.own }), 404);
    expect(await stage.stored()).toHaveLength(3);
    expect(await other.stored()).toHaveLength(1);
  });
});

describe('path parameters', () => {
  const longest = 'a'.repeat(255);
  it.each(['a', 'z9', 'a_b', 'a_1_b2', longest])('%s is a secret name', async (name) => {
    expectEnvelope(await stage.remove('member', name), 404);
    await stage.store('own', name);
    expect((await stage.remove('member', name)).status).toBe(204);
  });

  it.each([
    'A',
    '1a',
    '_a',
    'a_',
    'a__b',
    'a-b',
    'a.b',
    `${longest}a`,
    'a'.repeat(70_000),
    'a%20',
    '%00',
    'a%0A',
    'a%2Fb',
    '%C3%A9',
    '%2561',
    '%ZZ',
    '%',
    '%E0%A4',
    '%FF',
  ])('%s is refused with 400', async (name) => {
    expectEnvelope(await stage.remove('member', name), 400);
  });

  it('are decoded once', async () => {
    await stage.store('own', 'abc');
    expect((await stage.remove('member', '%61bc')).status).toBe(204);
  });

  it.each(['1', 'x'.repeat(36), '123e4567e89b42d3a456426614174000', '%7B0%7D', '%FF'])(
    'internId %s is refused with 400',
    async (intern) => {
      expectEnvelope(await stage.remove('member', 'token', { intern }), 400);
    },
  );

  it('an internId in upper case is the same intern', async () => {
    await stage.store('own', 'token');
    const intern = stage.world.interns.own.toUpperCase();
    expect((await stage.remove('member', 'token', { intern })).status).toBe(204);
  });
});

describe('the regional hostname', () => {
  it.each(['eu.vault.test', 'EU.Vault.Test', 'eu.vault.test:443', 'eu.vault.test.', 'eu.vault.test.:80'])(
    '%s is refused on vault routes',
    async (Host) => {
      await stage.store('own', 'token');
      expectEnvelope(await stage.remove('member', 'token', { headers: { Host } }), 403);
      expect(await stage.stored()).toEqual(['own/token']);
      const headers = { Host, ...bearer(stage.key('member')) };
      expectEnvelope(await send(reference.baseUrl, '/vault/secrets', { headers }), 403);
      expect((await send(reference.baseUrl, '/key', { headers })).status).toBe(200);
    },
  );

  it.each(['vault.test', 'xeu.vault.test', 'eu.vault.test.example', 'eu.vault.test..'])(
    '%s is another name',
    async (Host) => {
      await stage.store('own', 'token');
      expect((await stage.remove('member', 'token', { headers: { Host } })).status).toBe(204);
    },
  );
});

describe('the rest of the vault', () => {
  it.each<[Role, number]>([
    ['member', 404],
    ['outsider', 404],
    ['provisioning', 401],
    ['unscoped', 403],
  ])('GET as %s gets %i', async (role, status) => {
    await stage.store('own', 'token');
    const path = `/vault/interns/${stage.world.interns.own}/secrets`;
    const headers = bearer(stage.key(role));
    expectEnvelope(await send(reference.baseUrl, path, { headers }), status);
    expectEnvelope(await send(reference.baseUrl, `${path}/token`, { headers }), status);
    expectEnvelope(await send(reference.baseUrl, '/vault', { headers }), status);
  });
});

describe('request bodies', () => {
  it('malformed JSON with a JSON type is 400, other text is ignored', async () => {
    await stage.store('own', 'token');
    for (const type of ['application/json', 'application/problem+json; charset=utf-8']) {
      expectEnvelope(
        await stage.remove('member', 'token', { body: '{', headers: { 'Content-Type': type } }),
        400,
      );
    }
    expect(await stage.stored()).toEqual(['own/token']);
    const plain = { body: '{', headers: { 'Content-Type': 'text/plain' } };
    expect((await stage.remove('member', 'token', plain)).status).toBe(204);
  });

  it('a body in broken chunks gets an envelope', async () => {
    await stage.store('own', 'token');
    const target = `/v1/vault/interns/${stage.world.interns.own}/secrets/token`;
    const text = await exchangeRaw(
      reference,
      `DELETE ${target} HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ${stage.key('member')}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).toContain('"code":400');
    expect(await stage.stored()).toEqual(['own/token']);
  });

  it('a stalled body is 408, and the connection ends', async () => {
    await stage.store('own', 'token');
    const target = `/v1/vault/interns/${stage.world.interns.own}/secrets/token`;
    const text = await exchangeRaw(
      reference,
      `DELETE ${target} HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ${stage.key('member')}\r\nContent-Length: 10\r\n\r\n{`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
    expect(text).toContain('"code":408');
    expect(await stage.stored()).toEqual(['own/token']);
  });
});
