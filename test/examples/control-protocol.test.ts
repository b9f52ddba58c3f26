import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { controlProtocol, Refused, type Worlds } from '../../examples/control-protocol/express.js';
import { judge } from '../../library/plumbline.js';
import type { Behaviour } from '../../reference/behaviour.js';
import { ALL_CAPABILITIES, describeCapabilities } from '../../reference/capabilities.js';
import { conforming } from '../../reference/conforming.js';
import { setLimitRemaining } from '../../reference/control.js';
import { referenceServer } from '../../reference/reference-server.js';
import { makeReference } from '../../reference/server.js';
import { FAULTS, isOneOf, ROLES, SCOPES } from '../../reference/vocabulary.js';
import type { World } from '../../reference/world.js';
import { describeWorld, type WorldStore } from '../../reference/world-store.js';
import type { Report, Status } from '../../spec/report.js';
import { mutant } from '../cli/servers.js';

// The worked implementation stands in the place of the reference's own control: a staging server that mounts it.

const token = 'the token of staging';

/** The reference below /v1, and at /control the example over its stores. */
function staging(behaviour: Behaviour): Server {
  const { server: api, store } = makeReference({ behaviour }, () => '');
  const app = express();
  const told = () =>
    describeCapabilities(ALL_CAPABILITIES, `http://127.0.0.1:${portOf(server)}/v1`, 'eu.vault.test');
  app.use(
    '/control',
    controlProtocol(worldsOf(store), () => ({ ...told() }), token),
  );
  const server = createServer({ maxHeaderSize: 131_072, requireHostHeader: false }, (request, response) => {
    if (request.url?.startsWith('/control')) app(request, response);
    else api.emit('request', request, response);
  });
  return server;
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

function worldsOf(store: WorldStore): Worlds {
  const world = (id: string): World => store.find(id) ?? refuse(404, 'there is no such world');
  const keyOf = (id: string, role: string) =>
    world(id).keys.get(wordOf(ROLES, role)) ?? refuse(400, 'there is no such key');
  return {
    open: (label) => describeWorld(store.open(label)),
    close: (id) => store.delete(id),
    store: (id, scope, name, value) => void world(id).secrets[wordOf(SCOPES, scope)].set(name, value),
    stored: (id) =>
      SCOPES.flatMap((scope) => [...world(id).secrets[scope].keys()].map((name) => ({ scope, name }))),
    setKeyInformation: (id, role, fields) => void Object.assign(keyOf(id, role).information, fields),
    setGuardrail: (id, fields) => void Object.assign(world(id).guardrail, fields),
    setFaults: (id, faults) => {
      world(id).faults = faults.map((fault) => wordOf(FAULTS, fault));
    },
    setFreeUsage: (id, { role, minute, day }) => keyOf(id, role).usage.set(minute, day, Date.now()),
    setCredit: (id, { role, balance, limit_remaining }) => {
      if (balance !== undefined) keyOf(id, role).balance.set(balance);
      if (limit_remaining !== undefined) setLimitRemaining(keyOf(id, role), limit_remaining);
    },
    setUsage: (id, role, records) => {
      keyOf(id, role).records = records.map(({ at, ...record }) => ({ at: Date.parse(at), ...record }));
    },
  };
}

function wordOf<Word extends string>(words: readonly Word[], word: string): Word {
  return isOneOf(words, word) ? word : refuse(400, 'the word is unknown');
}

function refuse(status: 400 | 404, message: string): never {
  throw new Refused(status, message);
}

const options = { depth: 'quick', seed: 1 } as const;

function judged(behaviour: Behaviour): Promise<Report> {
  return judge({ app: staging(behaviour), control: { url: '/control', token } }, options);
}

function idsWith(status: Status, { requirements }: Report): readonly string[] {
  return requirements.filter((row) => row.status === status).map(({ id }) => id);
}

describe('the control protocol for Express', () => {
  it("lets the suite see all that the reference's own lets it see", async () => {
    const report = await judged(conforming);
    const own = await judge(referenceServer(), options);
    expect(report.verdict).toBe('conformant');
    expect(idsWith('not-exercised', report)).toEqual(idsWith('not-exercised', own));
  });

  it('lets it find a violation that a fault shows', async () => {
    const report = await judged(mutant('vault-delete.unreachable-503'));
    expect([report.verdict, idsWith('fail', report)]).toEqual([
      'non-conformant',
      ['vault-delete.502.unreachable'],
    ]);
  });

  describe('answers', () => {
    it.each([
      ['no token', 'GET', '/control', {}, 401],
      ['another token', 'GET', '/control', { authorization: 'Bearer the token of stagin_' }, 401],
      ['a shorter token', 'GET', '/control', { authorization: 'Bearer the token' }, 401],
      ['a token that is not set', 'GET', '/control', { authorization: 'Bearer undefined' }, 401],
      ['an unknown world', 'GET', '/control/worlds/w-1/secrets', bearer(), 404],
      ['a world that is gone', 'DELETE', '/control/worlds/w-1', bearer(), 204],
      ['a body that is no JSON', 'POST', '/control/worlds', bearer(), 400],
    ] as const)('%s', async (_what, method, path, headers, status) => {
      const server = staging(conforming);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const body = method === 'POST' ? { body: '{' } : {};
      const answer = await fetch(`http://127.0.0.1:${portOf(server)}${path}`, { method, headers, ...body });
      const text = await answer.text();
      server.close();
      expect(answer.status).toBe(status);
      if (status !== 204) expect(JSON.parse(text)).toEqual({ error: expect.any(String) });
    });
  });
});

describe('the control protocol for Express does not start', () => {
  afterEach(() => vi.unstubAllEnvs());
  const start = (given: string | undefined) =>
    controlProtocol(worldsOf(makeReference({ behaviour: conforming }, () => '').store), () => never(), given);

  it.each([undefined, ''])('without a token (%j)', (none) => {
    expect(() => start(none)).toThrow('set PLUMBLINE_CONTROL_TOKEN');
  });

  it('in production', () => {
    vi.stubEnv('NODE_ENV', 'production');
    expect(() => start(token)).toThrow('NODE_ENV=production');
    vi.stubEnv('NODE_ENV', 'staging');
    expect(() => start(token)).not.toThrow();
  });
});

function never(): never {
  throw new Error('Nobody asks.');
}

function bearer() {
  return { authorization: `Bearer ${token}` };
}
