import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { behaveAsMutant } from '../behaviours.js';
import { sharedCommand } from '../cli/plumbline-process.js';
import { folder, installProgram, root } from '../folders.js';
import { htmlForEverything, serveReference, startServer } from '../servers.js';
import { runJob } from './run-job.js';

const small = { depth: 'quick', seed: '7', 'extra-args': '--cases=1' };
const few = { command: sharedCommand(), only: 'key-info.200.*', ...small };
const compare = 'Compare with the last night';
const upload = 'github/codeql-action/upload-sarif@v3';

/** A night of the workflow against the control that `vars.STAGING_CONTROL` names; unset where it is empty. */
function runNight(workspace: string, controlUrl: string) {
  const values: Record<string, string> = controlUrl === '' ? {} : { 'vars.STAGING_CONTROL': controlUrl };
  writeFileSync(join(workspace, 'waivers.yaml'), '[]\n');
  return runJob('nightly', 'conformance', { workspace, values, inputs: few });
}

function readBaseline(workspace: string): string {
  return readFileSync(join(workspace, '.plumbline/last/report.json'), 'utf8');
}

// Each night starts the command several times.
describe('the nightly workflow', { timeout: 60_000 }, () => {
  it('the nightly workflow compares with the last night that judged something, and uploads only its own alerts', async () => {
    const workspace = folder();
    const monday = await runNight(workspace, (await serveReference()).controlUrl);
    expect([monday.failed, monday.summary]).toEqual([false, '']);
    expect(monday.codes.get(upload)).toBe(0);

    const bad = await serveReference({ behaviour: behaveAsMutant('key-info.figures-of-member') });
    const tuesday = await runNight(workspace, bad.controlUrl);
    expect([tuesday.codes.get('plumbline'), tuesday.codes.get(compare)]).toEqual([1, 1]);
    expect(tuesday.codes.get(upload)).toBe(0);
    expect(tuesday.summary).toContain('key-info.200.own-figures');
    expect(readFileSync(join(workspace, 'plumbline-report/trend.html'), 'utf8')).toContain(
      '<td class="tone fail">still failed</td>',
    );

    // Staging is down, then answers HTML to everything.
    const before = readBaseline(workspace);
    for (const origin of ['http://127.0.0.1:1', await startServer(htmlForEverything)]) {
      const { failed, codes } = await runNight(workspace, `${origin}/control`);
      expect([failed, codes.get('plumbline')]).toEqual([true, 3]);
      expect([codes.has(compare), codes.has(upload)]).toEqual([false, false]);
      expect(codes.get('Chart the last nights')).toBe(0);
      expect(readBaseline(workspace)).toBe(before);
    }

    // A known violation is not new; against a night that judged nothing it would be.
    const friday = await runNight(workspace, bad.controlUrl);
    expect([friday.codes.get('plumbline'), friday.codes.get(compare)]).toEqual([1, 0]);
    expect(friday.codes.get(upload)).toBe(0);
  });

  it('the nightly workflow fails with 2 if vars.STAGING_CONTROL is unset, whatever profile there is', async () => {
    const workspace = folder();
    writeFileSync(join(workspace, 'plumbline.yaml'), 'target:\n  base_url: http://127.0.0.1:1/v1\n');
    const { failed, codes, log } = await runNight(workspace, '');
    expect([failed, codes.get('plumbline')]).toEqual([true, 2]);
    expect(log).toContain('::error title=plumbline::Nothing to judge');
    expect([codes.has(compare), codes.has(upload)]).toEqual([false, false]);
    expect(existsSync(join(workspace, '.plumbline/last'))).toBe(false);
  });
});

const fewOfGate = {
  command: sharedCommand(),
  only: 'key-info.200.*',
  depth: 'quick',
  'extra-args': '--cases=1',
};
const npm = `#!/bin/sh\nmkdir -p node_modules && ln -s "${root}" node_modules/plumbline-conformance\n`;

/** Judges staging with three machines and merges, all in one folder, which is what the artifacts come to. */
async function runReleaseGate(values: Readonly<Record<string, string>>) {
  const workspace = folder();
  writeFileSync(join(workspace, 'waivers.yaml'), '[]\n');
  const judges = await Promise.all(
    ['1', '2', '3'].map((shard) =>
      runJob('release-gate', 'judge', {
        workspace,
        values: { ...values, 'matrix.shard': shard, 'github.run_id': '4711', 'github.run_attempt': '1' },
        inputs: fewOfGate,
      }),
    ),
  );
  const PATH = [installProgram('npm', npm), dirname(process.execPath), process.env.PATH].join(':');
  const gate = await runJob('release-gate', 'gate', { workspace, values, inputs: fewOfGate, env: { PATH } });
  return { judges, gate: gate.codes.get('Merge the shards') };
}

it.each([
  ['a server that conforms', undefined, 0],
  ['a server with one violation', 'key-info.figures-of-member', 1],
])('the release gate ends for %s as the run of one machine would', async (_name, id, code) => {
  const { controlUrl } = await serveReference(id === undefined ? {} : { behaviour: behaveAsMutant(id) });
  const { judges, gate } = await runReleaseGate({ 'vars.STAGING_CONTROL': controlUrl });
  expect(judges.map(({ failed }) => failed)).toEqual([false, false, false]);
  expect(gate).toBe(code);
});

it('the release gate fails with 2 in every shard and in the gate while vars.STAGING_CONTROL is unset', async () => {
  const { judges, gate } = await runReleaseGate({});
  for (const { failed, codes, log } of judges) {
    expect([failed, codes.get('plumbline'), codes.get('Fail without a report')]).toEqual([true, 2, 2]);
    expect(log).toContain('::error title=plumbline::Nothing to judge');
  }
  expect(gate).toBe(2);
});
