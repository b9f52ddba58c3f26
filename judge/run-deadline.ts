import { setMaxListeners } from 'node:events';

/** Ends a run early: its time is up, a limit is reached, or somebody interrupts it. */
export class RunDeadline {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #caller: AbortSignal | undefined;
  readonly #endsAt: number;
  #isInterrupted = false;

  /**
   * @param maxTimeMs milliseconds that the run may take
   * @param caller interrupts the run when it is aborted
   */
  constructor(maxTimeMs: number, caller?: AbortSignal) {
    // Every request in flight listens to it.
    setMaxListeners(0, this.#controller.signal);
    this.#endsAt = performance.now() + maxTimeMs;
    this.#timer = setTimeout(() => this.end(`out of time after ${maxTimeMs / 1000} s`), maxTimeMs);
    this.#caller = caller;
    if (caller?.aborted) this.interrupt();
    else caller?.addEventListener('abort', this.interrupt, { once: true });
  }

  /** Aborted when the run is to end; its reason says why. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether somebody interrupted the run. */
  get isInterrupted(): boolean {
    return this.#isInterrupted;
  }

  /** Milliseconds until the time is up. */
  readonly msLeft = (): number => this.#endsAt - performance.now();

  /** Ends the run for a reason in words. */
  end(reason: string): void {
    this.#controller.abort(reason);
  }

  /** Ends the run because somebody asked for it. */
  readonly interrupt = (): void => {
    this.#isInterrupted = true;
    this.end('interrupted');
  };

  /** Releases the timer and the caller's signal. */
  release(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener('abort', this.interrupt);
  }
}
