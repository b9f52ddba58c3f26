import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folder, root } from '../folders.js';
import { readAction } from './example-files.js';
import { fillExpressions, runScript } from './run-script.js';

const { inputs: known, outputs: named, runs } = readAction();

interface Surroundings {
  readonly workspace?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly onStep?: (id: string, child: ChildProcess) => unknown;
}

/**
 * Runs the scripts of action.yml as GitHub runs them: one shell each, the outputs of one for the next. The exit code is that
 * of the last step that ran.
 */
export async function runAction(
  inputs: Readonly<Record<string, string>>,
  { workspace = folder(), env = {}, onStep }: Surroundings = {},
) {
  const runner = folder();
  const summary = join(runner, 'summary.md');
  const values = new Map<string, string>([['github.action_path', root]]);
  for (const [name, input] of Object.entries(known))
    values.set(`inputs.${name}`, inputs[name] ?? input.default ?? '');
  let log = '';
  let code: number | null = 0;
  for (const step of runs.steps) {
    const output = join(runner, `${step.id}.output`);
    writeFileSync(output, '');
    const ended = await runScript(step.run, {
      cwd: workspace,
      env: {
        RUNNER_TEMP: runner,
        GITHUB_ACTIONS: 'true',
        GITHUB_OUTPUT: output,
        GITHUB_STEP_SUMMARY: summary,
        ...env,
        ...Object.fromEntries(
          Object.entries(step.env).map(([name, text]) => [name, fillExpressions(text, values)]),
        ),
      },
      onStart: (child) => onStep?.(step.id, child),
    });
    log += ended.log;
    code = ended.code;
    for (const [name, value] of readOutputs(output)) values.set(`steps.${step.id}.outputs.${name}`, value);
    if (code !== 0) break;
  }
  const outputs = Object.entries(named).map(([name, { value }]) => [name, fillExpressions(value, values)]);
  return {
    code,
    log,
    outputs: Object.fromEntries(outputs) as Readonly<Record<string, string>>,
    summary: existsSync(summary) ? readFileSync(summary, 'utf8') : '',
    workspace,
  };
}

function readOutputs(file: string): readonly (readonly [string, string])[] {
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => {
    const end = line.indexOf('=');
    if (end < 1) throw new Error(`A step wrote "${line}", which is not an output.`);
    return [line.slice(0, end), line.slice(end + 1)];
  });
}
