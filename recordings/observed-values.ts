import type { Answer } from '../targets/exchange.js';
import { type Leak, type SoughtValues, storedValue } from '../targets/leak-detection.js';
import type { RecordedExchange } from './recorded-exchange.js';
import { findKey } from './recorded-secrets.js';

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

  /** Takes note of whose recording an exchange is of: only this suite gives keys such names. */
  note({ place, request }: RecordedExchange): void {
    if (findKey(request.headers)?.startsWith('$PLUMBLINE_KEY_') === true) this.#ownFile = place.file;
    this.#isOwn = this.#ownFile === place.file;
  }

  get stored(): boolean {
    return this.#isOwn || this.#named.stored;
  }

  leak(answer: Answer): Leak | undefined {
    return this.#named.leak(answer) ?? (this.#isOwn ? findName(answer) : undefined);
  }
}

function findName({ headers, text }: Answer): Leak | undefined {
  if (headers.some(([, value]) => value.includes(storedValue))) return 'header';
  return text.includes(storedValue) ? 'body' : undefined;
}
