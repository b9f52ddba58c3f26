import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { numberFailures } from '../../reports/report-view.js';
import { folder } from '../folders.js';
import { plumbline, readReport } from './plumbline-process.js';
import { byCommand, byRequest, type Deployment, profileFile, startDeployment } from './profile-deployment.js';
import { behaveAsMutant, serveReference } from './servers.js';

async function judgeMutant(id: string, ...flags: readonly string[]) {
  const { controlUrl } = await serveReference({ behaviour: behaveAsMutant(id) });
  const directory = folder();
  await plumbline(['run', '--control', controlUrl, '--report', directory, ...flags]);
  const failures = numberFailures(readReport(directory)).map(({ failure }) => failure);
  return { directory, controlUrl, failures };
}

/** Runs a program while the servers of this process keep serving; returns its exit code and output. */
function run(program: string, ...args: readonly string[]): Promise<readonly [code: number, stdout: string]> {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: 20_000, cwd: '/' }, (error, stdout) =>
      resolve([Number(error?.code ?? 0), stdout]),
    );
  });
}

const onlyIts = ['--only', 'vault-delete.404.workspace-secret', '--depth', 'quick'];

describe('plumbline replay', () => {
  it.each([
    ['vault-delete.workspace-fallback', '--only', 'vault-delete.404.*', '--depth', 'quick'],
    ['envelope.guardrail-403-twice', '--only', 'envelope.*', '--depth', 'quick'],
    ['guardrail-read.workspace-id-as-slug', '--only', 'guardrail-read.200.*', '--depth', 'quick'],
    ['credit-limit.exhausted-in-band-429', '--only', 'credit-limit.*', '--depth', 'quick'],
  ])(
    'replay reproduces every finding of the mutant %s and keeps the report unchanged',
    async (id, ...flags) => {
      const { directory, failures } = await judgeMutant(id, ...flags);
      const path = join(directory, 'report.json');
      const before = readFileSync(path, 'utf8');
      expect(failures.length).toBeGreaterThan(0);
      for (const [at, { requirement, expected }] of failures.entries()) {
        const { code, stdout, stderr } = await plumbline(['replay', directory, String(at + 1)]);
        expect([code, stderr]).toEqual([1, '']);
        expect(stdout).toContain(`${requirement}: expected ${expected}`);
        expect(stdout).toMatch(/\nreproduced\n$/);
        expect(stdout).not.toMatch(/sk-[A-Za-z0-9]{20}/);
        expect(stdout.split('   curl ').length).toBeLessThan(60);
      }
      expect(readFileSync(path, 'utf8')).toBe(before);
      readReport(directory);
    },
  );

  it('the summary of a run names the replay command', async () => {
    const { controlUrl } = await serveReference({
      behaviour: behaveAsMutant('vault-delete.workspace-fallback'),
    });
    const directory = folder();
    const { stdout } = await plumbline(['run', '--control', controlUrl, '--report', directory, ...onlyIts]);
    expect(stdout.replace(/\s+/g, ' ')).toContain(`plumbline replay ${directory}`);
  });

  it('replay ends with 0 once the server is fixed', async () => {
    const { directory } = await judgeMutant('vault-delete.workspace-fallback', ...onlyIts);
    const mended = await serveReference();
    const { code, stdout } = await plumbline(['replay', directory, '--control', mended.controlUrl]);
    expect([code, stdout.endsWith('\nnot reproduced\n')]).toEqual([0, true]);
  });

  it('replay prints curl commands that work below the export lines of --keep', async () => {
    const { directory, failures } = await judgeMutant('vault-delete.workspace-fallback', ...onlyIts);
    const at =
      failures.findIndex(({ requirement }) => requirement === 'vault-delete.404.workspace-secret') + 1;
    const { stdout } = await plumbline(['replay', directory, String(at), '--keep']);
    const lines = stdout.split('\n').map((line) => line.trim());
    const curls = lines.filter((line) => line.startsWith('curl ') && !line.endsWith('/worlds"'));
    const exports = lines.filter((line) => line.startsWith('export '));
    const [, pasted] = await run('bash', '-c', [...exports, ...curls].join('\n'));
    const statuses = [...pasted.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => status);
    const got = [...stdout.matchAll(/^ {3}(?:expected .*, )?got (\d{3})$/gm)].map(([, status]) => status);
    expect(statuses).toEqual(got.slice(-statuses.length));
    expect(statuses.at(-1)).toBe(failures[at - 1]?.actual);
  });

  it('replay writes a script that reproduces the finding without plumbline, and overwrites no other file', async () => {
    const { directory, failures } = await judgeMutant('vault-delete.workspace-fallback', ...onlyIts);
    const script = join(folder(), 'finding.js');
    await plumbline(['replay', directory, '--script', script]);
    const text = readFileSync(script, 'utf8');
    expect(text).not.toMatch(/sk-[A-Za-z0-9]{20}|\/(?:work|home|tmp)\//);
    const [code, stdout] = await run(process.execPath, script);
    expect([code, stdout.endsWith('\nreproduced\n')]).toEqual([1, true]);
    expect(stdout).toContain(failures[0]?.requirement);
    const report = join(directory, 'report.json');
    const refused = await plumbline(['replay', directory, '--script', report]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('is not a replay script')]);
  });

  // Nothing but its look says that it is one.
  const credential = 'adm-5f0c3b7a9d21';

  it.each([
    ['a request', 'vault-delete.never-stored-204', () => byRequest],
    ['a command', 'vault-delete.sibling-secret-through-own', (of: Deployment) => byCommand(of, credential)],
  ])('replay reproduces a finding through a profile that stores by %s', async (_, id, store) => {
    const deployed = await startDeployment({ behaviour: behaveAsMutant(id) });
    const path = profileFile({ ...deployed.described, store: store(deployed) });
    const directory = folder();
    const only = ['--only', 'vault-delete.404.*', '--depth', 'quick'];
    await plumbline(['run', '--profile', path, '--report', directory, ...only], { env: deployed.env });
    const before = await deployed.stored();
    const { code, stdout } = await plumbline(['replay', directory], { env: deployed.env });
    expect(code).toBe(1);
    const reports = readdirSync(directory).map((name) => readFileSync(join(directory, name), 'utf8'));
    for (const secret of [...Object.values(deployed.env), credential])
      expect([stdout, ...reports].filter((text) => text.includes(secret))).toEqual([]);
    expect(stdout).toMatch(/\$\{PLUMBLINE_KEY_MEMBER\}/);
    expect(await deployed.stored()).toEqual(before);
  });

  it.each([
    ['a request', 'vault-delete.sibling-secret-through-own', () => byRequest],
    ['a command', 'vault-delete.workspace-fallback', (of: Deployment) => byCommand(of)],
  ])('the curl commands of a report work for a profile that stores by %s', async (_, id, store) => {
    const deployed = await startDeployment({ behaviour: behaveAsMutant(id) });
    const path = profileFile({ ...deployed.described, store: store(deployed) });
    const directory = folder();
    const only = ['--only', 'vault-delete.204.*', '--only', 'vault-delete.404.*', '--depth', 'quick'];
    await plumbline(['run', '--profile', path, '--report', directory, ...only], { env: deployed.env });
    const failures = numberFailures(readReport(directory)).map(({ failure }) => failure);
    const exports = Object.entries(deployed.env).map(([name, value]) => `export ${name}='${value}'`);
    const pasted = failures.filter(({ reproduce }) => reproduce.curl.includes(' && '));
    expect(pasted.length).toBeGreaterThan(0);
    for (const { reproduce, actual } of pasted) {
      const [code, stdout] = await run('bash', '-c', [...exports, reproduce.curl].join('\n'));
      const statuses = [...stdout.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status);
      expect([code, statuses.at(-1), reproduce.curl]).toEqual([0, actual, reproduce.curl]);
    }
  });

  it('replay lists the findings if the number is unknown, and says so if there are none', async () => {
    const { directory, failures } = await judgeMutant('vault-delete.workspace-fallback', ...onlyIts);
    const many = await plumbline(['replay', directory, '99']);
    expect(many.code).toBe(2);
    for (const { requirement } of failures) expect(many.stderr).toContain(requirement);
    const none = folder();
    await plumbline(['run', '--reference', '--only', 'auth.bearer', '--depth', 'quick', '--report', none]);
    const { code, stderr } = await plumbline(['replay', none]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('no finding')]);
  });
});
