import type { Answer } from '../targets/exchange.js';
import { type Leak, leakOf, type SoughtValues } from '../targets/leak-detection.js';
import { Redactor } from '../targets/redaction.js';
import type { RecordedExchange } from './recorded-exchange.js';
import { findKey } from './recorded-secrets.js';

/** What stands in reports in place of a value that somebody stored. */
const storedValue = '<stored value>';

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

/**
 * What recorded answers are searched for: the values that the user names, and in a recording of this suite's own the
 * name that it puts in place of every value it stores.
 */
export class ObservedValues implements SoughtValues {
  readonly #named: SoughtValues;
  #ownFile: string | undefined;
  #isOwn = false;

  constructor(named: SoughtValues) {
    this.#named = named;
  }

  /** Takes note of whose recording an exchange is of: only this suite tells keys by such names. */
  note({ place, request }: RecordedExchange): void {
    if (findKey(request.headers)?.startsWith('$PLUMBLINE_KEY_') === true) this.#ownFile = place.file;
    this.#isOwn = this.#ownFile === place.file;
  }

  get stored(): boolean {
    return this.#isOwn || this.#named.stored;
  }

  leak(answer: Answer): Leak | undefined {
    return this.#named.leak(answer) ?? (this.#isOwn ? nameIn(answer) : undefined);
  }
}

function nameIn({ headers, text }: Answer): Leak | undefined {
  if (headers.some(([, value]) => value.includes(storedValue))) return 'header';
  return text.includes(storedValue) ? 'body' : undefined;
}
