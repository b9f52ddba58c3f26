import { type ProgramOptions, runProgram } from '../run-program.js';

type ScriptFrame = Required<Pick<ProgramOptions, 'cwd' | 'env'>> & Pick<ProgramOptions, 'onStart'>;

/**
 * Runs a script as GitHub runs a step. It inherits only PATH and HOME: the settings of the test runner are not
 * part of a job.
 */
export async function runScript(script: string, { cwd, env, onStart }: ScriptFrame) {
  const { PATH, HOME } = process.env;
  const frame = { cwd, env: { PATH, HOME, NO_COLOR: '1', ...env }, timeout: 25_000, onStart };
  const words = ['--noprofile', '--norc', '-e', '-o', 'pipefail', '-c', `exec 2>&1 </dev/null\n${script}`];
  const { code, stdout: log } = await runProgram('bash', words, frame);
  return { code, log };
}

/** Returns a text with its expressions replaced; one without a value becomes empty, as on GitHub. */
export function fillExpressions(text: string, values: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\$\{\{ ([\w.-]+) \}\}/g, (_, name: string) => values.get(name) ?? '');
}
