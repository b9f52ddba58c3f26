import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { formats } from '../../reports/formats.js';
import { behaveAsMutant } from '../behaviours.js';
import { folder } from '../folders.js';
import { serveReference } from '../servers.js';
import { plumbline, readReport, runFiles } from './plumbline-process.js';

const only = '--only inference.502.model-down --only inference.routed';

async function run(mutantId: string | undefined, waivers: string | undefined, flags = '') {
  const options = mutantId === undefined ? {} : { behaviour: behaveAsMutant(mutantId) };
  const { controlUrl } = await serveReference(options);
  const cwd = folder();
  if (waivers !== undefined) writeFileSync(join(cwd, 'waivers.yaml'), waivers);
  const given = waivers === undefined ? '' : ' --waivers waivers.yaml';
  const command = `run --control ${controlUrl} --cases 3 ${only}${given} --report out${flags}`;
  const ended = await plumbline(command, { cwd });
  return { ...ended, directory: cwd };
}

function day(fromToday: number): string {
  return new Date(Date.now() + fromToday * 86_400_000).toISOString().slice(0, 10);
}

function entry(id: string, situation: string, expires = day(1)): string {
  return `- { id: ${id}, situation: "${situation}", reason: known, owner: me, expires: ${expires} }\n`;
}

const id = 'inference.502.model-down';
const by500 = 'inference answered 500 to POST free model as member';
const stale = `waivers.yaml:1: the waiver is stale: ${id} passed; remove it`;

it('run proposes waivers, refuses them until they are filled in, and then lets the violation through', async () => {
  const proposing = await run('inference.model-down-500', undefined, ' --propose-waivers proposed.yaml');
  expect([proposing.code, proposing.stderr]).toEqual([1, expect.stringContaining('Wrote proposed.yaml.')]);
  const proposed = readFileSync(join(proposing.directory, 'proposed.yaml'), 'utf8');
  expect(proposed).toMatch(
    new RegExp(`id: ${id}\n    case: inference-500-[0-9a-f]{8}\n    situation: "${by500}"\n`),
  );
  expect(proposed).toContain(`expires: ${day(30)}`);

  const open = await run('inference.model-down-500', proposed);
  expect(open.code).toBe(2);
  expect(open.stderr).toMatch(/^plumbline: waivers\.yaml:\d+: waivers\[0\]\.reason: must be the reason/);
  expect(readdirSync(open.directory)).toEqual(['waivers.yaml']);

  const filled = proposed.replaceAll('reason:\n', 'reason: known\n').replaceAll('owner:\n', 'owner: me\n');
  const { code, stdout, stderr, directory } = await run('inference.model-down-500', filled, ' --seed 7');
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('waiver')]);
  const { verdict, gate } = readReport(join(directory, 'out'));
  expect([verdict, gate.exit_code, gate.waived]).toEqual(['non-conformant', 0, [id]]);
  expect(stdout).toContain('Gate: 1 waived, exit code 0.');
  expect(stdout).toContain(`must  ${id}  §7.3  (waived)`);
});

it.each([
  ['a waiver expired yesterday', entry(id, by500, day(-1)), '', `expired on ${day(-1)}; remove it`],
  ['a waiver names no requirement', entry('inference.502.model-dwon', by500), '', `did you mean ${id}?`],
  ['the proposed file exists', '[]', ' --propose-waivers waivers.yaml', 'waivers.yaml already exists.'],
])('run ends with 2 before anything is sent, and writes no file, if %s', async (_, text, flags, remedy) => {
  const { code, stdout, stderr, directory } = await run(undefined, text, flags);
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(remedy)]);
  expect(readdirSync(directory)).toEqual(['waivers.yaml']);
  expect(readFileSync(join(directory, 'waivers.yaml'), 'utf8')).toBe(text);
});

it('run ends with 2 if a waiver is stale, and every format of the report says so', async () => {
  const given = entry(id, by500);
  const { code, stdout, stderr, directory } = await run(undefined, given, ` --format ${formats.join()}`);
  expect([code, stdout]).toEqual([2, expect.stringContaining('exit code 2.')]);
  expect(stderr).toContain(`${stale}\nplumbline: the verdict is conformant, but the waivers are out of date`);
  const out = join(directory, 'out');
  const gate = { exit_code: 2, notes: [stale] };
  expect(readReport(out)).toMatchObject({ verdict: 'conformant', gate });
  expect(readdirSync(out).sort()).toEqual(runFiles);
  const read = (file: string) => readFileSync(join(out, file), 'utf8');
  for (const file of ['summary.md', 'report.html', 'results.sarif', 'ctrf.json'])
    expect(read(file), file).toContain('the waiver is stale');
  const [sarif] = JSON.parse(read('results.sarif')).runs;
  expect(sarif.invocations[0]).toMatchObject({ exitCode: 2, executionSuccessful: false });
  expect(JSON.parse(read('ctrf.json')).results.environment.healthy).toBe(false);
  expect(read('junit.xml')).toContain('name="gate.exit_code" value="2"');

  const again = await plumbline(`report --from ${out} --report again`, { cwd: directory });
  expect([again.code, readReport(join(directory, 'again')).gate.exit_code]).toEqual([0, 2]);
});

it('run ends with 1 and names the stale waivers if there is also a violation', async () => {
  const given = entry('inference.routed', 'any');
  const { code, stderr, directory } = await run('inference.model-down-500', given);
  const note = 'waivers.yaml:1: the waiver is stale: inference.routed passed; remove it';
  expect([code, stderr]).toEqual([1, expect.stringContaining(note)]);
  expect(readReport(join(directory, 'out')).gate.notes).toEqual([note]);
});

it('run ignores waivers of requirements that are not selected, and writes no file without a violation to propose', async () => {
  const unselected = entry('auth.bearer', 'any', day(-1));
  const flags = ' --ledger 0.1.0 --propose-waivers proposed.yaml';
  const { code, stderr, directory } = await run(undefined, unselected, flags);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('auth.bearer')]);
  expect(stderr).toContain('proposed.yaml was not written: there is no violation to waive.');
  expect(existsSync(join(directory, 'proposed.yaml'))).toBe(false);
});
