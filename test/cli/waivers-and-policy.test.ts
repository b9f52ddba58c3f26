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
  const proposing = await run(
    'inference.model-down-500',
    undefined,
    ' --depth quick --propose-waivers proposed.yaml',
  );
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
  const { code, stdout, stderr, directory } = await run(
    'inference.model-down-500',
    filled,
    ' --depth quick --seed 7',
  );
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

const keyAndGuardrail = '--only key-info.200.* --only guardrail-read.* --depth quick';

/** A server with one tenant, judged with keys alone, in a folder of its own. */
async function tenant() {
  const { baseUrl, openWorld } = await serveReference();
  const { keys, guardrail_id } = openWorld('tenant');
  const cwd = folder();
  return {
    ...{ baseUrl, cwd },
    member: `--key member=${keys.member}`,
    management: `--key management=${keys.management} --guardrail ${guardrail_id}`,
    run: (flags: string) => plumbline(`run ${flags} ${keyAndGuardrail}`, { cwd }),
  };
}

it('--allow-incomplete ends with 0 instead of 4 and keeps the verdict', async () => {
  const { baseUrl, member, run, cwd } = await tenant();
  expect((await run(`${baseUrl} ${member}`)).code).toBe(4);
  const { code, stdout } = await run(`${baseUrl} ${member} --allow-incomplete --format json,markdown`);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^incomplete/)]);
  expect(stdout).toContain('allowed by --allow-incomplete');
  expect(readReport(join(cwd, 'plumbline-report')).gate.exit_code).toBe(0);
  expect((await run(`${baseUrl} --allow-incomplete`)).code, 'unjudged').toBe(3);
});

it('--propose-policy writes a profile that is refused without reasons and then passes until coverage is lost', async () => {
  const { baseUrl, member, management, run, cwd } = await tenant();
  const path = join(cwd, 'policy.yaml');
  const first = await run(`${baseUrl} ${member} ${management} --propose-policy ${path}`);
  const next = 'Fill in each reason, then pass the file to --profile.';
  expect([first.code, first.stderr]).toEqual([4, expect.stringContaining(next)]);
  const proposed = readFileSync(path, 'utf8');
  const refused = await run(`--profile policy.yaml ${member} ${management}`);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('policy.excused[0].reason')]);
  writeFileSync(path, proposed.replaceAll('reason:', 'reason: no control protocol here'));
  const excused = await run(`--profile policy.yaml ${member} ${management} --quiet`);
  const printed = /^incomplete, \d+ excused by the policy \(/;
  expect([excused.code, excused.stdout]).toEqual([0, expect.stringMatching(printed)]);
  const lost = await run(`--profile policy.yaml ${member}`);
  expect(lost.code).toBe(4);
  expect(lost.stdout).toContain('need the ID of a guardrail; a key of the role management');
});

it('--propose-policy leaves out what the profile already excuses and says where the entries go', async () => {
  const { baseUrl, member, run, cwd } = await tenant();
  const writeProfile = (...requirement: readonly string[]) => {
    const policy = { excused: [{ requirement, reason: 'none here' }] };
    writeFileSync(join(cwd, 'plumbline.yaml'), JSON.stringify({ target: { base_url: baseUrl }, policy }));
  };
  const known = ['guardrail-read.*', 'key-info.200.own-*'];
  writeProfile(...known);
  const { stderr } = await run(`${member} --propose-policy more.yaml`);
  expect(stderr).toContain('move the entries to policy.excused of plumbline.yaml');
  const proposed = readFileSync(join(cwd, 'more.yaml'), 'utf8');
  expect(proposed).toContain('- key-info.200.values');
  expect(proposed).not.toMatch(/guardrail-read|own-figures|base_url/);
  writeProfile(...known, 'key-info.200.values');
  const none = await run(`${member} --propose-policy none.yaml`);
  expect(none.stderr).toContain('every must was exercised, or is excused already');
});

it('--propose-policy writes nothing after a run without a passed requirement, and overwrites nothing', async () => {
  const { baseUrl, run, cwd } = await tenant();
  const { code } = await run(`${baseUrl} --propose-policy policy.yaml`);
  expect([code, existsSync(join(cwd, 'policy.yaml'))]).toEqual([3, false]);
  writeFileSync(join(cwd, 'policy.yaml'), 'mine');
  const again = await run(`${baseUrl} --propose-policy policy.yaml`);
  expect([again.code, readFileSync(join(cwd, 'policy.yaml'), 'utf8')]).toEqual([2, 'mine']);
});

it('the list of what was not exercised has at most five lines that fit, the most valuable capability first', async () => {
  const { baseUrl, member, cwd } = await tenant();
  const { stdout } = await plumbline(`run ${baseUrl} ${member} --depth quick`, { cwd });
  const [, list = ''] = /^Not exercised \(\d+\).*\n((?: {2}.*\n)+)/m.exec(stdout) ?? [];
  const lines = list.trimEnd().split('\n');
  expect(lines).toHaveLength(5);
  for (const line of lines) {
    expect(line.length).toBeLessThanOrEqual(100);
    expect(line).toMatch(/^ {2}\d+ requirements? \(\d+ must\)(?: need |: | have other needs)/);
  }
  const musts = lines.slice(0, 4).map((line) => Number(/\((\d+) must\)/.exec(line)?.[1]));
  expect(musts[0]).toBe(Math.max(...musts));
  expect(lines[4]).toMatch(/have other needs; the reports list them$/);
});
