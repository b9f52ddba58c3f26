/** How a secret may be written when a server repeats it. */
const writings: readonly ((value: string) => string)[] = [
  (value) => value,
  (value) => encodeURIComponent(value),
  (value) => JSON.stringify(value).slice(1, -1),
  (value) => Buffer.from(value).toString('hex'),
  (value) => Buffer.from(value).toString('hex').toUpperCase(),
  ...[0, 1, 2].map((offset) => (value: string) => base64Core(value, offset)),
  ...[0, 1, 2].map((offset) => (value: string) => urlSafe(base64Core(value, offset))),
];

/** The characters of a base64 text that `value` alone decides where it begins `offset` bytes into a group of three. */
export function base64Core(value: string, offset: 0 | 1 | 2 | number): string {
  const encoded = Buffer.from('\0'.repeat(offset) + value).toString('base64');
  const first = Math.ceil((offset * 8) / 6);
  const last = Math.floor(((offset + Buffer.byteLength(value)) * 8) / 6);
  return encoded.slice(first, last);
}

function urlSafe(base64: string): string {
  return base64.replaceAll('+', '-').replaceAll('/', '_');
}

// Texts are looked up by their first characters; a shorter secret could stand anywhere by chance.
const prefixLength = 6;

interface Known {
  readonly written: string;
  readonly name: string;
}

/**
 * Replaces secrets by their names. Every text that leaves the process passes here: terminal, reports,
 * evidence, error messages, `curl` lines.
 */
export class Redactor {
  readonly #names = new Map<string, string>();
  #index: Map<string, Known[]> | undefined;

  /** Makes a value known under the name that takes its place, such as `$PLUMBLINE_KEY_MEMBER`. */
  register(value: string, name: string): void {
    if (value.length < prefixLength || this.#names.has(value)) return;
    this.#names.set(value, name);
    this.#index = undefined;
  }

  /** Stops knowing a value, once nothing is left unredacted that could hold it. */
  forget(value: string): void {
    if (this.#names.delete(value)) this.#index = undefined;
  }

  /** The text with every known secret replaced by its name, in whatever form it is written. */
  redact(text: string): string {
    this.#index ??= this.#indexed();
    if (this.#index.size === 0) return text;
    let redacted = '';
    let copied = 0;
    for (let at = 0; at + prefixLength <= text.length; at++) {
      const known = this.#at(text, at);
      if (known === undefined) continue;
      redacted += text.slice(copied, at) + known.name;
      copied = at + known.written.length;
      at = copied - 1;
    }
    return redacted + text.slice(copied);
  }

  #at(text: string, at: number): Known | undefined {
    const candidates = this.#index?.get(text.slice(at, at + prefixLength));
    return candidates?.find(({ written }) => text.startsWith(written, at));
  }

  #indexed(): Map<string, Known[]> {
    const index = new Map<string, Known[]>();
    for (const [value, name] of this.#names) {
      for (const written of new Set(writings.map((write) => write(value)))) {
        if (written.length < prefixLength) continue;
        const prefix = written.slice(0, prefixLength);
        index.set(prefix, [...(index.get(prefix) ?? []), { written, name }]);
      }
    }
    for (const candidates of index.values()) candidates.sort((a, b) => b.written.length - a.written.length);
    return index;
  }
}
