import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import type { Behaviour } from '../../reference/behaviour.js';
import { behaveAsMutant, watchSecrets } from '../behaviours.js';
import { idsWith } from '../report-rows.js';
import { runOnReference } from './plumbline-process.js';
import { expectNoSecret } from './secret-search.js';

/** Runs against a server; `all` is what it printed and wrote, `secrets` what must not be in it. */
async function runAgainst(behaviour: Behaviour, flags: string) {
  const watch = watchSecrets(behaviour);
  const { server, ...run } = await runOnReference({ behaviour: watch.behaviour }, flags);
  expect([server.worldCount(), watch.keys.size > 10, watch.values.size > 0]).toEqual([0, true, true]);
  const written = readFileSync(join(run.directory, 'report.json'), 'utf8');
  const all = `${run.stdout}${run.stderr}${written}`;
  return { ...run, server, all, secrets: [...watch.keys, ...watch.values] };
}

it("a server that deletes a sibling's secret ends with 1, and the report shows how to reproduce it", async () => {
  const { code, stdout, report, all, secrets, server } = await runAgainst(
    behaveAsMutant('vault-delete.sibling-secret-through-own'),
    '--only vault-delete.404.* --depth standard --cases 3',
  );
  expect([code, stdout]).toEqual([1, expect.stringMatching(/^non-conformant: \d+ must/)]);
  const id = 'vault-delete.404.other-intern';
  expect(idsWith(report(), 'fail')).toContain(id);
  expect(idsWith(report(), 'fail').length).toBeLessThanOrEqual(3);
  const excerpt = stdout.slice(stdout.indexOf(`must  ${id}  §7.1`));
  expect(excerpt.replace(/\s+/g, ' ')).toMatch(/confirmed in 1 of 1 attempt/);
  expect(excerpt).toContain(`plumbline run --control ${server.controlUrl} --only ${id}`);
  expectNoSecret(all, secrets);

  // With the key of an open world, the pasted line reaches the target of the run.
  const line = /^ *(curl -i .*-X DELETE .*\$PLUMBLINE_KEY_MEMBER.*)$/m.exec(excerpt)?.[1] ?? '';
  expect(line).toContain(server.baseUrl);
  const env = { ...process.env, PLUMBLINE_KEY_MEMBER: server.openWorld('paste').keys.member };
  const { stdout: answer } = await promisify(execFile)('sh', ['-c', line], { env });
  expect(answer).toMatch(/^HTTP\/1\.1 404 /);
});

it('a run replaces stored values in a header by their names', async () => {
  const { code, report, all, secrets } = await runAgainst(
    behaveAsMutant('secrecy.value-in-503-header'),
    '--depth quick --max-requests 900 --only {vault-delete.503,guardrail-read,secrecy}.*',
  );
  expect([code, idsWith(report(), 'fail')]).toEqual([1, ['secrecy.header']]);
  expectNoSecret(all, secrets);
  expect(all).toContain('<stored value>');
});
