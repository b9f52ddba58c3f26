import { setMaxListeners } from 'node:events';

const maxCleanUpMs = 10_000;

// Only the answer to a request that makes something says what to remove, so it is awaited for a while.
const maxFinishingMs = 4_000;

/** When a run stops, and until when it may clean up. */
export class CleanUpTime {
  readonly #over = new AbortController();
  readonly #finishing = new AbortController();
  readonly #end = new AbortController();
  /** Aborted when the run is over: only requests that clean up are sent from then on. */
  readonly over = this.#over.signal;
  /** Aborted when answers to requests in flight are no longer awaited. */
  readonly finishing = this.#finishing.signal;
  readonly end = this.#end.signal;
  readonly #timers: NodeJS.Timeout[] = [];

  /** @param run aborted to end the run, with the reason in words; cleaning up then begins by itself */
  constructor(private readonly run?: AbortSignal) {
    setMaxListeners(0, this.over, this.finishing, this.end);
    if (run?.aborted) this.begin();
    else run?.addEventListener('abort', this.begin, { once: true });
  }

  readonly begin = (): void => {
    if (this.over.aborted) return;
    this.#over.abort(this.run?.aborted ? this.run.reason : 'the run is over');
    const abortAfter = (ms: number, controller: AbortController) =>
      this.#timers.push(setTimeout(() => controller.abort('no time was left'), ms));
    abortAfter(maxFinishingMs, this.#finishing);
    abortAfter(maxCleanUpMs, this.#end);
  };

  release(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.run?.removeEventListener('abort', this.begin);
  }
}
