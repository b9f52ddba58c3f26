import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { behaveAsMutant } from '../behaviours.js';
import { sharedCommand } from '../cli/plumbline-process.js';
import { folder, installProgram, root } from '../folders.js';
import { serveReference } from '../servers.js';
import { runJob } from './run-job.js';

const few = { command: sharedCommand(), only: 'key-info.200.*', depth: 'quick', 'extra-args': '--cases=1' };
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
        inputs: few,
      }),
    ),
  );
  const PATH = [installProgram('npm', npm), dirname(process.execPath), process.env.PATH].join(':');
  const gate = await runJob('release-gate', 'gate', { workspace, values, inputs: few, env: { PATH } });
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
