import { RunDeadline } from '../judge/run-limits.js';
import { exitCodes } from '../spec/exit-codes.js';
import { messageOf } from '../spec/thrown.js';

// The third comes when a terminal is closed or a connection to it is lost.
const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** A deadline that signals to this process end too. Keeps errors that nothing caught. */
export class ProcessDeadline extends RunDeadline {
  readonly #strayErrors: string[] = [];

  /** @param maxTimeMs milliseconds that the run may take */
  constructor(maxTimeMs: number) {
    super(maxTimeMs);
    for (const signal of endingSignals) process.on(signal, this.#onSignal);
    process.on('uncaughtException', this.#keep).on('unhandledRejection', this.#keep);
  }

  /** Errors that no part of the suite caught. */
  get strayErrors(): readonly string[] {
    return this.#strayErrors;
  }

  override release(): void {
    super.release();
    for (const signal of endingSignals) process.off(signal, this.#onSignal);
    process.off('uncaughtException', this.#keep).off('unhandledRejection', this.#keep);
  }

  // The first signal ends the run in order: worlds are given back, reports written. The second ends the process at once.
  readonly #onSignal = (): void => {
    if (this.isInterrupted) process.exit(exitCodes.interrupted);
    this.interrupt();
  };

  readonly #keep = (error: unknown): void => {
    this.#strayErrors.push(`an error that nothing caught: ${messageOf(error)}`);
  };
}
