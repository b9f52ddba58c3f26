import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Behaviour } from '../../reference/behaviour.js';
import { conforming } from '../../reference/conforming.js';
import { behaveAsMutant } from '../behaviours.js';
import { folder } from '../folders.js';
import { idsWith } from '../report-rows.js';
import { serveReference, startServer } from '../servers.js';
import { plumbline, readReport, runInto, type Surroundings, start } from './plumbline-process.js';

const atMostMs = 60_000;
const messageAlone = behaveAsMutant('envelope.key-401-message-alone');

async function startProxy(
  behaviour: Behaviour,
  flags: readonly string[] = [],
  write: (url: string) => string = (url) => url,
  env: Surroundings['env'] = {},
) {
  const server = await serveReference({ behaviour, host: 'localhost' });
  const directory = folder();
  const base = write(server.baseUrl);
  const target = ['--target', base, '--listen', '0', '--inference-path', '/chat/completions'];
  const proxy = start(['proxy', ...target, '--report', directory, ...flags], { atMostMs, env });
  const url = await new Promise<string>((resolve, reject) => {
    let text = '';
    proxy.child.stderr?.on('data', (chunk) => {
      text += chunk;
      const [, found] = /passes from (\S+) to/.exec(text) ?? [];
      if (found !== undefined) resolve(found);
    });
    void proxy.ended.then(({ stderr }) => reject(new Error(stderr)));
  });
  const end = async () => {
    proxy.child.kill('SIGINT');
    return proxy.ended;
  };
  return { ...proxy, ...server, url: url.replace('127.0.0.1', 'localhost'), directory, end };
}

// These tests mostly wait.
describe.concurrent('plumbline proxy', () => {
  it('proxy changes nothing for a quick run and finds no violation of a conforming server', async () => {
    const record = join(folder(), 'passed.har');
    const proxy = await startProxy(conforming, ['--record', record]);
    // The suite is its most demanding client.
    const target = `--target ${proxy.url} --control ${proxy.controlUrl}`;
    const through = await runInto(
      `${target} --depth quick --seed 3 --only {vault-delete,key-info,inference}.*`,
    );
    expect([through.code, idsWith(through.report(), 'fail')]).toEqual([0, []]);
    const { code, stderr } = await proxy.end();
    const report = readReport(proxy.directory);
    expect([code, report.verdict, idsWith(report, 'fail')], stderr).toEqual([4, 'incomplete', []]);
    expect(idsWith(report, 'pass').length).toBeGreaterThan(40);
    expect(stderr).not.toContain('violation');
    const har = JSON.parse(readFileSync(record, 'utf8'));
    expect(har.log.entries.length).toBeGreaterThan(100);
    expect(readFileSync(record, 'utf8')).not.toMatch(/sk-[A-Za-z0-9]{16}/);
    const observed = folder();
    await plumbline(['observe', record, '--report', observed, '--inference-path', '/chat/completions']);
    expect(idsWith(readReport(observed), 'fail')).toEqual([]);
  });

  it('proxy reports a violation once, names it in the answer and ends with 1 at the first if asked to', async () => {
    const proxy = await startProxy(messageAlone, ['--bail', '--annotate']);
    const answer = await fetch(`${proxy.url}/key`);
    expect(answer.headers.get('x-plumbline')).toContain('envelope.');
    const { code, stderr } = await proxy.ended;
    expect(code).toBe(1);
    expect(stderr.match(/^violation of envelope\.\S+: /gm)).not.toEqual(null);
    expect(readReport(proxy.directory).verdict).toBe('non-conformant');
  });

  it('proxy ends after the given number of seconds', async () => {
    const timed = await startProxy(conforming, ['--max-time', '1']);
    expect((await timed.ended).code).toBe(3);
  });

  it('proxy shows on a terminal how much it judges, sees and finds, and ends after the given number of exchanges', async () => {
    const asTerminal = { NODE_OPTIONS: '--import "data:text/javascript,process.stderr.isTTY=true"' };
    const proxy = await startProxy(messageAlone, ['--requests', '2'], undefined, asTerminal);
    for (let sent = 0; sent < 2; sent++) await fetch(`${proxy.url}/key`);
    const { code, stderr } = await proxy.ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /2 exchanges judged \([0-2]\/s\), 2 requirements seen, 2 violations of 1 requirement\b/,
    );
  });

  it('proxy judges requests below the base URL however it is written, and reports its flags', async () => {
    const written = (url: string) => `${url.replace('http://localhost', 'HTTP://LocalHost')}/`;
    const proxy = await startProxy(messageAlone, ['--insecure'], written);
    const { origin } = new URL(proxy.url);
    for (const path of ['/v1/key', '/v10/key', '/v1?x', '/V1/key', '/health'])
      await fetch(`${origin}${path}`);
    const { stdout } = await proxy.end();
    const { run, target, checks } = readReport(proxy.directory);
    expect(run.recording).toMatchObject({ files: [], entries: 1, judged: 1 });
    const words = stdout.replace(/\s+/g, ' ');
    expect(words).toContain('Traffic through the proxy: 1 exchange; 1 judged of http://localhost:');
    expect(target.insecure).toBe(true);
    expect(words).toContain('TLS certificates were not verified');
    const { command } = checks.flatMap(({ failure }) => failure?.reproduce ?? [])[0] ?? { command: '' };
    expect(command).toMatch(
      /^plumbline proxy --target http:\/\/localhost:\d+\/v1 --listen 0 --inference-path \/chat\/completions --insecure --only envelope\./,
    );
  });

  it('proxy says what to do if it cannot listen', async () => {
    const { port } = new URL(await startServer(() => undefined));
    const target = ['--target', 'http://127.0.0.1:1/v1', '--report', folder()];
    const { code, stderr } = await plumbline(['proxy', ...target, '--listen', port]);
    expect([code, stderr]).toEqual([
      2,
      `plumbline: another process listens on 127.0.0.1:${port}. Give --listen another port; 0 takes a free one.\n`,
    ]);
  });

  it.each([
    [
      'its own address',
      'localhost:4010',
      ['--host', '127.0.0.1'],
      'is the address that the proxy listens on',
    ],
    ['its own address, in IPv6', '[::1]:4010', ['--host', '::'], 'is the address that the proxy listens on'],
    ['a folder to record to', '127.0.0.1:1', ['--record', folder()], 'is in the way'],
  ])('proxy refuses %s before it starts', async (_, target, flags, words) => {
    const args = ['proxy', '--target', `http://${target}/v1`, '--listen', '4010', '--report', folder()];
    const { code, stderr } = await plumbline([...args, ...flags]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^plumbline: [^\n]+\n$/)]);
    expect(stderr).toContain(words);
  });

  it('proxy says once why the target cannot be reached, and in the report', async () => {
    const proxy = await startProxy(conforming, [], () => 'http://127.0.0.1:1/v1');
    for (let sent = 0; sent < 2; sent++) await fetch(`${proxy.url}/key`);
    const { code, stdout, stderr } = await proxy.end();
    const why = 'could not reach http://127.0.0.1:1 (ECONNREFUSED): nothing listens there. Check the host';
    expect([code, stderr.split(why).length]).toEqual([3, 2]);
    const words = stdout.replace(/\s+/g, ' ');
    for (const text of [why, '2 requests passed on']) expect(words).toContain(text);
  });
});
