import { HashSet } from './hash-set.js';

/** Shorter values could stand in a text by chance. */
export const shortestSecret = 6;

/** So many characters of a value in a row are taken out of a text even where the rest of it is missing. */
export const shortestRun = 16;

/** A part of a text in which a value, or a part of one, is written. */
export interface Match {
  readonly start: number;
  readonly end: number;
  /** The number of the value, counted from 0 in the order in which they were added. */
  readonly value: number;
  /** Whether all of the value is there. */
  readonly isWhole: boolean;
}

// A run of 16 characters holds a probe of 8 at one of any 9 places in a row: a text is looked up at every ninth place only.
const probe = 8;
const stride = shortestRun - probe + 1;

// What is known of a run of 16 characters: the place in the corpus where it stands, and two flags.
const placeMask = (1 << 28) - 1;
const beginsValue = 1 << 28;
const isPublic = 1 << 29;

const multiplier = 0x01000193;
const outgoing = power(shortestRun - 1);
const outgoingProbe = power(probe - 1);

/** Hashes that can be asked for. */
interface Hashes {
  has(hash: number): boolean;
}

/** How a value of fewer characters than a run may be written; longer ones are found in decoded copies of a text. */
interface ShortWriting {
  readonly written: string;
  /** Where the piece begins by which it is looked up. */
  readonly piece: number;
  readonly value: number;
  readonly ignoresCase: boolean;
}

/**
 * Finds values in a text, whole or in runs of 16 characters and more, forwards or backwards, in either letter case. Every
 * run of 16 characters of every value is in one hash table, so that neither the number of values nor a beginning that
 * all of them share slows a search down. Values of 6 to 15 characters are found whole and as they are spelled.
 */
export class SecretIndex {
  readonly #values: string[] = [];
  /** The characters of all long writings, one after the other, in lower case. */
  #corpus = new Uint16Array(1 << 12);
  #used = 0;
  /** Where each long writing begins in the corpus, and whose it is. */
  readonly #begins: number[] = [];
  readonly #owners: number[] = [];
  /** The long writings by the hash of all of their characters, and their lengths. */
  readonly #wholes = new Map<number, number[]>();
  #lengths: number[] = [];
  // An open hash table over the runs, and a filter over the probes in them.
  #slots = new Int32Array(1 << 10).fill(-1);
  #runs = 0;
  #filter = new Uint8Array(1 << 11);
  readonly #shorts = new Map<number, ShortWriting[]>();
  /** Hashes of what writings begin with, from the shortest secret to one less than a run. */
  readonly #beginnings = new HashSet();
  readonly #public: Hashes;
  #longest = 0;
  /** Comparisons of characters with a stored writing so far: what a search costs beside reading the text. */
  comparisons = 0;

  /** @param publicRuns hashes of runs of 16 characters that are known to everybody, by `hashRuns` */
  constructor(publicRuns: Hashes = new HashSet()) {
    this.#public = publicRuns;
  }

  /** Characters of the longest writing. */
  get longest(): number {
    return this.#longest;
  }

  /** Whether any value is so short that only all of it counts. */
  get hasShort(): boolean {
    return this.#shorts.size > 0;
  }

  /** Adds a value, and returns its number. */
  add(value: string): number {
    const number = this.#values.push(value) - 1;
    const core = trimQuotes(value);
    // Of what is decoded the bytes are known, not yet the characters.
    const forms = new Set([core, Buffer.from(core).toString('latin1')]);
    for (const form of forms) {
      if (form.length < shortestSecret) continue;
      if (form.length < shortestRun) this.#addShort(form, number);
      else for (const written of new Set([form, reverse(form)])) this.#addLong(written, number);
    }
    return number;
  }

  /** The value of a number. */
  value(number: number): string {
    return this.#values[number] ?? '';
  }

