import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import request from 'supertest';
import { expect, it } from 'vitest';
import { endWithTest } from '../ended-with-test.js';
import { bearer } from '../reference/arrange.js';
import { serveReference } from '../servers.js';
import { startJudgingProxy } from './judging-proxy.js';
import { writeRecording } from './recorded.js';

async function startProxied() {
  const server = await serveReference();
  const proxy = await startJudgingProxy(server.baseUrl);
  endWithTest(() => proxy.close());
  const { keys, interns, guardrail_id: guardrail } = server.openWorld('clients');
  const secret = `/vault/interns/${interns.own}/secrets/never_stored`;
  return { baseUrl: server.baseUrl, proxy, keys, secret, guardrail };
}

it('supertest gets the same answers through a proxy, and they are judged', async () => {
  const { baseUrl, proxy, keys, secret, guardrail } = await startProxied();
  const member = bearer(keys.member ?? '');
  const ask = async (url: string) => {
    const answers = await Promise.all([
      request(url).get('/key').set(member),
      request(url).get('/key').set('Host', 'eu.vault.test'),
      request(url).delete(secret).set(member),
      request(url)
        .get(`/guardrails/${guardrail}`)
        .set(bearer(keys.management ?? '')),
      request(url).post('/chat/completions').set(member).send({ model: 'acme/tiny:free' }),
      request(url).head('/key'),
    ]);
    return answers.map(({ status, text, headers }) => {
      const { date: _, connection: __, ...rest } = headers;
      return {
        status,
        text: text?.replace(/gen-[\w-]+|"created":\d+/g, ''),
        headers: Object.keys(rest).sort(),
      };
    });
  };
  expect(await ask(proxy.url)).toEqual(await ask(baseUrl));
  expect([...proxy.failed]).toEqual([]);
  expect(proxy.judge.counts.judged).toBe(6);
});

it('curl gets the same answers through a proxy, and they are judged', async ({ skip }) => {
  skip(spawnSync('curl', ['--version']).status !== 0, 'no curl');
  const { baseUrl, proxy, keys, secret } = await startProxied();
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
