import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { toolVersion } from '../../spec/version.js';
import { folder } from '../folders.js';
import { command, plumbline } from './plumbline-process.js';

/** Usage errors, with the word in the message that names the wrong part. */
const wrongCalls: readonly (readonly [args: readonly string[], named: string])[] = [
  [['run', '--format', 'html,yaml'], '--format'],
  [['run', '--no-such-flag'], '--no-such-flag'],
  [['judge'], 'judge'],
  [['run', '--reference', '--only', 'nothing.*'], 'nothing.*'],
  [['run', '--reference', '--skip', 'vault-delete.405.*'], 'vault-delete.405.*'],
  [['run', '--reference', '--only', 'auth.*', '--only', 'nothing'], '"nothing"'],
  [['run', '--concurrency', '0'], '--concurrency'],
  [['run', '--concurrency', '1.5'], '--concurrency'],
  [['run', '--concurrency', '-1'], '--concurrency'],
  [['run', '--timeout', 'x'], '--timeout'],
  [['run', '--timeout', '0'], '--timeout'],
  [['run', '--max-time', '10s'], '--max-time'],
  [['run', '--target', 'ftp://x'], '--target'],
  [['run', '--target', '127.0.0.1:4010/v1'], '--target'],
  [['run', '--control', 'http://user:secret-word@127.0.0.1/'], 'password'],
  [['run', '--target'], '--target'],
  [['run', '--max-requests', '0'], '--max-requests'],
  [['run', '--rate', '0'], '--rate'],
  [['run', '--shard', '4/3'], '--shard'],
  [['run', '--profile', 'no-such-profile.yaml'], 'no-such-profile.yaml'],
  [['run', '--reference', '--waivers', 'no-such-waivers.yaml'], 'no-such-waivers.yaml'],
  [['run', '--reference', '--propose-waivers', 'no-such-folder/waivers.yaml'], 'no-such-folder'],
  [['run', '--ledger', 'newest'], '--ledger'],
  [['run', '--ledger', '0.0.9'], '0.1.0'],
  [['run', '--ledger', '99.0.0'], toolVersion],
  [['prove', '--only', 'nothing.*'], 'nothing.*'],
  [['serve', '--mutant', 'no-such-mutant'], 'no-such-mutant'],
  [['compare', 'no-such-report', 'other'], 'no-such-report'],
  [['compare', 'a', 'b', '--fail-on', 'rain'], '--fail-on'],
  [['trend', 'no-such-history'], 'no-such-history'],
  [['serve', '--port', '65536'], '--port'],
  [['serve', '--port', 'http'], '--port'],
  [['requirements', '--only', 'nothing.*'], 'nothing.*'],
  [['run', '--reference', '--only', 'auth.*', '--skip', 'auth.*'], 'requirement'],
  [['requirements', '--only', 'auth.*', '--skip', 'auth.*'], 'requirement'],
];

async function refusal(args: readonly string[]): Promise<string> {
  const cwd = folder();
  const { code, stdout, stderr } = await plumbline(args, { cwd });
  expect(code, stderr).toBe(2);
  expect(stdout).toBe('');
  expect(stderr).toMatch(/^[^\n]+\n(?:[^\n]+\n)?$/);
  expect(readdirSync(cwd), 'wrong usage writes no report').toEqual([]);
  return stderr;
}

describe('usage errors', () => {
  it.concurrent.each(wrongCalls)('%j ends with 2 and a line that names the error', async (args, named) => {
    expect(await refusal(args)).toContain(named);
  });

  it('a usage error does not repeat a password', async () => {
    expect(await refusal(['run', '--control', 'http://127.0.0.1/', '--target', 'http://u:p@x/'])).toContain(
      'password',
    );
  });
});

// Timers of Node.js run for 24.8 days at most and take a longer time for 1 ms.
it.concurrent.each(['--max-time', '--timeout'])('run refuses or honours a very long %s', async (flag) => {
  const args = [
    ...'run --reference --only key-info.200.read --depth quick'.split(' '),
    flag,
    ...'3000000 --report'.split(' '),
    folder(),
  ];
  expect([0, 2]).toContain((await plumbline(args)).code);
});

it('a usage error ends with 2 even if nobody reads the output', async () => {
  const script = `{ sleep 0.1; "${process.execPath}" "${command}" judge 2>&1; echo "code $?" >&3; } 3>&2 | true`;
  expect((await promisify(execFile)('sh', ['-c', script])).stderr).toBe('code 2\n');
});

it('plumbline without a command shows the help and ends with 2', async () => {
  const { code, stderr } = await plumbline([]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^Usage: plumbline /);
});

it.each([
  ['--help'],
  ['help'],
  ['run', '--help'],
  ['serve', '--help'],
  ['requirements', '--help'],
  ['observe', '--help'],
])('help ends with 0 (%s %s)', async (...args) => {
  const { code, stdout, stderr } = await plumbline(args);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^Usage: plumbline /);
});

it('the help of run names every flag that it takes', async () => {
  const { stdout } = await plumbline(['run', '--help']);
  const flags = ['target', 'control', 'control-token', 'only', 'skip', 'concurrency', 'timeout', 'max-time'];
  for (const flag of [...flags, 'report', 'quiet', 'no-color']) expect(stdout).toContain(`--${flag}`);
});

it.each(['--version', '-V', '-v'])('%s alone prints the version of the package', async (flag) => {
  const { code, stdout } = await plumbline([flag]);
  expect([code, stdout]).toEqual([0, `${toolVersion}\n`]);
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  expect(toolVersion).toBe(version);
});
