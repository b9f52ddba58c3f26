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
export function base64Core(value: string, offset: number): string {
  const encoded = Buffer.from('\0'.repeat(offset) + value).toString('base64');
  const first = Math.ceil((offset * 8) / 6);
  const last = Math.floor(((offset + Buffer.byteLength(value)) * 8) / 6);
  return encoded.slice(first, last);
}

function urlSafe(base64: string): string {
  return base64.replaceAll('+', '-').replaceAll('/', '_');
}

// A constant beginning (`sk-`) must leave enough of a secret to tell it from others.
const prefixLength = 12;

/** Shorter values could stand in a text by chance. */
export const shortestSecret = 6;

interface Known {
  readonly written: string;
  readonly name: string;
}

// Bits of a hash over the first characters of a writing: most places of a text are passed over by one look at it.
const filterBits = 20;

/** Writings of secrets, looked up by their beginnings. */
export class SecretIndex {
  readonly #byPrefix = new Map<string, Known[]>();
  readonly #writings = new Map<string, readonly string[]>();
  // Counted, since a writing can go while another of the same beginning stays.
  readonly #filter = new Uint16Array(1 << filterBits);

  /** Adds a value in every form in which it may be written. */
  add(value: string, name: string): void {
    const all = writingsOf(value);
    this.#writings.set(value, all);
    for (const written of all) {
      this.#put({ written, name });
      this.#count(written, 1);
    }
  }

  /** Takes a value out that was added under this name. */
  remove(value: string, name: string): void {
    for (const written of this.#writings.get(value) ?? []) {
      const prefix = prefixOf(written);
      const alike = this.#byPrefix.get(prefix) ?? [];
      const at = alike.findIndex((known) => known.written === written && known.name === name);
      if (at < 0) continue;
      alike.splice(at, 1);
      if (alike.length === 0) this.#byPrefix.delete(prefix);
      this.#count(written, -1);
    }
    this.#writings.delete(value);
  }

  /** The text with every writing replaced by its name; one pass, so that a name that was put in is never taken for a secret. */
  replaced(text: string): string {
    let redacted = '';
    let copied = 0;
    let at = this.#nextPlace(text, 0);
    while (at < text.length) {
      const known = this.#knownAt(text, at);
      if (known !== undefined) {
        redacted += text.slice(copied, at) + known.name;
        copied = at + known.written.length;
      }
      at = this.#nextPlace(text, known === undefined ? at + 1 : copied);
    }
    return copied === 0 ? text : redacted + text.slice(copied);
  }

  /** The next place at which a writing may begin; the end of the text where there is none. */
  #nextPlace(text: string, from: number): number {
    let hash = hashAt(text, from);
    for (let at = from; at + shortestSecret <= text.length; at++) {
      if (this.#filter[hash] !== 0) return at;
      hash = hashWith(hash, text.charCodeAt(at + hashedCharacters));
    }
    return text.length;
  }

  #put(known: Known): void {
    const prefix = prefixOf(known.written);
    const alike = this.#byPrefix.get(prefix);
    if (alike === undefined) {
      this.#byPrefix.set(prefix, [known]);
      return;
    }
    // The longest first: a secret may begin with another.
    const at = alike.findIndex(({ written }) => written.length < known.written.length);
    alike.splice(at < 0 ? alike.length : at, 0, known);
  }

  #knownAt(text: string, at: number): Known | undefined {
    // A writing that is shorter than a prefix is its own; the longest that stands here is the one.
    for (let length = prefixLength; length >= shortestSecret; length--) {
      const known = this.#byPrefix
        .get(text.slice(at, at + length))
        ?.find(({ written }) => text.startsWith(written, at));
      if (known !== undefined) return known;
    }
    return undefined;
  }

  #count(written: string, more: number): void {
    const at = hashAt(written, 0);
    this.#filter[at] = (this.#filter[at] ?? 0) + more;
  }
}

function prefixOf(written: string): string {
  return written.slice(0, prefixLength);
}

const hashedCharacters = 4;
const bitsOfCharacter = filterBits / hashedCharacters;

function hashAt(text: string, at: number): number {
  let hash = 0;
  for (let next = at; next < at + hashedCharacters; next++) hash = hashWith(hash, text.charCodeAt(next));
  return hash;
}

/** Takes one more character in, and the first one falls out. */
function hashWith(hash: number, code: number): number {
  return ((hash << bitsOfCharacter) ^ code) & ((1 << filterBits) - 1);
}

function writingsOf(value: string): readonly string[] {
  // In JSON a text stands in quotes: were they a part of what is replaced, the JSON would be broken.
  const core = value.replace(/^["\\]+|["\\]+$/g, '');
  return [...new Set(writings.map((write) => write(core)))].filter(({ length }) => length >= shortestSecret);
}
