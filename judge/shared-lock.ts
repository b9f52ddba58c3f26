/** Lets attempts run side by side, and now and then one exclusively, once nothing else runs. */
export class SharedLock {
  readonly #waitingToShare: (() => void)[] = [];
  readonly #waitingToTake: (() => void)[] = [];
  #shared = 0;
  #isTaken = false;
  #urgent = 0;
  readonly #first = new Set<object>();
  readonly #givingWay: (() => void)[] = [];

  /** Has all others give way until `dropPrecedence`. */
  takePrecedence(precedence: object): void {
    this.#first.add(precedence);
  }

  dropPrecedence(precedence: object): void {
    if (this.#first.delete(precedence)) this.#resumeGivingWay();
  }

  /** Waits for something that another attempt may hold, so that none gives way meanwhile. */
  async waitWithoutPrecedence<T>(precedence: object, wait: () => Promise<T>): Promise<T> {
    const hadPrecedence = this.#first.has(precedence);
    this.dropPrecedence(precedence);
    const got = await wait();
    if (hadPrecedence) this.takePrecedence(precedence);
    return got;
  }

  /** Waits while other attempts have precedence; not if one waits to run exclusively, since that needs this one to end. */
  async giveWay(precedence: object): Promise<void> {
    const isFree = () => this.#waitingToTake.length === 0 && !this.#isTaken;
    while (this.#first.size > 0 && !this.#first.has(precedence) && isFree())
      await new Promise<void>((resolve) => this.#givingWay.push(resolve));
  }

  #resumeGivingWay(): void {
    for (const resume of this.#givingWay.splice(0)) resume();
  }

  async runShared<T>(run: () => Promise<T>): Promise<T> {
    while (this.#isTaken || this.#urgent > 0)
      await new Promise<void>((resolve) => this.#waitingToShare.push(resolve));
    this.#shared += 1;
    try {
      return await run();
    } finally {
      this.#shared -= 1;
      this.#wake();
    }
  }

  /** Runs something while nothing else runs; before an urgent one nothing new starts. */
  async runExclusively<T>(run: () => Promise<T>, { isUrgent = false } = {}): Promise<T> {
    if (isUrgent) this.#urgent += 1;
    while (this.#isTaken || this.#shared > 0) {
      const free = new Promise<void>((resolve) => this.#waitingToTake.push(resolve));
      this.#resumeGivingWay();
      await free;
    }
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
    if (this.#urgent === 0 && this.#waitingToShare.length > 0)
      for (const resume of this.#waitingToShare.splice(0)) resume();
    else if (this.#shared === 0) this.#waitingToTake.shift()?.();
  }
}
