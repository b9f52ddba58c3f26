import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { folder } from '../folders.js';
import { serveReference } from '../servers.js';
import { command, plumbline, runInto } from './plumbline-process.js';
import { startDeployment } from './profile-deployment.js';

const few = '--only key-info.200.read --only key-info.200.data --depth quick';

it('run without a target ends with 2 within half a second and says what to type in three lines', async () => {
  const cwd = folder();
  // Measures CPU time, since other processes may use the same cores.
  const timed = ['-c', '"$@"; echo "code $?"; times', 'sh', process.execPath, command, 'run'];
  const { stdout, stderr } = await promisify(execFile)('sh', timed, { cwd });
  expect(stderr).toMatch(/^plumbline: no target given[^\n]*(?:\n {2}plumbline [^\n]+){2}\n$/);
  for (const typed of ['a URL', '--control URL', '--profile FILE', 'plumbline init', 'run --reference'])
    expect(stderr).toContain(typed);
  const [, code, user, system] = /^code (\d+)\n.*\n0m([\d.]+)s 0m([\d.]+)s\n$/.exec(stdout) ?? [];
  expect(code).toBe('2');
  expect(Number(user) + Number(system)).toBeLessThan(0.5);
  expect(readdirSync(cwd)).toEqual([]);
});

it.each([
  ['plan', 'plumbline plan --reference'],
  ['doctor', '--profile FILE'],
  ['run --shard 1/3 --run-id night', 'run --reference'],
])('%s without a target ends with 2, says what to type and writes nothing', async (args, typed) => {
  const cwd = folder();
  const { code, stdout, stderr } = await plumbline(args, { cwd });
  expect([code, stdout, readdirSync(cwd)]).toEqual([2, '', []]);
  expect(stderr).toContain('plumbline init');
  expect(stderr).toContain(typed);
});

it('run, plan and doctor take plumbline.yaml of the working directory as the target and say so', async () => {
  const { described, env } = await startDeployment();
  const cwd = folder();
  writeFileSync(join(cwd, 'plumbline.yaml'), JSON.stringify(described));
  const rows = [
    [`run ${few}`, /^conformant: 2 requirements passed on http:\/\/127\.0\.0\.1:\d+\/v1 /],
    [`plan ${few}`, /would send about .+ requests to http:\/\/127\.0\.0\.1:/],
    ['doctor', /keys\.member/],
  ] as const;
  for (const [args, printed] of rows) {
    const { code, stdout, stderr } = await plumbline(args, { cwd, env });
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^No target given: using plumbline\.yaml in this folder\.\n/),
    ]);
    expect(stdout.replaceAll('\n', ' ')).toMatch(printed);
  }
});

it('a given target overrides plumbline.yaml of the working directory', async () => {
  const { controlUrl } = await serveReference();
  const cwd = folder();
  writeFileSync(join(cwd, 'plumbline.yaml'), 'no profile at all');
  for (const target of [`--control ${controlUrl}`, '--reference']) {
    const { code, stderr } = await runInto(`${target} ${few}`, { cwd });
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('plumbline.yaml')]);
  }
});

it('every report, of merged shards too, names the embedded reference server as the target', async () => {
  const cwd = folder();
  for (const i of [1, 2]) {
    const shard = `--shard ${i}/2 --run-id night --report shard-${i}`;
    expect((await plumbline(`run --reference ${few} ${shard}`, { cwd })).code).toBe(0);
  }
  const { stdout } = await plumbline('merge shard-1 shard-2 --report out', { cwd });
  const words = 'on the embedded reference server';
  expect(stdout).toMatch(new RegExp(`^conformant: 2 requirements passed ${words}\n`));
  for (const file of ['summary.md', 'report.html', 'junit.xml', 'ctrf.json', 'results.sarif'])
    expect(readFileSync(join(cwd, 'out', file), 'utf8'), file).toContain(words);
});

const withFlags = ['run', 'observe', 'serve', 'prove', 'report', 'compare', 'trend'];
it.each(withFlags)('an empty value of any flag of %s is a usage error', async (name) => {
  const { stdout: help } = await plumbline([name, '--help']);
  const flags = [...help.matchAll(/^ {2}(--[a-z-]+) </gm)].map(([, flag = '']) => flag);
  expect(flags).not.toEqual([]);
  for (const [at, flag] of flags.entries()) {
    const { code, stdout, stderr } = await plumbline([name, `${flag}=${at === 0 ? ' ' : ''}`]);
    expect([flag, code, stdout]).toEqual([flag, 2, '']);
    expect(stderr).toContain(flag);
    expect(stderr).toContain('a variable is not set');
  }
});

it('an empty variable of a key, or of the token of a control, is a usage error', async () => {
  const { controlUrl } = await serveReference();
  const refused = [
    ['PLUMBLINE_KEY_MEMBER', `run --reference ${few}`],
    ['PLUMBLINE_KEY_MANAGEMENT', `run --control ${controlUrl} ${few}`],
    ['PLUMBLINE_KEY_MEMBER', `plan --reference ${few}`],
    ['PLUMBLINE_KEY_MEMBER', 'doctor --profile plumbline.yaml'],
    ['PLUMBLINE_CONTROL_TOKEN', `run --control ${controlUrl} ${few}`],
    ['PLUMBLINE_CONTROL_TOKEN', 'serve --port 0'],
  ] as const;
  for (const [name, args] of refused) {
    const cwd = folder();
    const { code, stdout, stderr } = await plumbline(args, { cwd, env: { [name]: '' } });
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(`${name} is set but empty`)]);
    expect(readdirSync(cwd)).toEqual([]);
  }
  const without = await runInto(`--reference ${few}`, { env: { PLUMBLINE_CONTROL_TOKEN: '' } });
  expect(without.code).toBe(0);
});
