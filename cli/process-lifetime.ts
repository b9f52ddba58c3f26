import { longestTimerMs } from '../judge/plan.js';
import { RunDeadline } from '../judge/run-limits.js';
import { exitCodes } from '../spec/exit-codes.js';
import { messageOf } from '../spec/thrown.js';

/** The time limit of a command that only a signal ends early. */
export const noTimeLimitMs = longestTimerMs;

// SIGHUP comes when a terminal is closed or a connection to it is lost.
const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** A deadline that signals to this process end too, and that keeps uncaught errors. */
export class ProcessDeadline extends RunDeadline {
  readonly #strayErrors: string[] = [];

  /** @param maxTimeMs milliseconds; the default is ample for a few hundred requests */
  constructor(maxTimeMs = 120_000) {
    super(maxTimeMs);
    for (const signal of endingSignals) process.on(signal, this.#onSignal);
    process.on('uncaughtException', this.#keep).on('unhandledRejection', this.#keep);
  }

  get strayErrors(): readonly string[] {
    return this.#strayErrors;
  }

  override [Symbol.dispose](): void {
    super[Symbol.dispose]();
    // After an interruption they stay: a further signal must not replace the exit code 130 by its own.
    if (!this.isInterrupted) for (const signal of endingSignals) process.off(signal, this.#onSignal);
    process.off('uncaughtException', this.#keep).off('unhandledRejection', this.#keep);
  }

  // The first signal ends the run in order: it deletes its worlds and writes its reports. The second ends the process at once.
  readonly #onSignal = (): void => {
    if (this.isInterrupted) process.exit(exitCodes.interrupted);
    this.interrupt();
  };

  readonly #keep = (error: unknown): void => {
    this.#strayErrors.push(`uncaught error: ${messageOf(error)}`);
  };
}

/** Ignores a reader that stops reading (`| head`). If standard output cannot be written otherwise, the exit code is not 0. */
export function handleOutputErrors(): void {
  let isReported = false;
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', ({ code = 'unknown error' }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE' || isReported) return;
    isReported = true;
    process.stderr.write(
      `plumbline: could not write to standard output (${code}). Redirect it somewhere else.\n`,
    );
    process.on('exit', () => {
      process.exitCode ||= exitCodes.usage;
    });
  });
}

// Longer than an embedded server takes to close.
const maxLingerMs = 1_000;

/** Ends the process even if something is still pending: a host name lookup cannot be cancelled. */
export function exitSoon(): void {
  const timer = setTimeout(() => {
    if (process.stdout.writableLength + process.stderr.writableLength > 0) exitSoon();
    else process.exit();
  }, maxLingerMs);
  timer.unref();
}
