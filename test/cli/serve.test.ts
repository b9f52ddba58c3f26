import { execFile } from 'node:child_process';
import net from 'node:net';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { ROLES } from '../../reference/world.js';
import { endWithTest } from '../ended-with-test.js';
import { plumbline, runInto, type Surroundings, start } from './plumbline-process.js';

/** Starts `serve`, which ends with the test; `value` reads what it printed beside a name. */
async function serve(flags = '', surroundings?: Surroundings) {
  const running = start(`serve --port 0${flags}`, surroundings);
  endWithTest(async () => {
    running.child.kill('SIGKILL');
    await running.ended;
  });
  const welcome = await running.printed('Press Ctrl+C to stop.\n');
  const value = (name: string): string =>
    new RegExp(`^ *${name} +(\\S+)$`, 'm').exec(welcome)?.[1] ?? `serve did not print "${name}"`;
  return { ...running, welcome, value };
}

it('serve takes the token of its control from the environment and names the variable in its help', async () => {
  const token = 'a-token-of-the-test-4711';
  const control = (await serve('', { env: { PLUMBLINE_CONTROL_TOKEN: token } })).value('control URL');
  expect((await fetch(control)).status).toBe(401);
  expect((await fetch(control, { headers: { Authorization: `Bearer ${token}` } })).status).toBe(200);
  expect((await plumbline('serve --help')).stdout).toContain('PLUMBLINE_CONTROL_TOKEN');
});

it.each([
  ['--mutant', 'envelope.vault-404-without-message', 1],
  ['--variant', 'problem-json', 0],
] as const)('serve %s %s runs that server and says so', async (flag, id, code) => {
  const { welcome, value } = await serve(` ${flag} ${id}`);
  expect(welcome).toMatch(new RegExp(`^${flag.slice(2)} ${id}: `));
  const only = '--only envelope.* --only vault-delete.404.* --depth quick';
  const judged = await runInto(`--control ${value('control URL')} ${only}`);
  expect(judged.code, judged.stdout).toBe(code);
});

it.each(['', ' --control-token a-token-of-the-test'])(
  'serve prints a world that is ready to use, and curl commands that read, store and delete (flags%s)',
  async (flags) => {
    const { welcome, value } = await serve(flags);
    expect(value('base URL')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    for (const role of ROLES) expect(value(role)).toMatch(/^sk-/);
    for (const id of ['own', 'sibling', 'foreign', 'guardrail'])
      expect(value(id)).toMatch(/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/);
    const lines = welcome.split('\n').filter((line) => line.startsWith('  curl '));
    const answers: string[] = [];
    // As if they were pasted; what is deleted already is not found again.
    for (const line of [...lines, lines[2] ?? ''])
      answers.push((await promisify(execFile)('sh', ['-c', line])).stdout);
    const statuses = answers.map((answer) => /^HTTP\/1\.1 (.*)\r$/m.exec(answer)?.[1]);
    expect(statuses).toEqual(['200 OK', '204 No Content', '204 No Content', '404 Not Found']);
    expect(answers[0]).toContain('"limit_remaining":');
  },
);

it.each(['SIGINT', 'SIGTERM'] as const)('serve ends with 0 on %s despite an open client', async (signal) => {
  const { child, ended, value } = await serve();
  const { hostname, port } = new URL(value('base URL'));
  const client = net.connect({ host: hostname, port: Number(port) }).on('error', () => undefined);
  await new Promise((resolve) => client.once('connect', resolve));
  // A server that waits for the rest of this request would never end.
  client.write('GET /v1/key HTTP/1.1\r\nHost: h\r\n');
  expect((await fetch(value('base URL'))).status).toBe(404);
  const begun = performance.now();
  child.kill(signal);
  const { code, stderr } = await ended;
  client.destroy();
  expect([code, stderr]).toEqual([0, '']);
  expect(performance.now() - begun).toBeLessThan(20_000);
});

it('serve says that its port is in use, or that its address does not belong to this machine', async () => {
  const { port } = new URL((await serve()).value('base URL'));
  const taken = await plumbline(`serve --port ${port}`);
  const words = `plumbline: port ${port} on 127.0.0.1 is in use. Stop what listens there, or choose another port.\n`;
  expect([taken.code, taken.stdout, taken.stderr]).toEqual([2, '', words]);
  const elsewhere = await plumbline('serve --port 0 --host 203.0.113.7');
  expect(elsewhere.code).toBe(2);
  expect(elsewhere.stderr).toMatch(/^plumbline: cannot listen on 203\.0\.113\.7, .*\n$/);
});
