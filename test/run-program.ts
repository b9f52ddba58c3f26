import { type ChildProcess, type ExecFileOptions, execFile } from 'node:child_process';

export interface ProgramEnd {
  /** null where a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** How a program is run. Its environment is that of the tests where none is given; after the timeout it is killed. */
export interface ProgramOptions extends Pick<ExecFileOptions, 'cwd' | 'env' | 'timeout'> {
  readonly onStart?: ((child: ChildProcess) => void) | undefined;
}

/** Runs a program to its end, whatever its exit code, while the servers of this process keep serving. */
export function runProgram(program: string, args: readonly string[], given: ProgramOptions = {}) {
  const { onStart, ...options } = given;
  const usual = { timeout: 120_000, killSignal: 'SIGKILL', maxBuffer: 64 * 2 ** 20 } as const;
  return new Promise<ProgramEnd>((resolve) => {
    const child = execFile(program, args, { ...usual, ...options }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
    onStart?.(child);
  });
}
