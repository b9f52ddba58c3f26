import { createServer, type RequestListener } from 'node:http';
import { Readable } from 'node:stream';
import express from 'express';
import request from 'supertest';
import { expect, it } from 'vitest';
import type { InProcessApp } from '../../library/in-process.js';
import { judgeTraffic } from '../../library/plumbline.js';
import { intern, key, makeEnvelope } from '../recordings/recorded.js';

const refusal = JSON.stringify(makeEnvelope(401));
const ids = (app: ReturnType<typeof judgeTraffic>) => app.findings().map(({ requirement }) => requirement);

const listener: RequestListener = (_request, response) => {
  response.writeHead(401, { 'Content-Type': 'application/json', 'X-Odd': ['1', '2'] }).end(refusal);
};
it.each<readonly [string, () => InProcessApp]>([
  ['a request listener', () => listener],
  ['an app that is ready later', () => ({ ready: async () => 0, server: createServer(listener) })],
])('the answers of %s are judged and stay unchanged', async (_form, make) => {
  const app = judgeTraffic(make());
  const { status, body, headers } = await request(app).get('/v1/key').auth(key, { type: 'bearer' });
  expect([status, JSON.stringify(body), headers['x-odd']]).toEqual([401, refusal, '1, 2']);
  expect(app.findings()).toEqual([]);
});

const type = ['Content-Type', 'text/plain'] as const;
const head = Object.fromEntries([type]);
it.each<readonly [string, RequestListener]>([
  ['with a list of fields', (_, response) => void response.writeHead(401, 'No', [...type]).end(refusal)],
  ['with both kinds', (_, answer) => void answer.setHeader('X-A', 'b').writeHead(401, head).end(refusal)],
  [
    'without a head of its own',
    (_, response) => {
      response.statusCode = 401;
      response.setHeader(...type).end(refusal);
    },
  ],
  [
    'in pieces and encodings',
    (_, response) => {
      response.writeHead(401, head).write(Buffer.from(refusal.slice(0, 3)));
      response.write(Buffer.from(refusal.slice(3, 9)).toString('hex'), 'hex');
      response.end(refusal.slice(9), () => undefined);
    },
  ],
  ['by a stream', (_, response) => void Readable.from([refusal]).pipe(response.writeHead(401, head))],
  [
    'with a status that changes after its head was sent',
    (_, response) => {
      response.writeHead(401, head).flushHeaders();
      response.statusCode = 500;
      response.end(refusal);
    },
  ],
  ['by Express', express().use((_, response) => void response.status(401).type('text').send(refusal))],
])('the status, fields and body of an answer are read if it is written %s', async (_way, listener) => {
  const app = judgeTraffic(listener);
  await request(app).get('/v1/key').expect(401, refusal);
  expect(ids(app)).toEqual(['envelope.media-type']);
});

it('a success of a request without a key is a finding, and one with a key is none', async () => {
  const app = judgeTraffic((_, response) => void response.writeHead(204).end());
  const path = `/v1/vault/interns/${intern}/secrets/a_name`;
  await request(app).delete(path).auth(key, { type: 'bearer' }).expect(204);
  expect(app.findings()).toEqual([]);
  await request(app).delete(path).expect(204);
  expect(ids(app)).toEqual(['vault-delete.401.missing-key']);
});

it.each<readonly [string, Readonly<Record<string, string>>, readonly string[]]>([
  ['no key', {}, ['vault-delete.401.missing-key']],
  ['a cookie, which may hold a session', { Cookie: 'session=0123456789ab' }, []],
])('another vault route that serves a request with %s is judged', async (_, headers, found) => {
  const app = judgeTraffic((_, response) => void response.writeHead(200, head).end('{"data":[]}'));
  const secrets = `/v1/vault/interns/${intern}/secrets`;
  for (const path of [secrets, `${secrets}/a_name`]) await request(app).get(path).set(headers).expect(200);
  await request(app).options(secrets).expect(200);
  expect(ids(app)).toEqual(found.flatMap((id) => [id, id]));
});

it('a stream that refuses a missing key by its event is not a finding', async () => {
  const error = { id: 'x', error: { code: 401, message: 'No' }, object: 'chat.completion.chunk', created: 1 };
  const choices = [{ index: 0, delta: { content: '' }, finish_reason: 'error' }];
  const chunk = JSON.stringify({ ...error, model: 'm', provider: 'p', choices });
  const head = { 'Content-Type': 'text/event-stream' };
  const app = judgeTraffic((_, response) => void response.writeHead(200, head).end(`data: ${chunk}\n\n`), {
    inferencePath: '/chat',
  });
  await request(app).post('/v1/chat').send({ model: 'm', stream: true });
  expect(app.findings()).toEqual([]);
});

const wrong: RequestListener = (asked, response) => {
  const chunks: Buffer[] = [];
  asked
    .on('data', (chunk: Buffer) => chunks.push(chunk))
    .on('end', () => {
      response.writeHead(401, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(makeEnvelope(400, {}, { message: `bad ${key} ${Buffer.concat(chunks)}` })));
    });
};

