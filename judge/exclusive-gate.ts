/** Lets much go on side by side, and something now and then alone, which waits until nothing else goes on. */
export class ExclusiveGate {
  readonly #sharing: (() => void)[] = [];
  readonly #taking: (() => void)[] = [];
  #shared = 0;
  #isTaken = false;

  /** Runs something beside others that share, once nobody has it alone. */
  async share<T>(run: () => Promise<T>): Promise<T> {
    while (this.#isTaken) await new Promise<void>((resolve) => this.#sharing.push(resolve));
    this.#shared += 1;
    try {
      return await run();
    } finally {
      this.#shared -= 1;
      this.#wake();
    }
  }

  /** Runs something while nothing else runs. Those that share go first. */
  async take<T>(run: () => Promise<T>): Promise<T> {
    while (this.#isTaken || this.#shared > 0)
      await new Promise<void>((resolve) => this.#taking.push(resolve));
    this.#isTaken = true;
    try {
      return await run();
    } finally {
      this.#isTaken = false;
      this.#wake();
    }
  }

  #wake(): void {
    if (this.#sharing.length > 0) for (const resume of this.#sharing.splice(0)) resume();
    else if (this.#shared === 0) this.#taking.shift()?.();
  }
}
