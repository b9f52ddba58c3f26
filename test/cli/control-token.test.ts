import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folder } from '../folders.js';
import type { Ended } from './command-runner.js';
import { plumbline, readReport } from './plumbline-process.js';
import { serveReference } from './servers.js';

const token = 'a-control-token-of-the-test-7f3a';

/** Runs with a token and also returns everything that left the process. */
async function run(report: string, ...flags: readonly string[]): Promise<Ended & { readonly all: string }> {
  const ended = await plumbline(['run', ...flags, '--report', report]);
  const all = `${ended.stdout}${ended.stderr}${readFileSync(join(report, 'report.json'), 'utf8')}`;
  return { ...ended, all };
}

it('the right token opens the control and appears in no output', async () => {
  const { controlUrl, worldCount } = await serveReference({ controlToken: token });
  const report = folder();
  const flags = ['--control', controlUrl, '--control-token', token, '--depth', 'quick'];
  const { code, stdout, all } = await run(report, ...flags);
  expect([code, stdout.split(':')[0]]).toEqual([0, 'conformant']);
  expect(readReport(report).verdict).toBe('conformant');
  expect(all).not.toContain(token);
  expect(worldCount()).toBe(0);
});

it('the token may come from the environment instead of the command line', async () => {
  const { controlUrl } = await serveReference({ controlToken: token });
  const env = { PLUMBLINE_CONTROL_TOKEN: token };
  const args = ['run', '--control', controlUrl, '--only', 'key-info.*', '--report', folder()];
  const { code, stdout, stderr } = await plumbline(args, { env });
  expect([code, stderr]).toEqual([0, expect.not.stringContaining(token)]);
  expect(stdout).not.toContain(token);
});

it.each([
  ['a wrong token', ['--control-token', 'another-token-of-the-test']] as const,
  ['no token', []] as const,
])('%s ends with 3 and a hint that names the variable', async (_name, flags) => {
  const { controlUrl, worldCount } = await serveReference({ controlToken: token });
  const report = folder();
  const { code, stdout, all } = await run(report, '--control', controlUrl, ...flags);
  expect(code).toBe(3);
  expect(stdout.replaceAll('\n', ' ')).toMatch(/^unjudged: .* was answered 401 .*PLUMBLINE_CONTROL_TOKEN/);
  expect(readReport(report).run.notes[0]).toContain('PLUMBLINE_CONTROL_TOKEN');
  expect(all).not.toContain(token);
  expect(all).not.toContain('another-token-of-the-test');
  expect(worldCount()).toBe(0);
});