it('a finding names the requirement, the request with its body and the expected answer, but no key', async () => {
  const app = judgeTraffic(wrong, { inferencePath: '/chat' });
  await request(app).get('/health');
  const sent = { model: 'acme/tiny:free' };
  const answer = await request(app).post('/v1/chat').auth(key, { type: 'bearer' }).send(sent);
  expect(answer.text).toContain('acme/tiny:free');
  const [finding] = app.findings();
  expect(finding).toMatchObject({
    requirement: 'envelope.error.code-is-status',
    level: 'must',
    message: expect.stringMatching(/^request 2: inference 401 \(POST \/chat\): error\.code is 400 .*§2\.4/),
    expected: 'error.code equal to the HTTP status',
    exchange: { request: { body: JSON.stringify(sent) }, response: { status: 401 } },
  });
  expect(finding?.curl).toContain('http://127.0.0.1/v1/chat');
  expect(JSON.stringify(app.findings())).not.toContain(key);
  expect(ids(app)).toEqual(['envelope.error.code-is-status']);
});

it('an error that is not JSON is a finding, since no gateway is in front of the app', async () => {
  const app = judgeTraffic(express());
  await request(app).get('/v1/key').expect(404);
  expect(ids(app)).toEqual(['envelope.json-object']);
});

it('an answer that contains a forbidden value is a finding', async () => {
  const app = judgeTraffic((_, response) => void response.writeHead(200).end('{"data":"stored-value"}'), {
    canaries: ['stored-value'],
  });
  await request(app).get('/v1/key');
  expect(ids(app)).toContain('secrecy.body');
  expect(JSON.stringify(app.findings())).not.toContain('stored-value');
});

it('a full minute of a free model is not a finding, since tests may reset what the app counts', async () => {
  const served: RequestListener = (_, response) =>
    void response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"id":"gen-1"}');
  const app = judgeTraffic(served, { inferencePath: '/chat' });
  const ask = () => request(app).post('/v1/chat').auth(key, { type: 'bearer' }).send({ model: 'a/b:free' });
  for (let sent = 0; sent < 45; sent += 1) await ask().expect(200);
  expect(app.findings()).toEqual([]);
});

it('a request for another host, or one that the app breaks off, is not a finding', async () => {
  const app = judgeTraffic((asked, response) => {
    if (asked.headers.host === 'eu.test') response.writeHead(421).end('no');
    else if (asked.url === '/v1/key') response.destroy();
    else
      response.writeHead(404, { 'Content-Type': 'application/json' }).end(JSON.stringify(makeEnvelope(404)));
  });
  await request(app).get('/v1/key').set('Host', 'eu.test').expect(421);
  await expect(request(app).get('/v1/key')).rejects.toThrow('socket hang up');
  await request(app).get('/v1/guardrails/x').expect(404);
  expect(app.findings()).toEqual([]);
});

it('judgeTraffic says that no answer was judged instead of that there are no findings', async () => {
  const app = judgeTraffic(wrong);
  expect(() => app.findings()).toThrow('none of the 0 requests');
  await request(app).get('/api/v1/key');
  expect(() => app.findings()).toThrow('below /v1. Give judgeTraffic the path of the base URL as baseUrl.');
  const below = judgeTraffic(wrong, { baseUrl: '/api/v1/' });
  await request(below).get('/api/v1/key');
  expect(ids(below)).toEqual(['envelope.error.code-is-status']);
});

it('judgeTraffic passes on the error of an app that cannot be opened and ends the request', async () => {
  const ready = async () => Promise.reject(new Error('no database'));
  const app = judgeTraffic({ ready, server: createServer() });
  const rejection = new Promise((resolve) => process.once('unhandledRejection', resolve));
  await expect(request(app).get('/v1/key')).rejects.toThrow('socket hang up');
  expect(await rejection).toMatchObject({ message: 'no database' });
});

it.each<[string, unknown, object, string]>([
  ['an invalid app', 7, {}, 'app must be'],
  ['a base URL that is not a path', wrong, { baseUrl: 'http://a.test/v1' }, 'options.baseUrl must be a path'],
  ['a path without its slash', wrong, { inferencePath: 'chat' }, 'options.inferencePath must be a path'],
  ['an unknown option', wrong, { baseURL: '/v2' }, 'did you mean baseUrl?'],
  ['a base URL that is not a text', wrong, { baseUrl: new URL('http://a.test') }, 'options.baseUrl must be'],
  ['values that are not a list', wrong, { canaries: 'stored-value' }, 'must be a list of texts'],
  ['a value that is not a text', wrong, { canaries: [123_456_789] }, 'must be a list of texts'],
  ['a value that is too short', wrong, { canaries: ['short'] }, 'at least 8 characters'],
])('judgeTraffic refuses %s', (_what, app, options, message) => {
  expect(() => judgeTraffic(app as InProcessApp, options)).toThrow(message);
  expect(() => judgeTraffic(app as InProcessApp, options)).toThrow(TypeError);
});
