/** Lets much go on side by side, and something now and then alone, which waits until nothing else goes on. */
export class ExclusiveGate {
  readonly #sharing: (() => void)[] = [];
  readonly #taking: (() => void)[] = [];
  #shared = 0;
  #isTaken = false;
  #urgent = 0;

  /** Runs something beside others that share, once nobody has it alone. */
  async share<T>(run: () => Promise<T>): Promise<T> {
    while (this.#isTaken || this.#urgent > 0)
      await new Promise<void>((resolve) => this.#sharing.push(resolve));
    this.#shared += 1;
    try {
      return await run();
    } finally {
      this.#shared -= 1;
      this.#wake();
    }
  }

  /**
   * Runs something while nothing else runs.
   * @param isUrgent whether nothing new begins before it; those that share go first otherwise
   */
  async take<T>(run: () => Promise<T>, isUrgent = false): Promise<T> {
    if (isUrgent) this.#urgent += 1;
    while (this.#isTaken || this.#shared > 0)
      await new Promise<void>((resolve) => this.#taking.push(resolve));
    if (isUrgent) this.#urgent -= 1;
    this.#isTaken = true;
    try {
      return await run();
    } finally {
      this.#isTaken = false;
      this.#wake();
    }
  }

  #wake(): void {
    if (this.#urgent === 0 && this.#sharing.length > 0)
      for (const resume of this.#sharing.splice(0)) resume();
    else if (this.#shared === 0) this.#taking.shift()?.();
  }
}
