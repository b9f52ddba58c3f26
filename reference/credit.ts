import type { Key } from './world.js';

/** The balance of an account in USD (§8.1.1); a negative one is owed until it is above zero. */
export class Balance {
  #amount: number;
  #isOwed: boolean;

  constructor(amount: number) {
    this.#amount = amount;
    this.#isOwed = amount < 0;
  }

  get amount(): number {
    return this.#amount;
  }

  /** Whether it was negative and has not been above zero since. */
  get isOwed(): boolean {
    return this.#isOwed;
  }

  set(amount: number): void {
    this.#amount = amount;
    this.#isOwed = amount < 0 || (amount === 0 && this.#isOwed);
  }
}

/** Sets what is left of a key's own limit (§8.1.2); whatever is left is left of a limit (§2.2). */
export function setLimitRemaining(key: Key, remaining: number): void {
  key.limitRemaining = remaining;
  key.information.limit ??= remaining;
  key.information.limit_remaining = remaining;
}
