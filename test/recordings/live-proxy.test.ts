import { execFile, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import http from 'node:http';
import { connect, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { LiveProxy } from '../../recordings/live-proxy.js';
import { replaceHost } from '../../recordings/next-hop.js';
import type { PassedExchange } from '../../recordings/passing-exchange.js';
import { endWithTest } from '../ended-with-test.js';
import { listenInTest, serveReference } from '../servers.js';
import { startJudgingProxy } from './judging-proxy.js';
import { key, makeKeyData, writeRecording } from './recorded.js';

type Answering = (request: IncomingMessage, response: ServerResponse) => void;

/** Starts a target with the given answers behind a proxy that records its exchanges. */
async function startProxy(
  answer: Answering,
  options: { annotate?: (passed: PassedExchange) => string; target?: URL; server?: http.Server } = {},
) {
  const { annotate, server = http.createServer() } = options;
  server.on('request', answer);
  const passed: PassedExchange[] = [];
  const { target = new URL(await listenInTest(server)) } = options;
  const proxy = await LiveProxy.listen({
    ...{ target, host: '127.0.0.1', port: 0, tls: {} },
    isWatched: (url) => url.includes('/v1/'),
    onPassed: (exchange) => passed.push(exchange),
    ...(annotate === undefined ? {} : { annotate: async (passed) => annotate(passed) }),
  });
  onTestFinished(() => proxy.close(0));
  return { proxy, target, passed, origin: proxy.origin };
}

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: http.OutgoingHttpHeaders;
  readonly body?: Buffer | readonly Buffer[];
}

/** Sends a request unchanged and returns the answer with all its bytes. */
async function send(origin: string, { method = 'GET', path = '/v1/key', headers = {}, body }: Sent = {}) {
  const { hostname, port } = new URL(origin);
  // The path as it is: a URL would lose its dots.
  const request = http.request({ hostname, port, path, method, headers, agent: false });
  const lost = once(request, 'error').then(([error]) => Promise.reject(error as Error));
  lost.catch(() => undefined);
  for (const chunk of Array.isArray(body) ? body : body === undefined ? [] : [body]) request.write(chunk);
  request.end();
  const [response] = (await Promise.race([once(request, 'response'), lost])) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { response, body: Buffer.concat(chunks) };
}

const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

it('the proxy passes on bodies of every size in both directions, byte by byte', async () => {
  const { origin } = await startProxy((request, response) => void request.pipe(response));
  const sizes = [0, 1, 1_000, 65_536, 400_001, 10_000_000];
  await Promise.all(
    sizes.map(async (size) => {
      const body = randomBytes(size);
      const answer = await send(origin, { method: 'POST', body, path: '/v1/echo' });
      expect([size, hashOf(answer.body)]).toEqual([size, hashOf(body)]);
    }),
  );
});

it('the proxy passes on the method, path, status, reason phrase, trailers and fields in their order and spelling', async () => {
  let seen: IncomingMessage | undefined;
  const { origin, target } = await startProxy((request, response) => {
    seen = request;
    response.sendDate = false;
    response.writeHead(404, 'Nothing Here', ['X-One', '1', 'x-two', 'a', 'x-two', 'b', 'Trailer', 'X-Sum']);
    response.write('{}');
    response.addTrailers({ 'X-Sum': '7' });
    response.end();
  });
  const headers = { 'X-Odd-CASE': ['1', '2'], Authorization: 'Bearer abc' };
  const { response } = await send(origin, { method: 'DELETE', path: '/v1//a%2Fb/..?q=%20', headers });
  expect([seen?.method, seen?.url]).toEqual(['DELETE', '/v1//a%2Fb/..?q=%20']);
  expect(seen?.rawHeaders).toEqual(
    expect.arrayContaining(['X-Odd-CASE', '1', 'X-Odd-CASE', '2', 'Authorization', 'Bearer abc']),
  );
  expect(seen?.headers.host).toBe(target.host);
  expect([response.statusCode, response.statusMessage]).toEqual([404, 'Nothing Here']);
  expect(response.rawHeaders.slice(0, 6)).toEqual(['X-One', '1', 'x-two', 'a', 'x-two', 'b']);
  expect(response.trailers).toEqual({ 'x-sum': '7' });
  expect(response.headers.date).toBeUndefined();
  await send(origin, { headers: { Host: 'eu.vault.test' } });
  expect(seen?.headers.host).toBe('eu.vault.test');
});

it.each([
  ['127.0.0.1:8080', 8080, 'target.test'],
  ['localhost', 80, 'target.test'],
  ['localhost:80', 80, 'target.test'],
  ['eu.vault.test', 8080, 'eu.vault.test'],
  ['eu.vault.test:18080', 8080, 'eu.vault.test:18080'],
  ['eu.vault.test:443', 80, 'eu.vault.test:443'],
])('the proxy passes on a Host of %s while it listens on %d as %s', (host, port, passed) => {
  expect(replaceHost('target.test', [['Host', host]], port)).toEqual([['Host', passed]]);
});

it('the proxy passes on compressed bodies, answers without a body and an expectation', async () => {
  const { origin } = await startProxy((request, response) => {
    if (request.method === 'HEAD') response.writeHead(200, { 'content-length': '12' }).end();
    else if (request.method === 'DELETE') response.writeHead(204).end();
    else request.pipe(response.writeHead(200, { 'content-encoding': 'gzip' }));
  });
  expect((await send(origin, { method: 'HEAD' })).response.headers['content-length']).toBe('12');
  expect((await send(origin, { method: 'DELETE' })).response.statusCode).toBe(204);
  const body = gzipSync('abc');
  const headers = { expect: '100-continue', 'content-length': body.length };
  expect(gunzipSync((await send(origin, { method: 'POST', body, headers })).body).toString()).toBe('abc');
});

it.each([
  ['a reason phrase of any characters', '', 'Zu viel ✓', {}],
  ['the reason phrase of an annotated answer', '', 'Zu viel ✓', { annotate: () => 'auth.bearer' }],
  ['an answer after an invalid hint', 'HTTP/1.1 103 Hint\r\nLink: no link\r\n\r\n', 'Fine', {}],
])('the proxy passes on %s', async (_what, before, phrase, options) => {
  const head = `HTTP/1.1 200 ${phrase}\r\nContent-Length: 2\r\n\r\n`;
  const { origin } = await startProxy(({ socket }) => socket.end(`${before}${head}{}`), options);
  const { response, body } = await send(origin);
  const got = Buffer.from(response.statusMessage ?? '', 'latin1').toString();
  expect([got, body.toString()]).toEqual([phrase, '{}']);
});

it('the proxy passes on events as they arrive', async () => {
  let end: () => void = () => undefined;
  const { origin } = await startProxy((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
    end = () => response.end();
  });
  const request = http.get(`${origin}/v1/chat`, { agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const [first] = (await once(response, 'data')) as [Buffer];
  expect(first.toString()).toBe('data: 1\n\n');
  end();
  await once(response, 'end');
});

it('the proxy passes on an upgraded connection without judging it, and counts that', async () => {
  const server = http.createServer().on('upgrade', (_request, socket, head) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n');
    socket.write(head);
    socket.pipe(socket);
  });
  const { origin, passed, proxy } = await startProxy(() => undefined, { server });
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  socket.write('GET /v1/x HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nping');
  let text = '';
  for await (const chunk of socket) {
    text += String(chunk);
    if (text.endsWith('ping')) break;
  }
  expect(text).toMatch(/^HTTP\/1\.1 101 .*ping$/s);
  expect([passed, proxy.unseen]).toEqual([[], 1]);
});

it('the proxy answers 502 for an answer that is not valid HTTP', async () => {
  const { origin } = await startProxy(({ socket }) => socket.end('HTTP/1.1 200 OK\r\nX(Y): 1\r\n\r\n'));
  const { response, body } = await send(origin);
  const words = expect.stringContaining("the target's answer is not valid HTTP");
  expect([response.statusCode, body.toString()]).toEqual([502, words]);
});

it('a target that resets in the middle of a body resets the client', async () => {
  const { origin } = await startProxy((_request, response) => {
    response.writeHead(200, { 'content-length': '1000' }).write('half');
    setTimeout(() => response.socket?.resetAndDestroy(), 20);
  });
  await expect(send(origin)).rejects.toMatchObject({ code: 'ECONNRESET' });
});

const errorEvent = 'data: {"id":5,"error":{"code":500,"message":"x"}}\n\n';
const streamHead = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n';
const brokenStream = `${streamHead}${errorEvent.length.toString(16)}\r\n${errorEvent}\r\n`;

it.each<readonly [string, (answer: Socket) => void]>([
  ['the client leaves', () => undefined],
  ['the target resets', (answer) => setTimeout(() => answer.resetAndDestroy(), 20)],
  ['the target ends too early', (answer) => answer.end()],
])('the events of a stream are judged if %s after an error event', async (who, breakOff) => {
  const server = http.createServer(({ socket }) => {
    socket.write(brokenStream);
    breakOff(socket);
  });
  const proxy = await startJudgingProxy(`${await listenInTest(server)}/v1`);
  endWithTest(() => proxy.close());
  const body = '{"model":"acme/large","stream":true}';
  const headers = { authorization: `Bearer ${key}` };
  const request = http.request(`${proxy.url}/chat/completions`, { method: 'POST', headers, agent: false });
  request.on('error', () => undefined).end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.on('error', () => undefined);
  await once(response, 'data');
  if (who === 'the client leaves') response.destroy();
  await expect.poll(() => [...proxy.failed]).toContain('stream-error.id');
  expect([...proxy.failed].filter((id) => !id.startsWith('stream-error.'))).toEqual([]);
});

it('an answer that a client does not wait for leaves no requirement open', async () => {
  const server = http.createServer((_, response) => void response.writeHead(200).write('{"data":'));
  const proxy = await startJudgingProxy(`${await listenInTest(server)}/v1`);
  endWithTest(() => proxy.close());
  const headers = { authorization: `Bearer ${key}` };
  const request = http.get(`${proxy.url}/key`, { headers, agent: false }).on('error', () => undefined);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.on('error', () => undefined).destroy();
  await expect.poll(() => proxy.judge.counts.undecided).toBe(1);
  expect(proxy.judge.rows.row('key-info.200.data')).toBeUndefined();
});

it('a 204 that announces a body is passed on and judged, and so is a 304 that announces one', async () => {
  const { origin, passed } = await startProxy(({ socket, method }) => {
    const status = method === 'DELETE' ? '204 No Content' : '304 Not Modified';
    socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 2\r\n\r\n${method === 'DELETE' ? '{}' : ''}`);
  });
  const statuses = [(await send(origin, { method: 'DELETE' })).response, (await send(origin)).response];
  expect(statuses.map(({ statusCode }) => statusCode)).toEqual([204, 304]);
  expect(passed.map(({ answer }) => [answer?.headers, answer?.isCut])).toEqual(
    Array.from({ length: 2 }, () => [[['Content-Length', '2']], false]),
  );
});

it('a client that disconnects ends the request to the target', async () => {
  let isClosed = false;
  const { origin } = await startProxy((_request, response) => {
    response.on('close', () => {
      isClosed = true;
    });
    response.writeHead(200).write('x');
  });
  const request = http.get(`${origin}/v1/key`, { agent: false });
  await once(request, 'response');
  request.destroy();
  await expect.poll(() => isClosed).toBe(true);
});

it('a target that cannot be reached gets the client a 502, which is not judged as an answer', async () => {
  const target = new URL('http://127.0.0.1:1');
  const { origin, passed } = await startProxy(() => undefined, { target });
  const { response, body } = await send(origin);
  const words = 'plumbline proxy: could not reach the target (ECONNREFUSED)\n';
  expect([response.statusCode, body.toString()]).toEqual([502, words]);
  expect(passed.map(({ answer }) => answer)).toEqual([undefined]);
});

it('the proxy judges the exchange of the target with the beginning of long bodies, and not those of other paths', async () => {
  const { origin, passed, target } = await startProxy((request, response) => {
    request.resume().on('end', () => response.end(Buffer.alloc(3_000_000, 'a')));
  });
  await send(origin, { method: 'POST', body: Buffer.from('{"model":"m"}'), path: '/v1/chat' });
  await send(origin, { path: '/health' });
  await expect.poll(() => passed.length).toBe(2);
  expect(passed[1]).toMatchObject({ url: `${target.origin}/health`, isWatched: false });
  expect(passed[1]?.answer?.body.length).toBeLessThan(65_536);
  const [{ method, url, headers = [], body, answer } = {} as Partial<PassedExchange>] = passed;
  expect([method, url]).toEqual(['POST', `${target.origin}/v1/chat`]);
  expect(headers.find(([name]) => name.toLowerCase() === 'host')?.[1]).toBe(target.host);
  expect(Buffer.from(body ?? []).toString()).toBe('{"model":"m"}');
  expect(answer?.body.length).toBe(400_001);
});

it('the proxy judges an ordinary exchange even while long bodies fill its buffer', async () => {
  const waiting: ServerResponse[] = [];
  const { origin, passed, proxy } = await startProxy((request, response) => {
    request.resume().on('end', () => {
      if (request.url === '/v1/key') response.end('{}'.padEnd(200));
      else waiting.push(response);
    });
  });
  const long = { method: 'POST', path: '/v1/chat', body: Buffer.alloc(399_999, 'a') };
  const sent = Array.from({ length: 26 }, () => send(origin, long));
  await expect.poll(() => waiting.length, { timeout: 10_000 }).toBe(sent.length);
  await send(origin, { method: 'POST', body: Buffer.alloc(2_000) });
  await expect.poll(() => passed.map(({ url }) => new URL(url).pathname)).toEqual(['/v1/key']);
  for (const response of waiting) response.end();
  await Promise.all(sent);
  await expect.poll(() => passed.length - 1 + proxy.unseen).toBe(sent.length);
  expect(passed.length).toBeGreaterThan(10);
});

it('an exchange can move to another thread while its answer waits for an annotation', async () => {
  const text = '{}'.padEnd(20_000);
  const { origin } = await startProxy((_request, response) => void response.end(text), {
    annotate: ({ answer }) => {
      const moved = structuredClone(answer, { transfer: answer ? [answer.body.buffer as ArrayBuffer] : [] });
      return `${moved?.body.length}`;
    },
  });
  for (let sent = 0; sent < 2; sent++) {
    const { response, body } = await send(origin);
    expect([response.headers['x-plumbline'], body.toString()]).toEqual(['20000', text]);
  }
});

it('no report of the proxy contains a secret that passed on another path', async () => {
  const secret = 'opens-everything-0815';
  const target = await listenInTest(
    http.createServer((request, response) => {
      const isLogin = request.url === '/login';
      const body = isLogin ? { access_token: `${secret}-4` } : { error: { code: 400, message: '' } };
      const text = JSON.stringify({ ...body, echo: [1, 2, 3, 4].map((at) => `${secret}-${at}`) });
      response.writeHead(isLogin ? 200 : 401, { 'content-type': 'application/json' }).end(text);
    }),
  );
  const proxy = await startJudgingProxy(`${target}/v1`);
  endWithTest(() => proxy.close());
  const { origin } = new URL(proxy.url);
  const headers = { Authorization: `Bearer ${secret}-1`, Cookie: `id=${secret}-2` };
  await send(origin, { path: `/other?token=${secret}-3`, headers });
  await send(origin, { path: '/login' });
  await send(origin);
  await expect.poll(() => proxy.failed.size).toBeGreaterThan(0);
  expect(proxy.judge.entries).toBe(1);
  expect(JSON.stringify(proxy.judge.redact(proxy.judge.rows.violations))).not.toContain(secret);
});

it('the proxy takes no key for missing because it looks like a mask', async () => {
  const target = await listenInTest(
    http.createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(makeKeyData()));
    }),
  );
  const proxy = await startJudgingProxy(`${target}/v1`);
  endWithTest(() => proxy.close());
  await send(new URL(proxy.url).origin, { headers: { Authorization: 'Bearer xxxx-without-a-digit' } });
  await expect.poll(() => proxy.judge.counts.judged).toBe(1);
  expect([...proxy.failed]).toEqual([]);
});

it('curl gets the same answers through a proxy, and they are judged', async ({ skip }) => {
  skip(spawnSync('curl', ['--version']).status !== 0, 'no curl');
  const { baseUrl, openWorld } = await serveReference();
  const proxy = await startJudgingProxy(baseUrl);
  endWithTest(() => proxy.close());
  const { keys, interns } = openWorld('clients');
  const secret = `/vault/interns/${interns.own}/secrets/never_stored`;
  const member = ['-H', `Authorization: Bearer ${keys.member}`];
  const messages = [{ content: 'x'.repeat(50_000) }];
  const long = writeRecording('long.json', JSON.stringify({ model: 'acme/tiny:free', messages }));
  const asked = [
    ['/key', ...member],
    ['/key', ...member, '--http1.0'],
    ['/key', '-I'],
    [secret, ...member, '-X', 'DELETE'],
    ['/chat/completions', ...member, '-H', 'Expect: 100-continue', '-d', `@${long}`],
    ['/chat/completions', ...member, '-H', 'Transfer-Encoding: chunked', '-d', `@${long}`],
    ['/chat/completions', ...member, '-N', '-d', '{"model":"acme/tiny:free","stream":true}'],
  ];
  const ask = (url: string) =>
    Promise.all(
      asked.map(async ([path, ...flags]) => {
        const args = ['-sS', '-w', '%{http_code}', ...flags, `${url}${path}`];
        const { stdout } = await promisify(execFile)('curl', args);
        return stdout.replace(/gen-[\w-]+|"created":\d+|^(?:date|connection|keep-alive):[^\n]*\n/gim, '');
      }),
    );
  const answers = await ask(proxy.url);
  expect(answers.map((text) => text.slice(-3))).toEqual(['200', '200', '401', '404', '200', '200', '200']);
  expect(answers).toEqual(await ask(baseUrl));
  expect([...proxy.failed]).toEqual([]);
  expect(proxy.judge.counts.judged).toBe(asked.length);
});
