import { spawn, spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import express from 'express';
import fastify from 'fastify';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { controlProtocol as forExpress } from '../../examples/control-protocol/express.js';
import { controlProtocol as forFastify } from '../../examples/control-protocol/fastify.js';
import { Refused, type Worlds } from '../../examples/control-protocol/protocol.js';
import { judge } from '../../library/plumbline.js';
import type { Behaviour } from '../../reference/behaviour.js';
import { ALL_CAPABILITIES, describeCapabilities } from '../../reference/capabilities.js';
import { conforming } from '../../reference/conforming.js';
import { referenceServer } from '../../reference/reference-server.js';
import type { Reference } from '../../reference/server.js';
import type { Report } from '../../spec/report.js';
import { endWithTest } from '../ended-with-test.js';
import { idsWith } from '../report-rows.js';
import { listenInTest, serveReference } from '../servers.js';

// Each sample stands in front of the reference's own control and passes calls on to it, as it would to the stores of a
// staging server.

const token = 'the token of staging';

/** Starts a sample's control before the reference's own, until the test ends. Returns its URL. */
type Sample = (reference: Reference) => Promise<string>;

const samples: Readonly<Record<string, Sample>> = {
  Express: async (reference) => {
    const control = forExpress(worldsOf(reference), capabilitiesOf(reference), token);
    return `${await listenInTest(createServer(express().use('/control', control)))}/control`;
  },
  Fastify: async (reference) => {
    const app = fastify();
    const control = forFastify(worldsOf(reference), capabilitiesOf(reference), token);
    await app.register(control, { prefix: '/control' });
    endWithTest(() => app.close());
    return `${await app.listen({ port: 0 })}/control`;
  },
  Python: async ({ controlUrl }) => {
    const child = startPython([controlUrl], { PLUMBLINE_CONTROL_TOKEN: token });
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
  return sample(await serveReference({ behaviour }));
}

const capabilitiesOf = (reference: Reference) => () => ({
  ...describeCapabilities(ALL_CAPABILITIES, reference.baseUrl, 'eu.vault.test'),
});

function worldsOf({ controlUrl }: Pick<Reference, 'controlUrl'>): Worlds {
  const ask = async (method: string, path: string, body?: object) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(`${controlUrl}/worlds${path}`, { method, ...sent });
    const text = await answer.text();
    const given = text === '' ? undefined : JSON.parse(text);
    if (answer.status === 400 || answer.status === 404) throw new Refused(answer.status, given.error);
    return given;
  };
  const put = (path: string, body: object) => ask('PUT', `/${path}`, body);
  return {
    open: (label) => ask('POST', '', { label }),
    close: (id) => ask('DELETE', `/${id}`),
    store: (id, scope, name, value) => put(`${id}/secrets/${scope}/${name}`, { value }),
    stored: async (id) => (await ask('GET', `/${id}/secrets`)).secrets,
    setKeyInformation: (id, role, fields) => put(`${id}/keys/${role}/info`, fields),
    setGuardrail: (id, fields) => put(`${id}/guardrail`, fields),
    setFaults: (id, faults) => put(`${id}/faults`, { faults }),
    setFreeUsage: (id, usage) => put(`${id}/free-usage`, usage),
    setCredit: (id, credit) => put(`${id}/credit`, credit),
    setUsage: (id, role, records) => put(`${id}/usage`, { role, records }),
  };
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
    [forExpress, forFastify].map((control) => () => control(worldsOf({ controlUrl: '' }), never, given));

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
