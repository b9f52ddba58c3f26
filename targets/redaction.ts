import { beginningOf, copyOf } from './beginning-of.js';
import { SecretIndex, shortestSecret } from './secret-index.js';

/**
 * Replaces secrets by their names. Every text that leaves the process passes here: terminal, reports,
 * evidence, error messages, `curl` lines. What it was told once it knows until the run ends.
 */
export class Redactor {
  readonly #names = new Map<string, string>();
  readonly #index = new SecretIndex();
  // What is registered before anything is redacted costs nothing where nothing ever is.
  readonly #unindexed = new Set<string>();
  #shortest = Number.POSITIVE_INFINITY;

  /** Makes a value known under the name that takes its place, such as `$PLUMBLINE_KEY_MEMBER`. */
  register(value: string, name: string): void {
    if (value.length < shortestSecret || this.#names.has(value)) return;
    this.#names.set(value, name);
    this.#unindexed.add(value);
    this.#shortest = Math.min(this.#shortest, value.length);
  }

  /** Stops looking for a value: a recording may hold keys without end. */
  forget(value: string): void {
    if (this.#names.delete(value) && !this.#unindexed.delete(value)) this.#index.remove(value);
  }

  /** The text with every known secret replaced by its name, in whatever form it is written. */
  redact(text: string): string {
    return this.#canHoldSecret(text) ? this.#indexed.replaced(text) : text;
  }

  /**
   * The first characters of a text once it is redacted. The text may have been cut itself: a beginning of a secret that
   * ends it goes too.
   */
  redactBeginning(text: string, characters: number): string {
    if (text.length < shortestSecret || this.#names.size === 0) return beginningOf(text, characters);
    const beginning = this.#indexed.replacedBeginning(text, characters);
    return text.length > characters ? copyOf(beginning) : beginning;
  }

  /** The known secrets that a text holds, in whatever form they are written. */
  secretsIn(text: string): readonly string[] {
    return this.#canHoldSecret(text) ? this.#indexed.valuesIn(text) : [];
  }

  /** No writing of a value is shorter than the value itself, but base64 leaves its edges out. */
  #canHoldSecret(text: string): boolean {
    return text.length >= this.#shortest - 1;
  }

  get #indexed(): SecretIndex {
    for (const value of this.#unindexed) this.#index.add(value, this.#names.get(value) ?? '');
    this.#unindexed.clear();
    return this.#index;
  }
}
