import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { command, folder, plumbline, removeFolders } from '../cli/plumbline-process.js';
import { mutant, reference } from '../cli/servers.js';
import { yamlFile } from './example-files.js';

afterAll(removeFolders);

interface Workflow {
  readonly jobs: { readonly conformance: { readonly steps: readonly { name?: string; run?: string }[] } };
}

const [workflow] = yamlFile('examples/github/nightly.yml') as readonly [Workflow];
/** Runs the script of a step as GitHub does; resolves with its exit code. */
function step(name: string, workspace: string, report: string): Promise<number | null> {
  const script = workflow.jobs.conformance.steps.find((one) => one.name === name)?.run;
  if (script === undefined) throw new Error(`There is no step "${name}".`);
  const child = spawn('bash', ['--noprofile', '--norc', '-e', '-o', 'pipefail', '-c', script], {
    cwd: workspace,
    env: {
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      PLUMBLINE: command,
      REPORT: report,
      GITHUB_STEP_SUMMARY: join(workspace, 'summary.md'),
    },
    stdio: 'ignore',
  });
  return new Promise((resolve) => child.once('close', resolve));
}

/** A night: a run of the server between the steps around it; resolves with the exit code of the last one. */
async function night(workspace: string, name: string, controlUrl: string): Promise<number | null> {
  const report = join(workspace, name);
  const few = ['--only', 'key-info.200.*', '--cases', '1', '--seed', '7'];
  await step('Make room for the first night', workspace, report);
  const args = ['run', '--control', controlUrl, ...few, '--report', report, '--history'];
  const { code, stderr } = await plumbline([...args, '.plumbline/runs.ndjson'], { cwd: workspace });
  expect(code, stderr).toBeLessThan(2);
  return step('Compare with the last night', workspace, report);
}

it('the nightly workflow tells what is new since the last night, and keeps each night for the next', async () => {
  const workspace = folder();
  const good = await reference();
  expect(await night(workspace, 'monday', good.controlUrl)).toBe(0);
  expect(existsSync(join(workspace, 'summary.md'))).toBe(false);

  const bad = await reference({ behaviour: mutant('key-info.figures-of-member') });
  expect(await night(workspace, 'tuesday', bad.controlUrl)).toBe(1);
  expect(readFileSync(join(workspace, 'summary.md'), 'utf8')).toContain('key-info.200.own-figures');
  expect(readFileSync(join(workspace, 'tuesday/trend.html'), 'utf8')).toContain(
    '<td><span class="non-conformant">still there',
  );

  // What is known is not new.
  expect(await night(workspace, 'wednesday', bad.controlUrl)).toBe(0);
});
