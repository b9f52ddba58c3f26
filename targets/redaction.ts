import { SecretIndex, shortestSecret } from './secret-index.js';

const forgottenAtMost = 2_000;

/**
 * Replaces secrets by their names. Every text that leaves the process passes here: terminal, reports,
 * evidence, error messages, `curl` lines.
 */
export class Redactor {
  readonly #names = new Map<string, string>();
  readonly #forgotten = new Map<string, string>();
  readonly #index = new SecretIndex();
  // Worlds come and go by the hundred and not each is redacted: what nothing asked for is never indexed.
  readonly #indexed = new Set<string>();
  readonly #unindexed = new Set<string>();
  #shortest = Number.POSITIVE_INFINITY;
  #everKnown: SecretIndex | undefined;

  /** Makes a value known under the name that takes its place, such as `$PLUMBLINE_KEY_MEMBER`. */
  register(value: string, name: string): void {
    if (value.length < shortestSecret || this.#names.has(value)) return;
    this.#names.set(value, name);
    this.#unindexed.add(value);
    this.#everKnown = undefined;
    this.#shortest = Math.min(this.#shortest, value.length);
  }

  /** Stops looking for a value, once nothing is left unredacted that could hold it; the last look still does. */
  forget(value: string): void {
    const name = this.#names.get(value);
    if (name === undefined) return;
    this.#names.delete(value);
    this.#unindexed.delete(value);
    if (this.#indexed.delete(value)) this.#index.remove(value, name);
    this.#forgotten.set(value, name);
    // A run of a million cases makes worlds without end; the keys of the oldest are long dead.
    const [oldest] = this.#forgotten.size > forgottenAtMost ? this.#forgotten.keys() : [];
    if (oldest !== undefined) this.#forgotten.delete(oldest);
  }

  /** The text with every secret that is or was known replaced by its name: the last look at what is written. */
  scrub(text: string): string {
    this.#everKnown ??= indexOf([...this.#forgotten, ...this.#names]);
    return this.#everKnown.replaced(text);
  }

  /** The text with every known secret replaced by its name, in whatever form it is written. */
  redact(text: string): string {
    // No writing of a value is shorter than the value itself, but base64 leaves its edges out.
    if (text.length < this.#shortest - 1) return text;
    this.#indexWhatIsNew();
    return this.#index.replaced(text);
  }

  #indexWhatIsNew(): void {
    for (const value of this.#unindexed) {
      this.#index.add(value, this.#names.get(value) ?? '');
      this.#indexed.add(value);
    }
    this.#unindexed.clear();
  }
}

function indexOf(secrets: readonly (readonly [value: string, name: string])[]): SecretIndex {
  const index = new SecretIndex();
  for (const [value, name] of secrets) index.add(value, name);
  return index;
}
