import { randomBytes } from 'node:crypto';
import type { Answer } from './exchange.js';
import { Redactor } from './redaction.js';

/** Where a response holds the value of a stored secret; trailers are header fields too. */
export type Leak = 'header' | 'body' | 'reason-phrase';

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
  readonly #sought = new Redactor();
  readonly #leaks = new WeakMap<Answer, { readonly leak: Leak | undefined }>();
  #count = 0;

  constructor() {
    this.#sought.register(this.#mark, this.#mark);
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

  leak(answer: Answer): Leak | undefined {
    const known = this.#leaks.get(answer) ?? { leak: leakOf(answer, this.#sought) };
    this.#leaks.set(answer, known);
    return known.leak;
  }
}

/** Where a response holds a value that a redactor knows, in whatever writing. */
export function leakOf(answer: Answer, sought: Redactor): Leak | undefined {
  const isIn = (text: string): boolean => sought.secretsIn(text).length > 0;
  const { reasonPhrase = '', headers, trailers = [], text } = answer;
  const fields = [...headers, ...trailers].map(([name, value]) => `${name}: ${value}`).join('\n');
  if (isIn(fields)) return 'header';
  if (isIn(text)) return 'body';
  return isIn(reasonPhrase) ? 'reason-phrase' : undefined;
}
