import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Reference, startReference } from '../../reference/server.js';
import { listFailed } from '../../reports/failed-requirements.js';
import type { Failure, Report } from '../../spec/report.js';
import { behaveAsMutant } from '../behaviours.js';
import { folder } from '../folders.js';
import { runProgram } from '../run-program.js';
import { serveReference } from '../servers.js';
import { plumbline, runInto, runOnReference } from './plumbline-process.js';
import { byCommand, byRequest, type Deployment, profileFile, startDeployment } from './profile-deployment.js';
import { readWritten } from './secret-search.js';

function listFindings(report: Report): readonly Failure[] {
  return listFailed(report).flatMap(({ failures }) => failures.map(({ failure }) => failure));
}

it('replay reproduces every finding of a mutant and keeps the report unchanged', async () => {
  const behaviour = behaveAsMutant('credit-limit.exhausted-in-band-429');
  const { directory, report } = await runOnReference({ behaviour }, '--only credit-limit.* --depth quick');
  const before = readFileSync(join(directory, 'report.json'), 'utf8');
  const failures = listFindings(report());
  expect(failures.length).toBeGreaterThan(0);
  for (const [at, { requirement, expected }] of failures.entries()) {
    const { code, stdout, stderr } = await plumbline(`replay ${directory} ${at + 1}`);
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout).toContain(`${requirement}: expected ${expected}`);
    expect(stdout).toMatch(/\nreproduced\n$/);
    expect(stdout).not.toMatch(/sk-[A-Za-z0-9]{20}/);
    expect(stdout.split('   curl ').length).toBeLessThan(60);
  }
  expect(readFileSync(join(directory, 'report.json'), 'utf8')).toBe(before);
  report();
});

describe('plumbline replay', () => {
  let server: Reference;
  let judged: Awaited<ReturnType<typeof runInto>>;
  beforeAll(async () => {
    server = await startReference({ behaviour: behaveAsMutant('vault-delete.workspace-fallback') });
    const only = '--only vault-delete.404.workspace-secret --depth quick';
    judged = await runInto(`--control ${server.controlUrl} ${only}`);
    return () => server.close();
  });
  const failuresOf = () => listFindings(judged.report());

  it('the summary of a run names the commands that repeat and replay a finding', () => {
    const repeat = `run --control ${server.controlUrl} --only vault-delete.404.workspace-secret`;
    for (const line of [repeat, `replay ${judged.directory}`])
      expect(judged.words).toContain(`plumbline ${line}`);
  });

  it('replay ends with 0 once the server is fixed', async () => {
    const { controlUrl } = await serveReference();
    const { code, stdout } = await plumbline(`replay ${judged.directory} --control ${controlUrl}`);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/\nnot reproduced\n$/)]);
  });

  it('replay prints curl commands that work below the export lines of --keep', async () => {
    const id = 'vault-delete.404.workspace-secret';
    const at = failuresOf().findIndex(({ requirement }) => requirement === id);
    const { stdout } = await plumbline(`replay ${judged.directory} ${at + 1} --keep`);
    const lines = stdout.split('\n').map((line) => line.trim());
    const curls = lines.filter((line) => line.startsWith('curl ') && !line.endsWith('/worlds"'));
    const exports = lines.filter((line) => line.startsWith('export '));
    const { stdout: pasted } = await runProgram('bash', ['-c', [...exports, ...curls].join('\n')]);
    const statuses = [...pasted.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => status);
    const got = [...stdout.matchAll(/^ {3}(?:expected .*, )?got (\d{3})$/gm)].map(([, status]) => status);
    expect(statuses).toEqual(got.slice(-statuses.length));
    expect(statuses.at(-1)).toBe(failuresOf()[at]?.actual);
  });

  it('replay writes a script that reproduces the finding without plumbline, and overwrites no other file', async () => {
    const script = join(folder(), 'finding.js');
    await plumbline(`replay ${judged.directory} --script ${script}`);
    expect(readFileSync(script, 'utf8')).not.toMatch(/sk-[A-Za-z0-9]{20}|\/(?:work|home|tmp)\//);
    const { code, stdout } = await runProgram(process.execPath, [script], { cwd: '/' });
    expect([code, stdout]).toEqual([1, expect.stringMatching(/\nreproduced\n$/)]);
    expect(stdout).toContain(failuresOf()[0]?.requirement);
    const report = join(judged.directory, 'report.json');
    const refused = await plumbline(`replay ${judged.directory} --script ${report}`);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('is not a replay script')]);
  });

  it('replay lists the findings if the number is unknown, and says so if there are none', async () => {
    const many = await plumbline(`replay ${judged.directory} 99`);
    expect(many.code).toBe(2);
    for (const { requirement } of failuresOf()) expect(many.stderr).toContain(requirement);
    const { directory } = await runInto('--reference --only auth.bearer --depth quick');
    const { code, stderr } = await plumbline(`replay ${directory}`);
    expect([code, stderr]).toEqual([2, expect.stringContaining('no violation')]);
  });
});

it('replay does not take another failure of the requirement for the finding', async () => {
  const behaviour = behaveAsMutant('key-info.free-tier-inverted');
  const { directory } = await runOnReference({ behaviour }, '--only key-info.* --depth quick');
  const { controlUrl } = await serveReference({ behaviour: behaveAsMutant('key-info.read-201') });
  const { code, stderr } = await plumbline(`replay ${directory} --control ${controlUrl}`);
  expect([code, stderr]).toEqual([
    3,
    expect.stringMatching(/the response is wrong in another way now: .*got 201/),
  ]);
});

// Nothing but its look says that it is one.
const credential = 'adm-5f0c3b7a9d21';

it.each([
  ['a request', () => byRequest],
  ['a command', (of: Deployment) => byCommand(of, credential)],
])('replay and curl commands reproduce what a profile that stores by %s shows', async (_, store) => {
  const behaviour = behaveAsMutant('vault-delete.sibling-secret-through-own');
  const deployed = await startDeployment({ behaviour });
  const { env } = deployed;
  const path = profileFile({ ...deployed.described, store: store(deployed) });
  const only = '--only vault-delete.204.* --only vault-delete.404.* --depth quick';
  const { directory, report } = await runInto(`--profile ${path} ${only}`, { env });
  const before = await deployed.stored();
  const { code, stdout } = await plumbline(`replay ${directory}`, { env });
  expect(code).toBe(1);
  const texts = [stdout, ...readWritten(directory).values()].join('');
  for (const secret of [...Object.values(env), credential]) expect(texts).not.toContain(secret);
  expect(stdout).toMatch(/\$\{PLUMBLINE_KEY_MEMBER\}/);
  expect(await deployed.stored()).toEqual(before);

  const exports = Object.entries(env).map(([name, value]) => `export ${name}='${value}'`);
  const arranged = listFindings(report()).filter(({ reproduce }) => reproduce.curl.includes(' && '));
  expect(arranged.length).toBeGreaterThan(0);
  for (const { reproduce, actual } of arranged) {
    const script = [...exports, reproduce.curl].join('\n');
    const { code: ended, stdout: pasted } = await runProgram('bash', ['-c', script]);
    const statuses = [...pasted.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status);
    expect([ended, statuses.at(-1), reproduce.curl]).toEqual([0, actual, reproduce.curl]);
  }
});
