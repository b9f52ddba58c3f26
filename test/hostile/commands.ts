import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { command, type Ended, start } from '../cli/plumbline-process.js';

/** What became of a run of the command, and what it cost. */
export interface Cost extends Ended {
  /** The most memory that the process took, in bytes; undefined where it did not come to say so. */
  readonly bytes: number | undefined;
  readonly cpuMs: number | undefined;
}

/** How the command is run: its arguments, the folder it starts in, what is added to its environment. */
export type RunCommand = (
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
) => Promise<Cost>;

const preload = new URL('./told-cost.mjs', import.meta.url).href;

/** Runs the command as a user does: in a process of its own. */
export const inItsOwnProcess: RunCommand = async (args, cwd, env) => {
  const file = join(cwd, '..', 'cost');
  const told = { NODE_OPTIONS: `--import=${preload}`, PLUMBLINE_TEST_COST: file, ...env };
  const ended = await start(args, { cwd, env: told, everyFormat: true }).ended;
  const cost = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as Pick<Cost, 'bytes' | 'cpuMs'>)
    : {};
  return { bytes: undefined, cpuMs: undefined, ...ended, ...cost };
};

const runnerPath = fileURLToPath(new URL('./command-in-turn.mjs', import.meta.url));
const runAtMostMs = 25_000;

/** A process that runs the command for many tests, one after another: starting it is most of what a short run costs. */
export class CommandRunner {
  #child: ChildProcess | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** Runs the command once those asked for before are through. */
  readonly run: RunCommand = (args, cwd, env) => {
    const ended = this.#last.then(() => this.#run(args, cwd, env));
    this.#last = ended.catch(() => undefined);
    return ended;
  };

  /** Ends the process. */
  close(): void {
    this.#child?.kill();
  }

  async #run(...[args, cwd, env]: Parameters<RunCommand>): Promise<Cost> {
    this.#child ??= fork(runnerPath, [command], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    const child = this.#child;
    let stderr = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const over = new AbortController();
    const killed = setTimeout(() => child.kill('SIGKILL'), runAtMostMs);
    child.send({ args, cwd, env });
    const [told] = await Promise.race([
      once(child, 'message', { signal: over.signal }) as Promise<[Cost]>,
      once(child, 'exit', { signal: over.signal }).then(([code]): [Cost] => {
        this.#child = undefined;
        return [
          {
            code: code as number | null,
            stdout: '',
            stderr,
            ms: runAtMostMs,
            bytes: undefined,
            cpuMs: undefined,
          },
        ];
      }),
    ]);
    over.abort();
    clearTimeout(killed);
    child.stderr?.removeAllListeners('data');
    return told;
  }
}
