import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { folder } from '../folders.js';
import { command, plumbline, readReport } from './plumbline-process.js';
import { startDeployment } from './profile-deployment.js';
import { serveReference } from './servers.js';

const few = '--only key-info.200.read --depth quick --only key-info.200.data --cases 1'.split(' ');

describe('without a target and without plumbline.yaml', () => {
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
  ])('%s without a target ends with 2 and says what to type', async (name, typed) => {
    const { code, stdout, stderr } = await plumbline([name], { cwd: folder() });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('plumbline init');
    expect(stderr).toContain(typed);
  });

  it('sharded runs without a target write nothing that merge could take for passed', async () => {
    const cwd = folder();
    const shards = ['1/3', '2/3', '3/3'].map((shard, at) =>
      plumbline(['run', '--shard', shard, '--run-id', 'night', '--report', `shard-${at + 1}`], { cwd }),
    );
    expect((await Promise.all(shards)).map(({ code }) => code)).toEqual([2, 2, 2]);
    expect(readdirSync(cwd)).toEqual([]);
    expect((await plumbline(['merge', 'shard-1', 'shard-2', 'shard-3'], { cwd })).code).toBe(2);
  });
});

describe('plumbline.yaml in the working directory', () => {
  const announced = /^No target given: using plumbline\.yaml in this folder\.\n/;

  it('run, plan and doctor take plumbline.yaml of the working directory as the target and say so', async () => {
    const { described, env } = await startDeployment();
    const cwd = folder();
    writeFileSync(join(cwd, 'plumbline.yaml'), JSON.stringify(described));
    const judged = await plumbline(['run', ...few], { cwd, env });
    expect([judged.code, judged.stderr]).toEqual([0, expect.stringMatching(announced)]);
    expect(judged.stdout).toMatch(/^conformant: 2 requirements passed on http:\/\/127\.0\.0\.1:\d+\/v1\n/);
    const planned = await plumbline(['plan', ...few], { cwd, env });
    expect([planned.code, planned.stderr]).toEqual([0, expect.stringMatching(announced)]);
    expect(planned.stdout.replaceAll('\n', ' ')).toMatch(
      /would send about .+ requests to http:\/\/127\.0\.0\.1:/,
    );
    const examined = await plumbline(['doctor'], { cwd, env });
    expect([examined.code, examined.stderr]).toEqual([0, expect.stringMatching(announced)]);
    expect(examined.stdout).toContain('keys.member');
  });

  it('a given target overrides plumbline.yaml of the working directory', async () => {
    const { controlUrl } = await serveReference();
    const cwd = folder();
    writeFileSync(join(cwd, 'plumbline.yaml'), 'no profile at all');
    for (const target of [['--control', controlUrl], ['--reference']]) {
      const { code, stderr } = await plumbline(['run', ...target, ...few], { cwd });
      expect([code, stderr]).toEqual([0, expect.not.stringContaining('plumbline.yaml')]);
    }
  });
});

describe('the URL of run', () => {
  it('run takes its URL as the target, as it takes --target', async () => {
    const { baseUrl, controlUrl } = await serveReference();
    const cwd = folder();
    const flags = ['--control', controlUrl, ...few];
    for (const target of [[baseUrl], [baseUrl, '--target', baseUrl]]) {
      const { code, stdout, stderr } = await plumbline(['run', ...target, ...flags], { cwd });
      expect([code, stdout], stderr).toEqual([0, expect.stringContaining(`passed on ${baseUrl}\n`)]);
    }
  });

  it('a URL that differs from --target or stands beside --reference is a usage error', async () => {
    const [one, other] = ['http://127.0.0.1:1/v1', 'http://127.0.0.1:2/v1'];
    const twice = await plumbline(['run', one, '--target', other], { cwd: folder() });
    expect([twice.code, twice.stderr]).toEqual([2, expect.stringContaining('the target is given twice')]);
    for (const named of [[one], ['--target', one], ['--control', one], ['--profile', 'plumbline.yaml']]) {
      const { code, stderr } = await plumbline(['run', '--reference', ...named], { cwd: folder() });
      expect([code, stderr]).toEqual([2, expect.stringContaining('--reference')]);
    }
  });
});

