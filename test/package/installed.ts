import { type ChildProcess, spawn } from 'node:child_process';
import { type ProgramEnd, runProgram } from '../run-program.js';

export interface Surroundings {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Returns the environment of a fresh shell, without the variables of the test runner and of the npm that started it. */
function makeEnvironment(added: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) =>
      !/^(?:npm_(?!config_(?:registry|cache|userconfig)$)|VITEST|NODE_ENV$|NODE_OPTIONS$|TEST$|FORCE_COLOR$)/.test(
        name,
      ),
  );
  return { ...Object.fromEntries(own), NO_COLOR: '1', ...added };
}

export function run(program: string, args: readonly string[], { cwd, env }: Surroundings) {
  return runProgram(program, args, { cwd, env: makeEnvironment(env) });
}

/** Runs a program that must succeed. Rejects with its output if it does not. */
export async function runSuccessfully(
  program: string,
  args: readonly string[],
  surroundings: Surroundings,
): Promise<ProgramEnd> {
  const ended = await run(program, args, surroundings);
  if (ended.code !== 0) {
    throw new Error(`${program} ${args.join(' ')} ended with ${ended.code}:\n${ended.stdout}${ended.stderr}`);
  }
  return ended;
}

/** `plumbline serve` in a process of its own. */
export type Serving = Awaited<ReturnType<typeof startServing>>;

/** Starts the reference server of an installed package, or a mutant. */
export async function startServing(command: string, cwd: string, ...args: readonly string[]) {
  const child = spawn(command, ['serve', '--port', '0', ...args], {
    cwd,
    env: makeEnvironment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return {
    ...(await readWelcome(child)),
    stop: () =>
      new Promise<void>((resolve) => {
        child.once('close', () => resolve());
        child.kill();
      }),
  };
}

/** Reads the addresses, and a key of the role member, of a world that is ready to use. */
function readWelcome(child: ChildProcess): Promise<Record<'baseUrl' | 'controlUrl' | 'memberKey', string>> {
  let text = '';
  return new Promise((resolve, reject) => {
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const [, baseUrl, controlUrl, memberKey] =
        /base URL\s+(\S+)\ncontrol URL\s+(\S+)\n[\s\S]*? member\s+(\S+)\n/.exec(text) ?? [];
      if (baseUrl !== undefined && controlUrl !== undefined && memberKey !== undefined)
        resolve({ baseUrl, controlUrl, memberKey });
    });
    child.once('close', () => reject(new Error(`plumbline serve ended: ${text}`)));
  });
}
