import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { folder } from '../cli/plumbline-process.js';
import { type ActionStep, readAction } from './action-yml.js';

const { inputs: known, outputs: named, runs } = readAction();
const root = fileURLToPath(new URL('../../', import.meta.url));

/** What a job sees of the action. */
export interface ActionEnd {
  /** That of the last step that ran. */
  readonly code: number | null;
  readonly log: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: string;
  /** The folder that the job works in. */
  readonly workspace: string;
}

/** How the action is run beside its inputs. */
interface Surroundings {
  readonly workspace?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Called with each step's shell once it runs. */
  readonly onStep?: (id: string, child: ChildProcess) => void;
}

/** Runs the scripts of action.yml as GitHub runs them: one shell each, the outputs of one for the next. */
export async function runAction(
  inputs: Readonly<Record<string, string>>,
  { workspace = folder(), env = {}, onStep }: Surroundings = {},
): Promise<ActionEnd> {
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
    const ended = await runStep(step, {
      runner,
      cwd: workspace,
      env: {
        ...surroundings(),
        RUNNER_TEMP: runner,
        GITHUB_ACTIONS: 'true',
        GITHUB_OUTPUT: output,
        GITHUB_STEP_SUMMARY: summary,
        ...env,
        ...Object.fromEntries(Object.entries(step.env).map(([name, text]) => [name, filled(text, values)])),
      },
      onStep,
    });
    log += ended.log;
    code = ended.code;
    for (const [name, value] of told(output)) values.set(`steps.${step.id}.outputs.${name}`, value);
    if (code !== 0) break;
  }
  const outputs = Object.entries(named).map(([name, { value }]) => [name, filled(value, values)]);
  return {
    code,
    log,
    outputs: Object.fromEntries(outputs),
    summary: existsSync(summary) ? readFileSync(summary, 'utf8') : '',
    workspace,
  };
}

// What this test runner is told, or runs under, is no part of a job.
function surroundings(): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  return { PATH, HOME, NO_COLOR: '1' };
}

/** A text with its expressions replaced; one that has no value is empty, as on GitHub. */
function filled(text: string, values: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\$\{\{ ([\w.-]+) \}\}/g, (_, name: string) => values.get(name) ?? '');
}

/** The outputs that a step wrote, a line each. */
function told(file: string): readonly (readonly [string, string])[] {
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => {
    const end = line.indexOf('=');
    if (end < 1) throw new Error(`A step told "${line}", which is no output.`);
    return [line.slice(0, end), line.slice(end + 1)];
  });
}

interface StepFrame {
  readonly runner: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly onStep: Surroundings['onStep'];
}

function runStep({ id, run }: ActionStep, { runner, cwd, env, onStep }: StepFrame) {
  const script = join(runner, `${id}.sh`);
  writeFileSync(script, run);
  const child = spawn('bash', ['--noprofile', '--norc', '-e', '-o', 'pipefail', script], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 25_000,
  });
  onStep?.(id, child);
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
  return new Promise<{ code: number | null; log: string }>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, log }));
  });
}
