import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { ProgramEnd } from '../run-program.js';

export interface Ended extends ProgramEnd {
  readonly ms: number;
}

export interface Cost extends Ended {
  /** The peak memory of the process in bytes; undefined if it was killed. */
  readonly bytes: number | undefined;
  readonly cpuMs: number | undefined;
}

/** Runs the command with arguments in a folder; `env` extends the environment, or replaces it. */
export type RunCommand = (
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
  isWholeEnvironment?: boolean,
) => Promise<Cost>;

const runnerPath = fileURLToPath(new URL('./command-in-turn.mjs', import.meta.url));

export const maxRunMs = 60_000;

/** A process that runs the command for many tests, one after another: starting a process would cost more than a short run. */
export class CommandRunner {
  readonly #command: string;
  readonly #environment: NodeJS.ProcessEnv;
  #child: ChildProcess | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(command: string, environment: NodeJS.ProcessEnv = process.env) {
    this.#command = command;
    this.#environment = environment;
  }

  get isIdle(): boolean {
    return this.#waiting === 0;
  }

  readonly run: RunCommand = (args, cwd, env, isWholeEnvironment = false) => {
    this.#waiting += 1;
    const ended = this.#last
      .then(() => this.#run({ args, cwd, env, isWholeEnvironment }))
      .finally(() => {
        this.#waiting -= 1;
      });
    this.#last = ended.catch(() => undefined);
    return ended;
  };

  close(): void {
    this.#child?.kill();
  }

  #running(): ChildProcess {
    if (this.#child?.connected === true) return this.#child;
    const child = fork(runnerPath, [this.#command], {
      env: this.#environment,
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    // It ends with this process, which must not wait for it.
    child.unref();
    child.channel?.unref();
    if (child.stderr instanceof Socket) child.stderr.unref();
    this.#child = child;
    return child;
  }

  async #run(order: object): Promise<Cost> {
    const child = this.#running();
    let stderr = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const over = new AbortController();
    const killed = setTimeout(() => child.kill('SIGKILL'), maxRunMs);
    child.send(order);
    const [cost] = await Promise.race([
      once(child, 'message', { signal: over.signal }) as Promise<[Cost]>,
      once(child, 'exit', { signal: over.signal }).then(([code]): [Cost] => {
        this.#child = undefined;
        const ended = { code: code as number | null, stdout: '', stderr, ms: maxRunMs };
        return [{ ...ended, bytes: undefined, cpuMs: undefined }];
      }),
    ]);
    over.abort();
    clearTimeout(killed);
    child.stderr?.removeAllListeners('data');
    return cost;
  }
}
