import { createServer, type RequestListener, type Server } from 'node:http';
import express from 'express';
import { expect, it } from 'vitest';
import type { InProcessApp } from '../../library/in-process.js';
import type { JudgedTarget } from '../../library/judged-target.js';
import { judge } from '../../library/plumbline.js';
import { referenceServer } from '../../reference/reference-server.js';
import { listenInTest } from '../servers.js';

// An app of any form listens only while it is judged.

const few = { only: ['key-info.200.*'], depth: 'quick' as const, cases: 1, seed: 1 };

function listener(): RequestListener {
  const [found] = referenceServer().listeners('request');
  return found as RequestListener;
}

const forms: readonly (readonly [string, () => InProcessApp])[] = [
  ['a server', () => referenceServer()],
  ['a request listener', listener],
  ['an app with a server that is ready later', () => readyApp(referenceServer())],
  ['an app that makes its listener', () => ({ callback: listener })],
];

it.each(forms)('judge accepts %s', async (_form, make) => {
  expect(await judge(make(), few)).toMatchObject({
    verdict: 'conformant',
    target: { base_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1$/), control: true },
  });
});

function readyApp(server: Server) {
  let isReady = false;
  return {
    ready: async () => {
      isReady = true;
    },
    get server() {
      if (!isReady) throw new Error('It was asked for its server before it was ready.');
      return server;
    },
  };
}

it('judge follows the paths of an Express app that serves the API below a path', async () => {
  const app = express().use('/api', listener());
  const report = await judge({ app, baseUrl: '/api/v1', control: '/api/control' }, few);
  expect(report.verdict).toBe('conformant');
  expect(report.target.base_url).toMatch(/\/api\/v1$/);
});

it('judge judges the app itself, whatever host its control protocol names', async () => {
  const handle = listener();
  const app: RequestListener = (request, response) => {
    if (request.url !== '/control') return handle(request, response);
    const [base_url, features] = ['https://staging.example/v1', ['secrets', 'key_info']];
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ protocol: '1', base_url, roles: ['member'], faults: [], features }));
  };
  const report = await judge(app, few);
  expect(report.target.base_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
  expect(report.totals.pass).toBeGreaterThan(0);
});

it('a server listens only while it is judged, and is not stopped twice', async () => {
  const server = referenceServer();
  for (const times of [1, 2]) {
    await Promise.all(Array.from({ length: times }, () => judge(server, few)));
    expect(server.listening).toBe(false);
  }
});

it('judge leaves a server alone that already listens', async () => {
  const server = referenceServer();
  const origin = await listenInTest(server);
  const report = await judge(server, few);
  expect(report.target.base_url).toBe(`${origin}/v1`);
  expect(server.listening).toBe(true);
});

it('judge says what to do if an app has no control protocol', async () => {
  const app = createServer((_request, response) => response.writeHead(404).end());
  const { verdict, gate, run } = await judge(app, few);
  expect({ verdict, exit: gate.exit_code }).toEqual({ verdict: 'unjudged', exit: 3 });
  expect(run.notes[0]).toContain('Mount the control protocol at /control, or say where it is');
  expect(app.listening).toBe(false);
});

it.each<[string, unknown, string]>([
  ['a number', 4010, 'The target must be a URL'],
  ['an empty object', {}, 'at least one of app, baseUrl, control, profile'],
  ['a misspelt member', { profil: 'plumbline.yaml' }, 'target.profil: unknown option; did you mean profile?'],
  ['a misspelt token', { control: { url: 'http://c.test', tokn: 1 } }, 'target.control.tokn: unknown option'],
  ['a profile that is not a path', { profile: 4 }, 'target.profile must be the path of a file'],
  ['an invalid app', { app: 'http://127.0.0.1' }, 'target.app must be an http.Server'],
  ['an invalid base URL', 'localhost:4010', 'target.baseUrl must be a URL that begins with http://'],
  ['a path without an app', { control: '/control' }, 'target.control must be a URL that begins with http://'],
  ['a password in a URL', 'http://me:secret@127.0.0.1/v1', 'target.baseUrl must not contain a password'],
])('judge refuses %s', async (_what, target, message) => {
  const asked = judge(target as JudgedTarget, few);
  await expect(asked).rejects.toThrow(TypeError);
  await expect(asked).rejects.toThrow(message);
  await expect(asked).rejects.not.toThrow('secret@');
});
