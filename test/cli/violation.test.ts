import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Behaviour } from '../../reference/behaviour.js';
import { conforming } from '../../reference/conforming.js';
import { folder } from '../folders.js';
import { idsWith, plumbline, readReport } from './plumbline-process.js';
import { expectNoSecret } from './secret-search.js';
import { behaveAsMutant, serveReference, watchSecrets } from './servers.js';

// A few requests of every kind: listed, batched and generated.
const little = ['--depth', 'quick', '--cases', '2', '--max-requests', '900'];

async function runAgainst(
  behaviour: Behaviour,
  only: readonly string[] = [],
  depth: readonly string[] = little,
) {
  const watch = watchSecrets(behaviour);
  const { controlUrl, baseUrl, openWorld, worldCount } = await serveReference({ behaviour: watch.behaviour });
  const directory = folder();
  const selection = only.flatMap((glob) => ['--only', glob]);
  const flags = [...depth, '--report', directory, ...selection];
  const ended = await plumbline(['run', '--control', controlUrl, ...flags]);
  expect([worldCount(), watch.keys.size > 10, watch.values.size > 0]).toEqual([0, true, true]);
  const written = readFileSync(join(directory, 'report.json'), 'utf8');
  return {
    ...{ ...ended, controlUrl, baseUrl, openWorld },
    report: readReport(directory),
    all: `${ended.stdout}${ended.stderr}${written}`,
    secrets: () => [...watch.keys, ...watch.values],
  };
}

describe('a server that deletes the secret of a sibling', () => {
  it("a server that deletes a sibling's secret ends with 1, and the report shows how to reproduce it", async () => {
    const { code, stdout, report, all, secrets, baseUrl, controlUrl, openWorld } = await runAgainst(
      behaveAsMutant('vault-delete.sibling-secret-through-own'),
      ['vault-delete.404.*', 'vault-delete.204.*'],
      ['--depth', 'standard', '--cases', '3'],
    );
    expect(code).toBe(1);
    expect(stdout).toMatch(/^non-conformant: \d+ must/);
    expect(idsWith(report, 'fail')).toContain('vault-delete.404.other-intern');
    expect(idsWith(report, 'fail').length).toBeLessThanOrEqual(3);
    const id = 'vault-delete.404.other-intern';
    const row = report.requirements.find((candidate) => candidate.id === id);
    const told = stdout.slice(stdout.indexOf(`must  ${id}  §7.1`));
    const words = told.replace(/\s+/g, ' ');
    expect(words).toContain(row?.statement);
    expect(words).toMatch(/expected:? 404/);
    expect(words).toMatch(/got 204/);
    expect(words).toMatch(/confirmed in 1 of 1 attempt/);
    expect(told).toMatch(/^ *curl -i .*-X DELETE .*\$PLUMBLINE_KEY_MEMBER.*$/m);
    expect(told).toContain(`plumbline run --control ${controlUrl} --only ${id}`);
    expectNoSecret(all, secrets());

    // With the key of an open world, the pasted line reaches the target of the run.
    const line = /^ *(curl .*)$/m.exec(told)?.[1] ?? '';
    expect(line).toContain(baseUrl);
    const env = { ...process.env, PLUMBLINE_KEY_MEMBER: openWorld('paste').keys.member };
    const { stdout: answer } = await promisify(execFile)('sh', ['-c', line], { env });
    expect(answer).toMatch(/^HTTP\/1\.1 404 /);
  });
});

describe('a server that leaks secrets', () => {
  it('a run replaces stored values in a header by their names', async () => {
    const { code, report, all, secrets } = await runAgainst(behaveAsMutant('secrecy.value-in-503-header'), [
      '{vault-delete,guardrail-read,secrecy}.*',
    ]);
    expect(code).toBe(1);
    expect(idsWith(report, 'fail')).toEqual(['secrecy.header']);
    expectNoSecret(all, secrets());
    expect(all).toContain('<stored value>');
  });
});

it('a server is non-conformant if it always answers 500 in place of 404, but not if it does so once', async () => {
  const wrong = (times: number): Behaviour => {
    let left = times;
    return {
      ...conforming,
      refuse: (call, refusal) => {
        const isDue = call.operation === 'vault-delete' && refusal.status === 404 && left > 0;
        if (isDue) left -= 1;
        return conforming.refuse(call, isDue ? { ...refusal, status: 500 } : refusal);
      },
    };
  };
  const always = await runAgainst(wrong(Number.POSITIVE_INFINITY), ['vault-delete.404.*']);
  expect(always.code).toBe(1);
  expect(idsWith(always.report, 'fail')).toContain('vault-delete.404.never-stored');
  const once = await runAgainst(wrong(1), ['vault-delete.404.*']);
  expect([once.code, idsWith(once.report, 'fail')]).toEqual([0, []]);
});

it('the command that reproduces a violation names the target of the run', async () => {
  const broken = await serveReference({ behaviour: behaveAsMutant('inference.model-down-500') });
  const directory = folder();
  const flags = ['--target', broken.baseUrl, '--control', broken.controlUrl, '--report', directory];
  const { code } = await plumbline(['run', ...flags, '--only', 'inference.502.*']);
  expect(code).toBe(1);
  const [failed] = readReport(directory).checks.filter(({ failure }) => failure !== null);
  expect(failed?.failure?.reproduce.command).toContain(`--target ${broken.baseUrl}`);
});
