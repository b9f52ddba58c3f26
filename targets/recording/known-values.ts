import { type Leak, leakOf, type SoughtValues } from '../canary.js';
import type { Answer } from '../exchange.js';
import { Redactor } from '../redaction.js';

/** What stands in reports in place of a value that somebody stored. */
export const storedValue = '<stored value>';

/** Values that somebody else stored, named by the user: no recorded response may hold one. */
export class KnownValues implements SoughtValues {
  // It knows every writing of a value, and passes over a text once however many values there are.
  readonly #finder = new Redactor();
  readonly #values: readonly string[];
  // Two rules ask of each answer, one after the other.
  #last: { readonly answer: Answer; readonly leak: Leak | undefined } | undefined;

  constructor(values: readonly string[]) {
    this.#values = values;
    for (const value of values) this.#finder.register(value, storedValue);
  }

  get stored(): boolean {
    return this.#values.length > 0;
  }

  /** Makes the values known to what replaces secrets. */
  registerIn(redactor: Redactor): void {
    for (const value of this.#values) redactor.register(value, storedValue);
  }

  leak(answer: Answer): Leak | undefined {
    if (this.#last?.answer !== answer) this.#last = { answer, leak: leakOf(answer, this.#finder) };
    return this.#last.leak;
  }
}
