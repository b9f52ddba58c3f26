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

/** Shorter values could stand in a text by chance. */
export const shortestSecret = 6;

/** A part of a text that writings of secrets cover; several of them where they overlap. */
interface Match {
  readonly start: number;
  readonly end: number;
  /** The value that is written at the start; of several the longest. */
  readonly value: number;
}

// Bits of a hash over the first characters of a writing: most places of a text are passed over by one look at it.
const filterBits = 20;
const filteredCharacters = 4;
const bitsOfCharacter = filterBits / filteredCharacters;

const longerBeginning = 2 * shortestSecret;

const free = -1;
const removed = -2;

/**
 * Finds values in every form in which they may be written. A writing is looked up by a hash of the whole of it, so that
 * neither the number of keys nor a beginning that all of them share slows a search down; of each only the hash is kept.
 */
export class SecretIndex {
  readonly #values: string[] = [];
  readonly #names: string[] = [];
  /** How many writings have a length, by the length. */
  readonly #lengths: number[] = [];
  readonly #filter = new Uint8Array(1 << filterBits);
  /** Hashes of what writings begin with: of the shortest parts, and of longer ones. */
  readonly #beginnings = new Set<number>();
  // An open hash table; a slot holds the number of a value and the number of one of its writings.
  #slots = new Int32Array(1 << 10).fill(free);
  #hashes = new Int32Array(1 << 10);
  #used = 0;

  /** Adds a value in every form in which it may be written. */
  add(value: string, name: string): void {
    const number = this.#values.push(value) - 1;
    this.#names.push(name);
    for (const [form, written] of writingsOf(value)) {
      if (2 * this.#used >= this.#slots.length) this.#rehash();
      this.#put(number * writings.length + form, hashOf(written));
      while (this.#lengths.length <= written.length) this.#lengths.push(0);
      this.#lengths[written.length] = (this.#lengths[written.length] ?? 0) + 1;
      this.#filter[filterHashAt(written, 0)] = 1;
      this.#beginnings.add(hashOf(written.slice(0, shortestSecret)));
      this.#beginnings.add(hashOf(written.slice(0, longerBeginning)));
    }
  }

  /** Takes a value out again. */
  remove(value: string): void {
    for (const [form, written] of writingsOf(value)) {
      const slot = this.#slotOf(hashOf(written), (entry) => {
        return entry % writings.length === form && this.#values[numberOf(entry)] === value;
      });
      if (slot === undefined) continue;
      this.#slots[slot] = removed;
      this.#lengths[written.length] = (this.#lengths[written.length] ?? 1) - 1;
    }
  }

  /** The text with every writing replaced by its name; one pass, so that a name that was put in is never taken for a secret. */
  replaced(text: string): string {
    return this.#replaced(text, Number.POSITIVE_INFINITY, text.length);
  }

  /**
   * The first characters of the text with every writing replaced by its name, and without the beginning of a writing
   * that ends the text. No more of the text is searched than these characters take.
   */
  replacedBeginning(text: string, characters: number): string {
    return this.#replaced(text, characters, undefined);
  }

