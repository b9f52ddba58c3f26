import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { toolVersion } from '../../spec/version.js';
import { behaveAsMutant, slowDown } from '../behaviours.js';
import { folder } from '../folders.js';
import { plumbline, readReport, runFiles, runInto, runOnReference } from './plumbline-process.js';

const short = '--reference --only key-info.200.read --depth quick';

it('run --reference ends with 0 and first says that the server is conformant, then where its report is', async () => {
  const cwd = folder();
  const { code, stdout, stderr, ms } = await plumbline(`run ${short}`, { cwd });
  // A slow machine sees lines of progress.
  expect([code, stderr.replace(/^plumbline: \d+ of \d+ checks, .*\n/gm, '')]).toEqual([0, '']);
  expect(stdout).toMatch(/^conformant: 1 requirement passed on the embedded reference server\n/);
  expect(stdout.replace(/\s+/g, ' ')).toContain('Reports: plumbline-report');
  const { run, tool } = readReport(join(cwd, 'plumbline-report'));
  expect([tool.version, run.complete, run.notes]).toEqual([toolVersion, true, []]);
  expect(run.duration_ms).toBeLessThanOrEqual(ms);
});

it('run --only judges only the named requirements', async () => {
  const { code, stdout, report } = await runInto('--reference --only rate-limit.* --depth quick');
  const { verdict, requirements, run, checks } = report();
  expect([code, verdict]).toEqual([0, 'conformant']);
  const isNamed = (id: string) => id.startsWith('rate-limit.');
  const others = requirements.filter(({ reason }) => reason === 'not selected');
  expect(others).toEqual(requirements.filter(({ id }) => !isNamed(id)));
  for (const { status } of others) expect(status).toBe('not-exercised');
  expect(run.selection).toEqual({ only: ['rate-limit.*'], skip: [] });
  // The checks of all requirements send more than 1,500.
  expect(run.requests).toBeLessThan(500);
  expect(stdout).toContain(`${others.length} requirements not selected.`);
  const idle = checks.filter(({ requirements: ids, requests }) => requests > 0 && !ids.some(isNamed));
  expect(idle, 'checks ran that decide nothing of the selection').toEqual([]);
});

it('run --quiet prints only the verdict and the file, in a folder that it creates with its parents', async () => {
  const directory = join(folder(), 'deep', 'er');
  const { code, stdout, stderr } = await plumbline(`run ${short} --quiet --no-color --report ${directory}`);
  const printed = `conformant on the embedded reference server (${join(directory, 'report.json')})\n`;
  expect([code, stdout, stderr]).toEqual([0, printed, '']);
  expect(readReport(directory).verdict).toBe('conformant');
});

it('run prints no colours into a pipe, even with FORCE_COLOR', async () => {
  const { stdout, stderr } = await runInto(short, { env: { FORCE_COLOR: '1' } });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what is looked for.
  expect(`${stdout}${stderr}`).not.toMatch(/\u001b/);
  expect(stdout).toMatch(/^conformant: 1 requirement passed/);
});

it('run --report replaces an earlier report in its folder and keeps other files', async () => {
  const directory = folder();
  writeFileSync(join(directory, 'mine.txt'), 'kept');
  writeFileSync(join(directory, 'report.json'), 'old');
  const { code } = await plumbline(`run ${short} --report ${directory}`, { everyFormat: true });
  expect([code, readdirSync(directory).sort()]).toEqual([0, [...runFiles, 'mine.txt'].sort()]);
});

it('the first violations are written to standard error as soon as they are confirmed, but not where all is quiet', async () => {
  const behaviour = behaveAsMutant('envelope.vault-401-code-403');
  const few = '--depth quick --only {envelope,vault-delete}.*';
  const said = 'plumbline: envelope.error.code-is-status failed: vault-delete 401 (';
  const { stdout, stderr } = await runOnReference({ behaviour }, few);
  expect(stderr.split('\n').filter((line) => line.startsWith(said))).toHaveLength(1);
  expect(stdout).not.toContain(said);
  expect((await runOnReference({ behaviour }, `${few} --quiet`)).stderr).toBe('');
});

// Whole runs with so few cases send 430 and 2,000 requests.
it.each([
  ['--depth quick', 400],
  ['--depth standard --cases 2', 1_500],
] as const)('run --bail with %s stops after the first violation', async (depth, most) => {
  const behaviour = behaveAsMutant('vault-delete.missing-key-404');
  const { code, report, stdout } = await runOnReference({ behaviour }, `${depth} --bail`);
  const { verdict, run, requirements } = report();
  expect([code, verdict, run.complete]).toEqual([1, 'non-conformant', false]);
  expect(run.requests).toBeLessThan(most);
  expect(requirements.map(({ reason }) => reason)).toContain('1 requirement failed (--bail)');
  expect(stdout).toContain('vault-delete.401.missing-key');
});

it('run --max-time reports what was left as inconclusive and gives back every world', async () => {
  const { server, ...ended } = await runOnReference({ behaviour: slowDown(30).behaviour }, '--max-time 0.8');
  expect(ended.words).toMatch(/^incomplete: .*out of time after 0\.8 s \(--max-time\)/);
  expect(ended.ms).toBeLessThan(15_000);
  const { run, totals } = ended.report();
  expect([ended.code, run.complete, totals.fail, server.worldCount()]).toEqual([4, false, 0, 0]);
});

it('run --bail continues below its number of violations', async () => {
  const { code, report } = await runInto('--reference --only key-info.200.* --depth quick --bail 2');
  expect([code, report().run.complete]).toEqual([0, true]);
});
