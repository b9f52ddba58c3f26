import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folder } from '../folders.js';
import { serveReference } from '../servers.js';
import { plumbline, readReport } from './plumbline-process.js';

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
  const excused = await run(`--profile policy.yaml ${member} ${management}`);
  expect([excused.code, excused.stdout]).toEqual([0, expect.stringMatching(/^incomplete/)]);
  const lost = await run(`--profile policy.yaml ${member}`);
  expect(lost.code).toBe(4);
  expect(lost.stdout).toContain('need the id of a guardrail; a key of the role management');
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
    expect(line).toMatch(/^ {2}\d+ requirements? \(\d+ must\)(?: need |: )/);
  }
  const musts = lines.slice(0, 4).map((line) => Number(/\((\d+) must\)/.exec(line)?.[1]));
  expect(musts[0]).toBe(Math.max(...musts));
  expect(lines[4]).toMatch(/need other things; the reports list them$/);
});
