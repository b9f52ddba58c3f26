import { setMaxListeners } from 'node:events';
import { exitCodes } from '../judge/verdict.js';
import { messageOf } from '../spec/thrown.js';

/** What ends a run before its end: a signal, the time being over, or a ceiling. Also keeps errors that nobody caught. */
export class Stop {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #strayErrors: string[] = [];
  #interrupted = false;

  /** @param maxTimeMs milliseconds that the run may take */
  constructor(maxTimeMs: number) {
    // Every request in flight listens to it.
    setMaxListeners(0, this.#controller.signal);
    this.#timer = setTimeout(
      () => this.#controller.abort(`out of time after ${maxTimeMs / 1000} s`),
      maxTimeMs,
    );
    process.on('SIGINT', this.#interrupt).on('SIGTERM', this.#interrupt);
    process.on('uncaughtException', this.#keep).on('unhandledRejection', this.#keep);
  }

  /** Aborted when the run is to end. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Ends the run, for a reason in words. */
  end(reason: string): void {
    this.#controller.abort(reason);
  }

  /** Whether somebody stopped it. */
  get interrupted(): boolean {
    return this.#interrupted;
  }

  /** Errors that no part of the suite caught. */
  get strayErrors(): readonly string[] {
    return this.#strayErrors;
  }

  /** Lets go of the process. */
  release(): void {
    clearTimeout(this.#timer);
    process.off('SIGINT', this.#interrupt).off('SIGTERM', this.#interrupt);
    process.off('uncaughtException', this.#keep).off('unhandledRejection', this.#keep);
  }

  // Once to end in order: worlds given back, reports written. Twice to end at once.
  readonly #interrupt = (): void => {
    if (this.#interrupted) process.exit(exitCodes.interrupted);
    this.#interrupted = true;
    this.#controller.abort('interrupted');
  };

  readonly #keep = (error: unknown): void => {
    this.#strayErrors.push(`an error that nothing caught: ${messageOf(error)}`);
  };
}
