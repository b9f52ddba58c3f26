import { spawn } from 'node:child_process';
import net from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ROLES } from '../../reference/vocabulary.js';
import { folder } from '../folders.js';
import type { Ended } from './command-runner.js';
import { expectNoStack, plumbline, type Running, readReport, start } from './plumbline-process.js';

const serving: Running[] = [];
afterEach(async () => {
  for (const { child, ended } of serving.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
});
async function serve(...flags: readonly string[]): Promise<Running & { readonly welcome: string }> {
  const running = start(['serve', '--port', '0', ...flags]);
  serving.push(running);
  return { ...running, welcome: await running.printed('Press Ctrl-C to stop.\n') };
}

function readValue(welcome: string, name: string): string {
  const value = new RegExp(`^ *${name} +(\\S+)$`, 'm').exec(welcome)?.[1];
  if (value === undefined) throw new Error(`serve did not print "${name}".`);
  return value;
}

/** Runs a line as if it were pasted into a shell; returns its output. */
function shell(line: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('sh', ['-c', line], { stdio: ['ignore', 'pipe', 'ignore'] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.once('error', reject);
    child.once('close', () => resolve(output));
  });
}

async function stop(running: Running, signal: NodeJS.Signals): Promise<Ended & { readonly took: number }> {
  const begun = performance.now();
  running.child.kill(signal);
  const ended = await running.ended;
  return { ...ended, took: performance.now() - begun };
}

describe('serve', () => {
  it('serve takes the token of its control from the environment and names the variable in its help', async () => {
    const token = 'a-token-of-the-test-4711';
    const running = start(['serve', '--port', '0'], { env: { PLUMBLINE_CONTROL_TOKEN: token } });
    serving.push(running);
    const control = readValue(await running.printed('Press Ctrl-C to stop.\n'), 'control URL');
    expect((await fetch(control)).status).toBe(401);
    expect((await fetch(control, { headers: { Authorization: `Bearer ${token}` } })).status).toBe(200);
    const { stdout } = await plumbline(['serve', '--help']);
    expect(stdout).toContain('PLUMBLINE_CONTROL_TOKEN');
  });

  it('serve refuses a variable for the token that is set but empty', async () => {
    const { code, stderr } = await plumbline(['serve', '--port', '0'], {
      env: { PLUMBLINE_CONTROL_TOKEN: '' },
    });
    expect([code, stderr]).toEqual([2, expect.stringContaining('PLUMBLINE_CONTROL_TOKEN is set but empty')]);
  });

  it.each([
    ['--mutant', 'envelope.vault-404-without-message', 1],
    ['--variant', 'problem-json', 0],
  ] as const)('serve %s %s runs that server and says so', async (flag, id, code) => {
    const { welcome } = await serve(flag, id);
    expect(welcome).toMatch(new RegExp(`^${flag.slice(2)} ${id}: `));
    const only = ['--only', 'envelope.*', '--only', 'vault-delete.404.*', '--depth', 'quick'];
    const judged = await plumbline([
      'run',
      '--control',
      readValue(welcome, 'control URL'),
      ...only,
      '--report',
      folder(),
    ]);
    expect(judged.code, judged.stdout).toBe(code);
  });

  it('serve refuses two servers at once', async () => {
    const { code, stderr } = await plumbline(['serve', '--mutant', 'a.b', '--variant', 'c']);
    expect([code, stderr]).toEqual([
      2,
      'plumbline: --mutant and --variant cannot be combined. Remove one of them.\n',
    ]);
  });

  it('serve prints the addresses and a world that is ready to use', async () => {
    const { welcome } = await serve();
    expect(readValue(welcome, 'base URL')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    expect(readValue(welcome, 'control URL')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/control$/);
    for (const role of ROLES) expect(readValue(welcome, role)).toMatch(/^sk-/);
    for (const id of ['own', 'sibling', 'foreign', 'guardrail']) {
      expect(readValue(welcome, id)).toMatch(/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/);
    }
  });

  it.each([[[]], [['--control-token', 'a-token-of-the-test']]])(
    'serve prints curl commands that read, store and delete (flags %j)',
    async (flags) => {
      const { welcome } = await serve(...flags);
      const lines = welcome.split('\n').filter((line) => line.startsWith('  curl '));
      const answers: string[] = [];
      for (const line of lines) answers.push(await shell(line));
      expect(answers.map((answer) => answer.split('\r\n')[0])).toEqual([
        'HTTP/1.1 200 OK',
        'HTTP/1.1 204 No Content',
        'HTTP/1.1 204 No Content',
      ]);
      expect(answers[0]).toContain('"limit_remaining":');
      expect((await shell(lines[2] ?? '')).split('\r\n')[0]).toBe('HTTP/1.1 404 Not Found');
    },
  );

  it('a run in another process judges the served reference as conformant', async () => {
    const { welcome } = await serve('--host', 'localhost');
    const report = folder();
    const flags = ['--depth', 'quick', '--report', report];
    const ended = await plumbline(['run', '--control', readValue(welcome, 'control URL'), ...flags]);
    expect(ended.code, ended.stdout).toBe(0);
    expect(ended.stdout).toMatch(/^conformant: /);
    const { target, totals, verdict } = readReport(report);
    expect(target).toEqual({
      base_url: readValue(welcome, 'base URL'),
      control: true,
      control_url: readValue(welcome, 'control URL'),
    });
    expect([verdict, totals['not-exercised']]).toEqual(['conformant', 0]);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'serve ends with 0 on %s while a client is connected',
    async (signal) => {
      const running = await serve();
      const { hostname, port } = new URL(readValue(running.welcome, 'base URL'));
      const client = net.connect({ host: hostname, port: Number(port) }).on('error', () => undefined);
      await new Promise((resolve) => client.once('connect', resolve));
      // A server that waits for the rest of this request would never end.
      client.write('GET /v1/key HTTP/1.1\r\nHost: h\r\n');
      expect((await fetch(readValue(running.welcome, 'base URL'))).status).toBe(404);
      const ended = await stop(running, signal);
      client.destroy();
      expect(ended.code).toBe(0);
      expect(ended.took).toBeLessThan(20_000);
      expect(ended.stderr).toBe('');
    },
  );

  it('serve says that its port is in use', async () => {
    const { welcome } = await serve();
    const { port } = new URL(readValue(welcome, 'base URL'));
    const ended = await plumbline(['serve', '--port', port]);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toBe(
      `plumbline: Port ${port} on 127.0.0.1 is in use. Stop what listens there, or choose another port.\n`,
    );
    expect(ended.stdout).toBe('');
  });

  it('serve says that its address does not belong to this machine', async () => {
    const ended = await plumbline(['serve', '--port', '0', '--host', '203.0.113.7']);
    expectNoStack(ended);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(/^plumbline: Cannot listen on 203\.0\.113\.7, .*\n$/);
  });
});
