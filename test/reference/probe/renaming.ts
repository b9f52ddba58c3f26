import type { Worlds } from './script.js';

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

/**
 * Gives what differs from server to server (keys, ids, the port) the same names everywhere: what the
 * worlds tell is named by its place there, any other UUID by the order of its appearance.
 */
export class Renaming {
  readonly #names = new Map<string, string>();
  readonly #pattern: RegExp;
  #unknown = 0;

  constructor(origin: string, worlds: Worlds) {
    const { host } = new URL(origin);
    this.#names.set(host, '<host>');
    for (const [which, view] of Object.entries(worlds)) this.#learn(which, view);
    this.#pattern = new RegExp(`${host}|sk-[a-z0-9]+|(?:w-)?${UUID}`, 'gi');
  }

  /** The text with every such thing named. */
  rename(text: string): string {
    return text.replace(this.#pattern, (found) => this.#names.get(found) ?? this.#nameUnknown(found));
  }

  #learn(path: string, value: unknown): void {
    if (typeof value === 'string') {
      this.#names.set(value.toUpperCase(), `<${path} in upper case>`);
      this.#names.set(value.toLowerCase(), `<${path} in lower case>`);
      this.#names.set(value, `<${path}>`);
    } else if (typeof value === 'object' && value !== null) {
      for (const [member, inner] of Object.entries(value)) this.#learn(`${path}.${member}`, inner);
    }
  }

  #nameUnknown(found: string): string {
    // A key that is none of these worlds' is as random as no reference answers: it stays as it is.
    if (/^sk-/i.test(found)) return found;
    this.#unknown += 1;
    const name = `<uuid ${this.#unknown}>`;
    this.#names.set(found, name);
    return name;
  }
}
