import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { endWithTest } from '../ended-with-test.js';
import { serveReference } from '../servers.js';
import { startJudgingProxy } from './judging-proxy.js';
import { writeRecording } from './recorded.js';

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
