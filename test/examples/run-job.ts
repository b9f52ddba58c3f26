import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { folder } from '../folders.js';
import { readYamlFile } from './example-files.js';
import { runAction } from './run-action.js';
import { fillExpressions, runScript } from './run-script.js';

/** A step of a job, as far as these tests run it. */
interface JobStep {
  readonly id?: string;
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly if?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly 'continue-on-error'?: boolean;
}

interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly steps: readonly JobStep[] }>>;
}

interface JobFrame {
  readonly workspace: string;
  /** What expressions stand for: `vars.STAGING_CONTROL`. Whatever is missing is empty. */
  readonly values: Readonly<Record<string, string>>;
  /** Inputs of our action in place of those of the workflow, so that a run takes no longer than it needs. */
  readonly inputs: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Runs a job of an example workflow as GitHub does, our action and all scripts in it. `codes` has the exit codes of the
 * steps that ran, by name, else id, else action; 0 for actions of others, which are not run.
 */
export async function runJob(workflow: string, job: string, frame: JobFrame) {
  const [{ jobs }] = readYamlFile(`examples/github/${workflow}.yml`) as readonly [Workflow];
  const summary = join(folder(), 'summary.md');
  const env = { ...frame.env, GITHUB_STEP_SUMMARY: summary };
  const values = new Map(Object.entries(frame.values));
  const codes = new Map<string, number | null>();
  let failed = false;
  let log = '';
  for (const step of jobs[job]?.steps ?? []) {
    if (!isDue(step.if, values, failed)) continue;
    const ended = await runStep(step, values, { ...frame, env });
    codes.set(step.name ?? step.id ?? step.uses ?? '', ended.code);
    log += ended.log;
    failed ||= ended.code !== 0 && step['continue-on-error'] !== true;
  }
  return { codes, failed, log, summary: existsSync(summary) ? readFileSync(summary, 'utf8') : '' };
}

async function runStep(
  step: JobStep,
  values: Map<string, string>,
  { workspace, inputs, env = {} }: JobFrame,
) {
  const fill = (given: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, string>> =>
    Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name, fillExpressions(String(value), values)]),
    );
  if (step.run !== undefined)
    return runScript(step.run, { cwd: workspace, env: { ...env, ...fill(step.env) } });
  if (step.uses?.startsWith('OWNER/plumbline@') !== true) return { code: 0, log: '' };
  const ended = await runAction({ ...fill(step.with), ...inputs }, { workspace });
  for (const [name, value] of Object.entries(ended.outputs))
    values.set(`steps.${step.id}.outputs.${name}`, value);
  return ended;
}

/** Whether a step runs, in a job that nobody cancels. Throws where a condition has a term of another form. */
function isDue(condition: string | undefined, values: ReadonlyMap<string, string>, failed: boolean): boolean {
  const terms = condition?.replace(/^\$\{\{ (.*) \}\}$/, '$1').split(' && ') ?? [];
  const asksForStatus = terms.some((term) => term === '!cancelled()' || term === 'always()');
  return (asksForStatus || !failed) && terms.every((term) => isTrue(term, values));
}

function isTrue(term: string, values: ReadonlyMap<string, string>): boolean {
  if (term === '!cancelled()' || term === 'always()') return true;
  const [, name, operator, text] = /^([\w.-]+) ([!=]=) '(\w*)'$/.exec(term) ?? [];
  if (name === undefined) throw new Error(`Unknown condition: ${term}`);
  return ((values.get(name) ?? '') === text) === (operator === '==');
}
