import { randomBytes } from 'node:crypto';
import type { Answer } from './exchange.js';
import { base64Core } from './secret-index.js';

/** Where a response holds the value of a stored secret. */
export type Leak = 'header' | 'body';

/** Values that no response may hold. */
export interface SoughtValues {
  /** Whether there are any yet. */
  readonly stored: boolean;
  /** Where a response holds one of them, in whatever writing. */
  leak(answer: Answer): Leak | undefined;
}

/**
 * The values that a run stores. All carry one random mark, at their beginning and at their end, so that a
 * response is searched once for all of them, and a value that was cut short is still found (§1: never secret values).
 */
export class Canaries implements SoughtValues {
  readonly #mark = randomBytes(9).toString('hex');
  readonly #written: RegExp;
  readonly #leaks = new WeakMap<Answer, { readonly leak: Leak | undefined }>();
  #count = 0;

  constructor() {
    const hex = Buffer.from(this.#mark).toString('hex');
    const written = [this.#mark, hex, ...[0, 1, 2].map((offset) => base64Core(this.#mark, offset))];
    this.#written = new RegExp(written.map(folded).join('|'), 'i');
  }

  /** A value that no other secret of any run has. */
  next(): string {
    this.#count += 1;
    return `${this.#mark}-${this.#count}-${this.#mark}`;
  }

  /** Whether anything was stored yet. */
  get stored(): boolean {
    return this.#count > 0;
  }

  /** The part that every value of this run carries; to be redacted like a value. */
  get mark(): string {
    return this.#mark;
  }

  /** Where a response holds a stored value: plain, base64, hex or percent-encoded. */
  leak(answer: Answer): Leak | undefined {
    const known = this.#leaks.get(answer) ?? { leak: this.#leakOf(answer) };
    this.#leaks.set(answer, known);
    return known.leak;
  }

  #leakOf(answer: Answer): Leak | undefined {
    const headers = answer.headers.map(([name, value]) => `${name}: ${value}`).join('\n');
    if (this.#isIn(headers)) return 'header';
    return this.#isIn(answer.text) ? 'body' : undefined;
  }

  #isIn(text: string): boolean {
    if (this.#written.test(text)) return true;
    return /[%\\]/.test(text) && this.#written.test(decoded(text));
  }
}

// Case and the two base64 alphabets are folded: they are ways of writing, and the mark is long enough. The text itself
// is not: a copy of a megabyte for each would cost more than all else that is done with it.
function folded(written: string): string {
  return written.replace(/[-+]/g, '[-+]').replace(/[/_]/g, '[/_]');
}

/** A text with what is percent-encoded or escaped in it undone, as far as it is one byte. */
export function decoded(text: string): string {
  return text
    .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/\\u00([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
