import { exitCodes } from '../spec/exit-codes.js';

/**
 * Looks after standard output and standard error for as long as the process runs. A reader that stops reading
 * (`| head`) is no failure of ours. Where the system takes a result no more (a full disk) that is told in a line, and
 * the process does not end with 0: nobody has the result.
 */
export function tellBrokenOutput(): void {
  let isTold = false;
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', ({ code = 'the reason is unknown' }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE' || isTold) return;
    isTold = true;
    process.stderr.write(
      `plumbline: the standard output cannot be written to (${code}). Send it elsewhere.\n`,
    );
    process.on('exit', () => {
      process.exitCode ||= exitCodes.usage;
    });
  });
}
