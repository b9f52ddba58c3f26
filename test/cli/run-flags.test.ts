import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Report } from '../../spec/report.js';
import { folder } from '../folders.js';
import type { Ended } from './command-runner.js';
import { plumbline, readReport, runFiles } from './plumbline-process.js';
import { behaveAsMutant, serveReference } from './servers.js';

async function run(...flags: readonly string[]): Promise<Ended & { readonly report: Report }> {
  const directory = folder();
  const target = flags.includes('--control') ? [] : ['--reference'];
  const ended = await plumbline(['run', ...target, ...flags, '--report', directory]);
  return { ...ended, report: readReport(directory) };
}

/** Returns the ids of the requirements that the run selected. */
function listSelected({ requirements }: Report): readonly string[] {
  return requirements.filter(({ reason }) => reason !== 'not selected').map(({ id }) => id);
}

describe('a selection', () => {
  it('run --only judges only the named requirements', async () => {
    const { code, stdout, report } = await run('--only', 'rate-limit.*', '--depth', 'quick');
    expect([code, report.verdict]).toEqual([0, 'conformant']);
    const all = report.requirements.map(({ id }) => id);
    expect(listSelected(report)).toEqual(all.filter((id) => id.startsWith('rate-limit.')));
    const others = report.requirements.filter(({ id }) => !id.startsWith('rate-limit.'));
    for (const { status, reason } of others)
      expect([status, reason]).toEqual(['not-exercised', 'not selected']);
    expect(report.run.selection).toEqual({ only: ['rate-limit.*'], skip: [] });
    expect(stdout).toContain(`${others.length} requirements not selected.`);
    const idle = report.checks.filter(
      ({ requirements, requests }) =>
        requests > 0 && !requirements.some((id) => id.startsWith('rate-limit.')),
    );
    expect(idle, 'checks ran that decide nothing of the selection').toEqual([]);
  });
});

describe('the output of run', () => {
  const short = ['--only', 'key-info.200.read', '--depth', 'quick'];

  it('run --quiet prints only the verdict and the file', async () => {
    const directory = join(folder(), 'out');
    const { stdout, stderr } = await plumbline([
      ...'run --reference'.split(' '),
      ...short,
      ...'--quiet --report'.split(' '),
      directory,
    ]);
    expect([stdout, stderr]).toEqual([
      `conformant on the embedded reference server (${join(directory, 'report.json')})\n`,
      '',
    ]);
  });

  it.each([
    ['--no-color', ['--no-color'], {}],
    ['NO_COLOR', [], { NO_COLOR: '1' }],
    ['FORCE_COLOR is no terminal', [], { FORCE_COLOR: '1' }],
  ] as const)('run prints no colours into a pipe (%s)', async (_name, flags, env) => {
    const { stdout, stderr } = await plumbline(
      ['run', '--reference', ...short, ...flags, '--report', folder()],
      { env },
    );
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what is looked for.
    expect(`${stdout}${stderr}`).not.toMatch(/\u001b/);
    expect(stdout).toMatch(/^conformant: 1 requirement passed/);
  });
});

describe('--report', () => {
  const short = 'run --reference --only key-info.200.read --depth quick --quiet --report'.split(' ');

  it('run --report creates the folder and its parents', async () => {
    const directory = join(folder(), 'deep', 'er');
    expect((await plumbline([...short, directory])).code).toBe(0);
    expect(readReport(directory).verdict).toBe('conformant');
  });

  it('run --report replaces an earlier report in its folder and keeps other files', async () => {
    const directory = folder();
    writeFileSync(join(directory, 'mine.txt'), 'kept');
    writeFileSync(join(directory, 'report.json'), 'old');
    expect((await plumbline([...short, directory], { everyFormat: true })).code).toBe(0);
    expect(readdirSync(directory).sort()).toEqual([...runFiles, 'mine.txt'].sort());
  });
});

describe('--bail', () => {
  // Whole runs with so few cases send 430 and 2,000 requests.
  it.each([
    ['quick', 400],
    ['standard', 1_500],
  ] as const)('run --bail at depth %s stops after the first violation', async (depth, most) => {
    const { controlUrl } = await serveReference({
      behaviour: behaveAsMutant('vault-delete.missing-key-404'),
    });
    const few = depth === 'quick' ? [] : ['--cases', '2'];
    const flags = ['--control', controlUrl, '--depth', depth, ...few];
    const { code, report, stdout } = await run(...flags, '--bail');
    expect([code, report.verdict, report.run.complete]).toEqual([1, 'non-conformant', false]);
    expect(report.run.requests).toBeLessThan(most);
    expect(report.requirements.map(({ reason }) => reason)).toContain('a violation was confirmed (--bail)');
    expect(stdout).toContain('vault-delete.401.missing-key');
  });

  it('run --bail continues below its number of violations and refuses an invalid number', async () => {
    const { code, report } = await run('--only', 'key-info.200.*', '--depth', 'quick', '--bail', '2');
    expect([code, report.run.complete]).toEqual([0, true]);
    expect((await plumbline(['run', '--reference', '--bail', '0'])).code).toBe(2);
  });
});
