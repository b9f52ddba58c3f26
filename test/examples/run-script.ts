import { type ChildProcess, spawn } from 'node:child_process';

/** Where and how a script runs. */
export interface ScriptFrame {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Called once the shell runs. */
  readonly onStart?: (child: ChildProcess) => void;
}

/** What a script ended with, and what it printed. */
export interface ScriptEnd {
  readonly code: number | null;
  readonly log: string;
}

/**
 * Runs a script as GitHub runs a step. Of the environment of these tests it has the path and the home alone: what the
 * test runner is told is no part of a job.
 */
export function runScript(script: string, { cwd, env, onStart }: ScriptFrame): Promise<ScriptEnd> {
  const { PATH, HOME } = process.env;
  const child = spawn('bash', ['--noprofile', '--norc', '-e', '-o', 'pipefail', '-c', script], {
    cwd,
    env: { PATH, HOME, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 25_000,
  });
  onStart?.(child);
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, log }));
  });
}

/** Returns a text with its expressions replaced; one without a value becomes empty, as on GitHub. */
export function fillExpressions(text: string, values: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\$\{\{ ([\w.-]+) \}\}/g, (_, name: string) => values.get(name) ?? '');
}
