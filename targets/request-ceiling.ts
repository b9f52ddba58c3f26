/** How many requests may be sent. */
export interface CeilingOptions {
  /** Requests that may be sent in all, everything counted; any number where absent. */
  readonly maxRequests?: number | undefined;
  /** Called when no further request may be sent: the caller should stop. */
  readonly onMaxRequests?: () => void;
}

/** What a request is to the ceiling of requests. */
export interface Weight {
  /** Requests that it will take to undo what it does; that many are kept for later. */
  readonly reserves?: number;
  /** Requests kept before that it uses: it is sent even where nothing else may be. */
  readonly uses?: number;
}

/** Counts what is sent, and keeps it below a ceiling, with room to undo what was done. */
export class RequestCeiling {
  readonly #most: number;
  readonly #onReached: () => void;
  /** Requests sent so far. */
  sent = 0;
  #reserved = 0;

  constructor({ maxRequests = Number.POSITIVE_INFINITY, onMaxRequests = () => undefined }: CeilingOptions) {
    this.#most = maxRequests;
    this.#onReached = onMaxRequests;
  }

  /** Gives back one request that was kept for later. */
  release(): void {
    this.#reserved = Math.max(0, this.#reserved - 1);
  }

  /** Counts one request that is about to be sent. Throws where it may not be. */
  take({ reserves = 0, uses = 0 }: Weight = {}): void {
    const kept = Math.max(0, this.#reserved + reserves - uses);
    if (this.sent + 1 + kept > this.#most) {
      this.#onReached();
      throw new Error(`the ceiling of ${this.#most} requests is reached`);
    }
    this.sent += 1;
    this.#reserved = kept;
  }
}