describe('the embedded reference server', () => {
  it('every report names the embedded reference server as the target', async () => {
    const cwd = folder();
    const args = ['run', '--reference', ...few, '--report', 'out'];
    const { stdout } = await plumbline(args, { cwd, everyFormat: true });
    expect(stdout).toMatch(/^conformant: 2 requirements passed on the embedded reference server\n/);
    expect(readReport(join(cwd, 'out')).target.embedded).toBe(true);
    for (const file of ['summary.md', 'report.html', 'junit.xml', 'ctrf.json', 'results.sarif'])
      expect(readFileSync(join(cwd, 'out', file), 'utf8'), file).toContain(
        'on the embedded reference server',
      );
  });

  it('the verdict of merged shards names the embedded reference server', async () => {
    const cwd = folder();
    const shards = [1, 2, 3].map((index) => {
      const part = ['--shard', `${index}/3`, '--run-id', 'night', '--report', `shard-${index}`];
      return plumbline(['run', '--reference', '--depth', 'quick', '--only', 'key-info.*', ...part], { cwd });
    });
    expect((await Promise.all(shards)).map(({ code }) => code)).toEqual([0, 0, 0]);
    const merge = ['merge', 'shard-1', 'shard-2', 'shard-3', '--report', 'all'];
    const { code, stdout } = await plumbline(merge, { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^conformant: \d+ requirements passed on the embedded reference server\n/);
    expect((await plumbline([...merge, '--quiet'], { cwd })).stdout).toBe(
      `conformant on the embedded reference server (${join('all', 'report.json')})\n`,
    );
  });
});

describe('empty values', () => {
  const commands = [
    'run',
    'plan',
    'observe',
    'doctor',
    'serve',
    'prove',
    'report',
    'compare',
    'trend',
    'merge',
  ];

  it.each(commands)('an empty value of any flag of %s is a usage error', async (name) => {
    const { stdout: help } = await plumbline([name, '--help']);
    const flags = [...help.matchAll(/^ {2}(--[a-z-]+) </gm)].map(([, flag = '']) => flag);
    expect(flags).not.toEqual([]);
    for (const flag of flags) {
      for (const value of ['', ' ']) {
        const { code, stdout, stderr } = await plumbline([name, `${flag}=${value}`], { cwd: folder() });
        expect([flag, code, stdout]).toEqual([flag, 2, '']);
        expect(stderr).toContain(flag);
        expect(stderr).toContain('a variable is not set');
      }
    }
  });

  it('an empty argument is a usage error', async () => {
    for (const name of ['run', 'trend', 'merge', 'init']) {
      const { code, stderr } = await plumbline([name, ''], { cwd: folder() });
      expect([name, code, stderr]).toEqual([name, 2, expect.stringContaining('a variable is not set')]);
    }
  });

  it('an empty variable of a key, or of the token of a control, is a usage error', async () => {
    const { controlUrl } = await serveReference();
    const refused: readonly (readonly [string, readonly string[]])[] = [
      ['PLUMBLINE_KEY_MEMBER', ['run', '--reference']],
      ['PLUMBLINE_KEY_MANAGEMENT', ['run', '--control', controlUrl]],
      ['PLUMBLINE_KEY_MEMBER', ['plan', '--reference']],
      ['PLUMBLINE_KEY_MEMBER', ['doctor', '--profile', 'plumbline.yaml']],
      ['PLUMBLINE_CONTROL_TOKEN', ['run', '--control', controlUrl]],
    ];
    for (const [name, args] of refused) {
      const cwd = folder();
      const { code, stdout, stderr } = await plumbline([...args, ...(args[0] === 'doctor' ? [] : few)], {
        cwd,
        env: { [name]: '' },
      });
      expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(`${name} is set but empty`)]);
      expect(readdirSync(cwd)).toEqual([]);
    }
    const without = await plumbline(['run', '--reference', ...few], {
      cwd: folder(),
      env: { PLUMBLINE_CONTROL_TOKEN: '' },
    });
    expect(without.code).toBe(0);
  });
});
