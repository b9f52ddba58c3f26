/** The limit on requests. */
export interface RequestLimitOptions {
  /** Requests that may be sent in all, everything counted; unlimited where absent. */
  readonly maxRequests?: number | undefined;
  /** Called when the limit is reached: the caller should stop. */
  readonly onMaxRequests?: () => void;
}

/** How a request counts toward the limit. */
export interface Weight {
  /** Requests needed to undo it later, which are reserved. */
  readonly reserves?: number;
  /** Reserved requests that it uses: it may be sent when others may not. */
  readonly uses?: number;
}

/** Counts requests and keeps them below a limit, with a reserve to undo what was done. */
export class RequestLimit {
  sent = 0;
  #reserved = 0;

  constructor(private readonly options: RequestLimitOptions) {}

  release(): void {
    this.#reserved = Math.max(0, this.#reserved - 1);
  }

  /** Counts a request that is about to be sent. Throws where it may not be. */
  take({ reserves = 0, uses = 0 }: Weight = {}): void {
    const { maxRequests = Number.POSITIVE_INFINITY, onMaxRequests } = this.options;
    const kept = Math.max(0, this.#reserved + reserves - uses);
    if (this.sent + 1 + kept > maxRequests) {
      onMaxRequests?.();
      throw new Error(`limit of ${maxRequests} requests reached`);
    }
    this.sent += 1;
    this.#reserved = kept;
  }
}
