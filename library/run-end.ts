import { setMaxListeners } from 'node:events';

/** What ends a run of the library before its end: the caller, the time being over, or a ceiling. Touches no process. */
export class RunEnd {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #caller: AbortSignal | undefined;

  /** @param maxTimeMs milliseconds that the run may take @param caller aborted when whoever asked for it has enough */
  constructor(maxTimeMs: number, caller: AbortSignal | undefined) {
    // Every request in flight listens to it.
    setMaxListeners(0, this.#controller.signal);
    this.#timer = setTimeout(() => this.end(`out of time after ${maxTimeMs / 1000} s`), maxTimeMs);
    this.#caller = caller;
    if (caller?.aborted) this.#interrupt();
    else caller?.addEventListener('abort', this.#interrupt, { once: true });
  }

  /** Aborted when the run is to end. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the caller ended it. */
  get interrupted(): boolean {
    return this.signal.reason === 'interrupted';
  }

  /** Ends the run, for a reason in words. */
  end(reason: string): void {
    this.#controller.abort(reason);
  }

  /** Lets go of the timer and of the caller's signal. */
  release(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener('abort', this.#interrupt);
  }

  readonly #interrupt = (): void => this.end('interrupted');
}
