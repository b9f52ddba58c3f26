import { spawn, spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import express from 'express';
import fastify from 'fastify';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { controlProtocol as forExpress } from '../../examples/control-protocol/express.js';
import { controlProtocol as forFastify } from '../../examples/control-protocol/fastify.js';
import { type Capabilities, Refused, type Worlds } from '../../examples/control-protocol/protocol.js';
import { judge } from '../../library/plumbline.js';
import { setBalance } from '../../reference/accounts.js';
import type { Behaviour } from '../../reference/behaviour.js';
import { ALL_CAPABILITIES, describeCapabilities } from '../../reference/capabilities.js';
import { conforming } from '../../reference/conforming.js';
import { setLimitRemaining } from '../../reference/control.js';
import { referenceServer } from '../../reference/reference-server.js';
import { makeReference } from '../../reference/server.js';
import { FAULTS, isOneOf, ROLES, SCOPES } from '../../reference/vocabulary.js';
import type { World } from '../../reference/world.js';
import { describeWorld, type WorldStore } from '../../reference/world-store.js';
import type { Report } from '../../spec/report.js';
import { behaveAsMutant } from '../behaviours.js';
import { endWithTest } from '../ended-with-test.js';
import { idsWith } from '../report-rows.js';
import { listenInTest } from '../servers.js';

// Each sample replaces the reference's own control, as on a staging server.

const token = 'the token of staging';

/** A reference server, and what a sample needs to arrange things on it. */
interface Staging {
  readonly worlds: Worlds;
  readonly capabilities: () => Capabilities;
  /** The reference's own control, for a sample in another process. */
  readonly ownControl: string;
}

/** Starts a sample's control on a listener of its own, until the test ends. Returns its URL. */
type Sample = (staging: Staging) => Promise<string>;

const samples: Readonly<Record<string, Sample>> = {
  Express: async ({ worlds, capabilities }) => {
    const app = express().use('/control', forExpress(worlds, capabilities, token));
    return `${await listenInTest(createServer(app))}/control`;
  },
  Fastify: async ({ worlds, capabilities }) => {
    const app = fastify();
    await app.register(forFastify(worlds, capabilities, token), { prefix: '/control' });
    endWithTest(() => app.close());
    return `${await app.listen({ port: 0 })}/control`;
  },
  Python: async ({ ownControl }) => {
    const child = startPython([ownControl], { PLUMBLINE_CONTROL_TOKEN: token });
    endWithTest(async () => void child.kill());
    const port = await new Promise((resolve) => child.stdout.once('data', (chunk) => resolve(Number(chunk))));
    return `http://127.0.0.1:${port}/control`;
  },
};

function startPython(args: readonly string[], env: NodeJS.ProcessEnv) {
  const script = fileURLToPath(new URL('fixtures/staging.py', import.meta.url));
  const samplesFolder = fileURLToPath(new URL('../../examples/control-protocol', import.meta.url));
  const { PATH } = process.env;
  return spawn('python3', ['-B', script, samplesFolder, ...args], {
    env: { PATH, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

const hasPython = spawnSync('python3', ['--version']).status === 0;

async function start(sample: Sample, behaviour: Behaviour): Promise<string> {
  let origin = '';
  const { server, store } = makeReference({ behaviour }, () => origin);
  origin = await listenInTest(server);
  return sample({
    worlds: worldsOf(store),
    capabilities: () => ({ ...describeCapabilities(ALL_CAPABILITIES, `${origin}/v1`, 'eu.vault.test') }),
    ownControl: `${origin}/control`,
  });
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
      if (balance !== undefined) setBalance(keyOf(id, role).balance, balance);
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

let own: Promise<Report> | undefined;

function judgeOwn(): Promise<Report> {
  own ??= judge(referenceServer(), options);
  return own;
}

describe.each(Object.entries(samples))('the control protocol for %s', (name, sample) => {
  const testing = (title: string, body: () => Promise<void>) =>
    it(title, ({ skip }) => {
      if (name === 'Python' && !hasPython) skip('no python3');
      return body();
    });

  testing("exercises the same requirements as the reference's own", async () => {
    const report = await judge({ control: { url: await start(sample, conforming), token } }, options);
    expect(report.verdict).toBe('conformant');
    expect(idsWith(report, 'not-exercised')).toEqual(idsWith(await judgeOwn(), 'not-exercised'));
  });

  testing('shows a violation that takes a fault', async () => {
    const url = await start(sample, behaveAsMutant('vault-delete.unreachable-503'));
    const report = await judge({ control: { url, token } }, { ...options, only: ['vault-delete.50*'] });
    expect([report.verdict, idsWith(report, 'fail')]).toEqual([
      'non-conformant',
      ['vault-delete.502.unreachable'],
    ]);
  });

  testing('refuses calls without a token, of unknown worlds and with invalid bodies', async () => {
    const control = await start(sample, conforming);
    const bearer = { authorization: `Bearer ${token}` };
    const json = { ...bearer, 'content-type': 'application/json' };
    const calls = [
      ['no token', 'GET', '', {}, 401],
      ['another token', 'GET', '', { authorization: 'Bearer the token of stagin_' }, 401],
      ['a shorter token', 'GET', '', { authorization: 'Bearer the token' }, 401],
      ['a token that is not set', 'GET', '', { authorization: 'Bearer undefined' }, 401],
      ['an unknown world', 'GET', '/worlds/w-1/secrets', bearer, 404],
      ['a world that is gone', 'DELETE', '/worlds/w-1', bearer, 204],
      ['a body that is not JSON', 'POST', '/worlds', json, 400],
      ['a path that is not UTF-8', 'DELETE', '/worlds/%ff', bearer, 400],
    ] as const;
    for (const [what, method, path, headers, status] of calls) {
      const body = method === 'POST' ? { body: '{' } : {};
      const answer = await fetch(`${control}${path}`, { method, headers, ...body });
      const text = await answer.text();
      expect([what, answer.status]).toEqual([what, status]);
      if (status !== 204) expect(JSON.parse(text)).toMatchObject({ error: expect.any(String) });
    }
  });
});

describe('a sample of the control protocol does not start', () => {
  afterEach(() => vi.unstubAllEnvs());
  const never = () => {
    throw new Error('Nobody asks.');
  };
  const starts = (given: string | undefined) =>
    [forExpress, forFastify].map(
      (control) => () =>
        control(worldsOf(makeReference({ behaviour: conforming }, () => '').store), never, given),
    );

  it.each([undefined, ''])('without a token (%j)', (none) => {
    for (const start of starts(none)) expect(start).toThrow('set PLUMBLINE_CONTROL_TOKEN');
  });

  it('in production', () => {
    vi.stubEnv('NODE_ENV', 'production');
    for (const start of starts(token)) expect(start).toThrow('NODE_ENV=production');
    vi.stubEnv('NODE_ENV', 'staging');
    for (const start of starts(token)) expect(start).not.toThrow();
  });

  it('in Python without a token or in production', async ({ skip }) => {
    if (!hasPython) skip('no python3');
    const inProduction = { PLUMBLINE_CONTROL_TOKEN: token, APP_ENV: 'production' };
    for (const env of [{}, { PLUMBLINE_CONTROL_TOKEN: '' }, inProduction]) {
      const child = startPython(['http://127.0.0.1:9/control'], env);
      expect(await new Promise((resolve) => child.once('close', resolve))).toBe(1);
    }
  });
});