  /** Where values are written in a text, in no order; matches may overlap. */
  search(text: string): readonly Match[] {
    const matches: Match[] = [];
    if (this.#runs > 0) this.#searchRuns(text, matches);
    if (this.#shorts.size > 0) this.#searchShorts(text, matches);
    return matches;
  }

  /** Where a beginning of a writing, of 6 to 15 characters, ends the text; undefined where none does. */
  cutAt(text: string): number | undefined {
    for (let length = Math.min(shortestRun - 1, text.length); length >= shortestSecret; length--) {
      const start = text.length - length;
      if (this.#beginnings.has(hashText(text, start, text.length))) return start;
    }
    return undefined;
  }

  #addShort(form: string, value: number): void {
    const isHex = /^[\da-f]+$/i.test(form);
    const hex = Buffer.from(form).toString('hex');
    const base64 = [0, 1, 2].map((offset) => base64Core(form, offset));
    const exact = [form, reverse(form), ...base64, ...base64.map(urlSafe)];
    const written = new Map([...exact.map((text) => [text, isHex] as const), [hex, true]]);
    for (const [text, ignoresCase] of written) {
      if (text.length < shortestSecret) continue;
      // Of all its pieces the one that the fewest others have: values that begin alike do not share a bucket.
      let piece = 0;
      let bucket = this.#shorts.get(hashText(text, 0, shortestSecret)) ?? [];
      for (let at = 1; at + shortestSecret <= text.length && bucket.length > 0; at++) {
        const other = this.#shorts.get(hashText(text, at, at + shortestSecret)) ?? [];
        if (other.length < bucket.length) [piece, bucket] = [at, other];
      }
      bucket.push({ written: text, piece, value, ignoresCase });
      this.#shorts.set(hashText(text, piece, piece + shortestSecret), bucket);
      this.#addBeginnings(text);
      this.#longest = Math.max(this.#longest, text.length);
    }
  }

  #addLong(written: string, value: number): void {
    const begin = this.#used;
    while (begin + written.length > this.#corpus.length) this.#corpus = doubled(this.#corpus);
    for (let at = 0; at < written.length; at++) this.#corpus[begin + at] = folded(written.charCodeAt(at));
    this.#used += written.length;
    this.#begins.push(begin);
    this.#owners.push(value);
    const hash = hashText(written, 0, written.length);
    const alike = this.#wholes.get(hash);
    if (alike === undefined) this.#wholes.set(hash, [this.#owners.length - 1]);
    else alike.push(this.#owners.length - 1);
    if (!this.#lengths.includes(written.length))
      this.#lengths = [...this.#lengths, written.length].sort((one, other) => other - one);
    this.#longest = Math.max(this.#longest, written.length);
    this.#addBeginnings(written);
    if (2 * (this.#runs + written.length) > this.#slots.length) this.#grow();
    this.#addRuns(begin, this.#used);
  }

  #addBeginnings(written: string): void {
    let hash = hashText(written, 0, shortestSecret - 1);
    for (let end = shortestSecret; end < Math.min(shortestRun, written.length); end++) {
      hash = hashWith(hash, folded(written.charCodeAt(end - 1)));
      this.#beginnings.add(hash);
    }
  }

  /** Puts the runs of a writing into the table. */
  #addRuns(begin: number, end: number): void {
    const corpus = this.#corpus;
    const filter = this.#filter;
    const bits = 8 * filter.length - 1;
    let hash = hashCodes(corpus, begin, begin + probe);
    for (let at = begin; at + probe <= end; at++) {
      const bit = spread(hash) & bits;
      const other = respread(hash) & bits;
      filter[bit >>> 3] = (filter[bit >>> 3] ?? 0) | (1 << (bit & 7));
      filter[other >>> 3] = (filter[other >>> 3] ?? 0) | (1 << (other & 7));
      const out = Math.imul(corpus[at] ?? 0, outgoingProbe);
      hash = hashWith((hash - out) | 0, corpus[at + probe] ?? 0);
    }
    hash = hashCodes(corpus, begin, begin + shortestRun);
    for (let at = begin; at + shortestRun <= end; at++) {
      if (at > begin) hash = rolled(hash, corpus[at - 1] ?? 0, corpus[at + shortestRun - 1] ?? 0);
      const flags = (at === begin ? beginsValue : 0) | (this.#public.has(hash) ? isPublic : 0);
      this.#putRun(hash, at, flags);
    }
  }

  #putRun(hash: number, at: number, flags: number): void {
    const mask = this.#slots.length - 1;
    for (let slot = spread(hash) & mask; ; slot = (slot + 1) & mask) {
      const known = this.#slots[slot] ?? -1;
      if (known >= 0 && !this.#isRepeated(known & placeMask, at)) continue;
      if (known < 0) this.#runs += 1;
      this.#slots[slot] = (known < 0 ? at : known) | flags;
      return;
    }
  }

  /** Doubles the table until it is half empty with what is to come. */
  #grow(): void {
    let size = this.#slots.length;
    while (size < 2 * (this.#runs + this.#used - (this.#begins.at(-1) ?? 0))) size *= 2;
    this.#slots = new Int32Array(size).fill(-1);
    this.#filter = new Uint8Array(2 * size);
    this.#runs = 0;
    for (const [number, begin] of this.#begins.entries())
      if (number < this.#begins.length - 1) this.#addRuns(begin, this.#begins[number + 1] ?? begin);
  }

  #searchRuns(text: string, matches: Match[]): void {
    const bits = 8 * this.#filter.length - 1;
    let from = 0;
    const filter = this.#filter;
    const last = text.length - probe;
    for (let at = 0; at <= last; at += stride) {
      const hash = hashText(text, at, at + probe);
      const bit = spread(hash) & bits;
      if (((filter[bit >>> 3] ?? 0) & (1 << (bit & 7))) === 0) continue;
      const other = respread(hash) & bits;
      if (((filter[other >>> 3] ?? 0) & (1 << (other & 7))) === 0) continue;
      const end = this.#runAround(text, { at, from }, matches);
      if (end === undefined) continue;
      // A run that begins inside this one is still to be found.
      from = end - shortestRun + 1;
      at = from - stride;
    }
  }

  /** Takes in the characters around a probe that belong to values, and returns their end; undefined where none do. */
  #runAround(
    text: string,
    { at, from }: { readonly at: number; readonly from: number },
    matches: Match[],
  ): number | undefined {
    const last = text.length - shortestRun;
    const starts: number[] = [];
    let isAllPublic = true;
    let first: number | undefined;
    let owner = 0;
    let start = Math.max(from, at - stride + 1);
    if (start > last) return undefined;
    let hash = hashText(text, start, start + shortestRun);
    for (; start <= last; start++) {
      const known = this.#runAt(text, start, hash);
      if (known >= 0) {
        first ??= start;
        if ((known & isPublic) === 0) {
          if (isAllPublic) owner = known & placeMask;
          isAllPublic = false;
        }
        if ((known & beginsValue) !== 0) starts.push(start);
        const further = isAllPublic ? 0 : this.#followed(text, start, known & placeMask);
        if (further > 0) {
          start += further;
          hash = hashText(text, start, start + shortestRun);
        }
      } else if (first !== undefined || start >= at) break;
      hash = rolled(
        hash,
        folded(text.charCodeAt(start)),
        folded(text.charCodeAt(Math.min(start + shortestRun, text.length - 1))),
      );
    }
    if (first === undefined) return undefined;
    const end = start - 1 + shortestRun;
    if (!isAllPublic)
      this.#nameParts(
        text,
        { first, end, starts, owner: this.#owners[this.#writingAt(owner)] ?? 0 },
        matches,
      );
    return end;
  }

  /** How many characters after a run follow it in its writing too: they need not be looked up. */
  #followed(text: string, start: number, place: number): number {
    const number = this.#writingAt(place);
    const length = Math.min(
      (this.#begins[number + 1] ?? this.#used) - place - shortestRun,
      text.length - start - shortestRun,
    );
    let further = 0;
    while (
      further < length &&
      this.#corpus[place + shortestRun + further] === folded(text.charCodeAt(start + shortestRun + further))
    )
      further++;
    this.comparisons += further + 1;
    return further;
  }

  /** Tells the whole values in a run from what is left of it. */
  #nameParts(
    text: string,
    { first, end, starts, owner }: { first: number; end: number; starts: readonly number[]; owner: number },
    matches: Match[],
  ): void {
    const hashes = new Int32Array(end - first + 1);
    for (let at = first; at < end; at++)
      hashes[at - first + 1] = hashWith(hashes[at - first] ?? 0, folded(text.charCodeAt(at)));
    let done = first;
    for (const start of starts) {
      if (start < done) continue;
      const whole = this.#wholeAt(text, start, end, (length) => {
        const before = Math.imul(hashes[start - first] ?? 0, power(length));
        return ((hashes[start - first + length] ?? 0) - before) | 0;
      });
      if (whole === undefined) continue;
      if (start > done) matches.push({ start: done, end: start, value: owner, isWhole: false });
      matches.push(whole);
      done = whole.end;
    }
    if (done < end) matches.push({ start: done, end, value: owner, isWhole: false });
  }

  /** The longest value that is written from a place on; of several that differ in letter case the one that is spelled so. */
  #wholeAt(text: string, start: number, end: number, hashOf: (length: number) => number): Match | undefined {
    for (const length of this.#lengths) {
      if (start + length > end) continue;
      const alike = (this.#wholes.get(hashOf(length)) ?? []).filter((number) =>
        this.#isWrittenAt(text, start, number, length),
      );
      const written = text.slice(start, start + length);
      const spelled = alike.find((number) => this.value(this.#owners[number] ?? 0) === written) ?? alike[0];
      if (spelled !== undefined)
        return { start, end: start + length, value: this.#owners[spelled] ?? 0, isWhole: true };
    }
    return undefined;
  }

  #isWrittenAt(text: string, start: number, number: number, length: number): boolean {
    const begin = this.#begins[number] ?? 0;
    if ((this.#begins[number + 1] ?? this.#used) - begin !== length) return false;
    this.comparisons += length;
    for (let at = 0; at < length; at++)
      if (this.#corpus[begin + at] !== folded(text.charCodeAt(start + at))) return false;
    return true;
  }

  #searchShorts(text: string, matches: Match[]): void {
    const outgoingShort = power(shortestSecret - 1);
    let hash = hashText(text, 0, shortestSecret);
    for (let at = 0; at + shortestSecret <= text.length; at++) {
      for (const { written, piece, value, ignoresCase } of this.#shorts.get(hash) ?? []) {
        const start = at - piece;
        this.comparisons += written.length;
        const found = text.slice(Math.max(0, start), start + written.length);
        if (found === written || (ignoresCase && found.toLowerCase() === written.toLowerCase()))
          matches.push({ start, end: start + written.length, value, isWhole: true });
      }
      const out = Math.imul(folded(text.charCodeAt(at)), outgoingShort);
      hash = hashWith((hash - out) | 0, folded(text.charCodeAt(at + shortestSecret)));
    }
  }

  /** What is known of the run that begins at a place of a text; negative where nothing is. */
  #runAt(text: string, start: number, hash: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = spread(hash) & mask; ; slot = (slot + 1) & mask) {
      const known = this.#slots[slot] ?? -1;
      if (known < 0 || this.#isIn(text, start, known & placeMask)) return known;
    }
  }

  #isIn(text: string, start: number, place: number): boolean {
    for (let next = 0; next < shortestRun; next++) {
      this.comparisons += 1;
      if (this.#corpus[place + next] !== folded(text.charCodeAt(start + next))) return false;
    }
    return true;
  }

  #isRepeated(one: number, other: number): boolean {
    for (let next = 0; next < shortestRun; next++)
      if (this.#corpus[one + next] !== this.#corpus[other + next]) return false;
    return true;
  }

  /** The number of the writing that stands at a place of the corpus. */
  #writingAt(place: number): number {
    let low = 0;
    let high = this.#begins.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#begins[middle] ?? 0) <= place) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** The characters of a base64 text that `value` alone decides where it begins `offset` bytes into a group of three. */
export function base64Core(value: string, offset: number): string {
  const encoded = Buffer.from('\0'.repeat(offset) + value).toString('base64');
  const first = Math.ceil((offset * 8) / 6);
  const last = Math.floor(((offset + Buffer.byteLength(value)) * 8) / 6);
  return encoded.slice(first, last);
}

/** Adds the hashes of every run of 16 characters of a text, letter case aside. */
export function hashRuns(text: string, into: HashSet): void {
  if (text.length < shortestRun) return;
  let hash = hashText(text, 0, shortestRun);
  into.add(hash);
  for (let at = shortestRun; at < text.length; at++) {
    hash = rolled(hash, folded(text.charCodeAt(at - shortestRun)), folded(text.charCodeAt(at)));
    into.add(hash);
  }
}

function urlSafe(base64: string): string {
  return base64.replaceAll('+', '-').replaceAll('/', '_');
}

function reverse(text: string): string {
  return [...text].reverse().join('');
}

/** In JSON a text stands in quotes: were they a part of what is replaced, the JSON would be broken. */
function trimQuotes(value: string): string {
  return value.replace(/^["\\]+|["\\]+$/g, '');
}

/** The code of a character, capitals of ASCII in lower case. */
function folded(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code;
}

function hashText(text: string, start: number, end: number): number {
  let hash = 0;
  for (let at = start; at < end; at++) hash = hashWith(hash, folded(text.charCodeAt(at)));
  return hash;
}

function hashCodes(codes: Uint16Array, start: number, end: number): number {
  let hash = 0;
  for (let at = start; at < end; at++) hash = hashWith(hash, codes[at] ?? 0);
  return hash;
}

function hashWith(hash: number, code: number): number {
  return (Math.imul(hash, multiplier) + code) | 0;
}

/** The hash of a run that moves on by one character. */
function rolled(hash: number, out: number, incoming: number): number {
  return hashWith((hash - Math.imul(out, outgoing)) | 0, incoming);
}

function power(exponent: number): number {
  let result = 1;
  let base = multiplier;
  for (let left = exponent; left > 0; left >>>= 1) {
    if (left & 1) result = Math.imul(result, base);
    base = Math.imul(base, base);
  }
  return result;
}

/** The bits of a hash so that its lowest ones depend on all. */
function spread(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return mixed ^ (mixed >>> 12);
}

/** Bits that do not depend on those of `spread`. */
function respread(hash: number): number {
  return spread(Math.imul(hash, 0x9e3779b1) ^ 0x5bd1e995);
}

function doubled(codes: Uint16Array): Uint16Array<ArrayBuffer> {
  const larger = new Uint16Array(2 * codes.length);
  larger.set(codes);
  return larger;
}