  #replaced(text: string, characters: number, end: number | undefined): string {
    let redacted = '';
    let copied = 0;
    while (copied < text.length && redacted.length < characters) {
      const until = Math.min(text.length, copied + characters - redacted.length);
      const match = this.#next(text, copied, until);
      const next = match?.start ?? (until < text.length ? until : (end ?? this.#cutAt(text, copied)));
      // Most texts hold no secret: such a one needs no copy.
      if (copied === 0 && next === text.length) return text;
      redacted += text.slice(copied, next);
      if (match !== undefined) redacted += this.#names[match.value] ?? '';
      copied = match?.end ?? until;
    }
    return redacted.slice(0, characters);
  }

  /** Where a beginning of a writing ends the text, from a place on; the text's length where none does. */
  #cutAt(text: string, from: number): number {
    const { length } = text;
    const places = new Map<string, number[]>();
    const first = Math.max(from, length - this.#lengths.length);
    for (
      let at = this.#nextPlace(text, first, length);
      at < length;
      at = this.#nextPlace(text, at + 1, length)
    ) {
      const beginning = text.slice(at, at + shortestSecret);
      // All values are looked through below, which is worth it only for what looks like one.
      const looked = at + longerBeginning <= length ? text.slice(at, at + longerBeginning) : beginning;
      if (!this.#beginnings.has(hashOf(looked))) continue;
      places.set(beginning, [...(places.get(beginning) ?? []), at]);
    }
    if (places.size === 0) return length;
    const cuts = this.#values.flatMap((value) =>
      writingsOf(value).flatMap(([, written]) =>
        (places.get(written.slice(0, shortestSecret)) ?? []).filter((at) =>
          written.startsWith(text.slice(at)),
        ),
      ),
    );
    return Math.min(length, ...cuts);
  }

  /** The values that are written in a text. */
  valuesIn(text: string): readonly string[] {
    const found: string[] = [];
    let match = this.#next(text, 0, text.length);
    while (match !== undefined) {
      found.push(this.#values[match.value] ?? '');
      match = this.#next(text, match.end, text.length);
    }
    return found;
  }

  /** The next match that starts in a part of the text. */
  #next(text: string, from: number, until: number): Match | undefined {
    for (let at = this.#nextPlace(text, from, until); at < until; at = this.#nextPlace(text, at + 1, until)) {
      const found = this.#longestAt(text, at);
      if (found !== undefined)
        return { start: at, end: this.#endOf(text, at, found.end), value: found.value };
    }
    return undefined;
  }

  /** Where the last of the writings ends that begin inside the one before. */
  #endOf(text: string, start: number, firstEnd: number): number {
    let end = firstEnd;
    for (let at = this.#nextPlace(text, start + 1, end); at < end; at = this.#nextPlace(text, at + 1, end))
      end = Math.max(end, this.#longestAt(text, at)?.end ?? 0);
    return end;
  }

  /** The next place at which a writing may begin; `until` where there is none before. */
  #nextPlace(text: string, from: number, until: number): number {
    const last = Math.min(until, text.length - shortestSecret + 1);
    let hash = filterHashAt(text, from);
    for (let at = from; at < last; at++) {
      if (this.#filter[hash] !== 0) return at;
      hash = filterHashWith(hash, text.charCodeAt(at + filteredCharacters));
    }
    return until;
  }

  #longestAt(text: string, at: number): { readonly end: number; readonly value: number } | undefined {
    const longest = Math.min(this.#lengths.length - 1, text.length - at);
    let found: { readonly end: number; readonly value: number } | undefined;
    let hash = 0;
    for (let length = 1; length <= longest; length++) {
      hash = hashWith(hash, text.charCodeAt(at + length - 1));
      if (!this.#lengths[length]) continue;
      const slot = this.#slotOf(hash, (entry) => {
        const written =
          writings[entry % writings.length]?.(coreOf(this.#values[numberOf(entry)] ?? '')) ?? '';
        return written.length === length && text.startsWith(written, at);
      });
      if (slot !== undefined) found = { end: at + length, value: numberOf(this.#slots[slot] ?? 0) };
    }
    return found;
  }

  #slotOf(hash: number, isMeant: (entry: number) => boolean): number | undefined {
    const mask = this.#slots.length - 1;
    for (let slot = spread(hash) & mask; ; slot = (slot + 1) & mask) {
      const entry = this.#slots[slot] ?? free;
      if (entry === free) return undefined;
      if (entry !== removed && this.#hashes[slot] === hash && isMeant(entry)) return slot;
    }
  }

  #put(entry: number, hash: number): void {
    const mask = this.#slots.length - 1;
    let slot = spread(hash) & mask;
    while (this.#slots[slot] !== free) slot = (slot + 1) & mask;
    this.#slots[slot] = entry;
    this.#hashes[slot] = hash;
    this.#used += 1;
  }

  /** Leaves out what was removed, and makes room. */
  #rehash(): void {
    const slots = this.#slots;
    const hashes = this.#hashes;
    const kept = slots.reduce((count, entry) => (entry >= 0 ? count + 1 : count), 0);
    const size = 4 * kept > slots.length ? 2 * slots.length : slots.length;
    this.#slots = new Int32Array(size).fill(free);
    this.#hashes = new Int32Array(size);
    this.#used = 0;
    for (const [slot, entry] of slots.entries()) if (entry >= 0) this.#put(entry, hashes[slot] ?? 0);
  }
}

function numberOf(entry: number): number {
  return Math.floor(entry / writings.length);
}

function hashOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = hashWith(hash, text.charCodeAt(at));
  return hash;
}

function hashWith(hash: number, code: number): number {
  return (Math.imul(hash, 0x01000193) + code) | 0;
}

/** The bits of a hash so that its lowest ones depend on all. */
function spread(hash: number): number {
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 7;
}

function filterHashAt(text: string, at: number): number {
  let hash = 0;
  for (let next = at; next < at + filteredCharacters; next++)
    hash = filterHashWith(hash, text.charCodeAt(next));
  return hash;
}

/** Takes one more character in, and the first one falls out. */
function filterHashWith(hash: number, code: number): number {
  return ((hash << bitsOfCharacter) ^ code) & ((1 << filterBits) - 1);
}

/** The distinct writings of a value, each with its number among all. */
function writingsOf(value: string): readonly (readonly [form: number, written: string])[] {
  const core = coreOf(value);
  const all = writings.map((write) => write(core));
  return all.flatMap((written, form) =>
    written.length >= shortestSecret && all.indexOf(written) === form ? [[form, written] as const] : [],
  );
}

/** In JSON a text stands in quotes: were they a part of what is replaced, the JSON would be broken. */
function coreOf(value: string): string {
  return value.replace(/^["\\]+|["\\]+$/g, '');
}
