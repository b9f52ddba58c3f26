/** Shorter values could occur in a text by chance. */
export const shortestSecret = 6;

/** How many characters of a value in a row are redacted even without the rest of it. */
export const shortestRun = 16;

/** A part of a text that is a value or a part of one. */
export interface Match {
  readonly start: number;
  readonly end: number;
  /** The number of the value, from 0 in the order of addition. */
  readonly value: number;
  readonly isWhole: boolean;
}

/** A text to search for: a value, in UTF-8 read as Latin-1, or reversed. */
interface Form {
  readonly text: string;
  readonly value: number;
  readonly isReversed: boolean;
}

interface Place {
  readonly form: Form;
  readonly at: number;
}

/** A part of a text that contains at least a run of a form. */
interface Segment extends Omit<Match, 'value'> {
  readonly form: Form;
  /** Whether it is exactly the value: same letter case, and forwards. */
  readonly isSpelled: boolean;
}

// A run of 16 characters contains 11 blocks of 6. One of them is enough to find it.
const block = shortestSecret;
const blocksOfRun = shortestRun - block + 1;

/**
 * Finds values in a text, completely or in runs of 16 or more characters, forwards or backwards, in either letter case. A
 * hash table has one block of 6 characters of each run that no other value contains. It prefers blocks that few values
 * share, so that neither many values nor a common prefix slow down a search. Values of 6 to 15 characters are found only
 * completely and in their own letter case.
 */
export class SecretIndex {
  readonly #values: string[] = [];
  readonly #blocks = new BlockTable();
  readonly #beginnings = new Lists<Form>();
  /** The length of the longest form. */
  longest = 0;
  hasShort = false;
  /** Whether any value contains a character that JSON or JavaScript may escape. */
  hasQuotes = false;
  hasBeyondAscii = false;
  /** Comparisons of characters so far: the cost of searches in addition to reading the texts. */
  comparisons = 0;

  /** @param publicTexts texts whose runs of 16 characters are not secret */
  constructor(private readonly publicTexts?: { holdRunsOf(text: string): boolean }) {}

  /** Adds a value and returns its number. Adding it for forward searches only takes half the time. */
  add(value: string, direction: 'both' | 'forwards' = 'both'): number {
    const number = this.#values.push(value) - 1;
    this.hasQuotes ||= /["\\/]/.test(value);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the end of ASCII is one.
    this.hasBeyondAscii ||= /[^\x00-\x7f]/.test(value);
    // Decoding hex and base64 gives bytes, which are compared as Latin-1.
    const writings = [...new Set([value, Buffer.from(value).toString('latin1')])];
    for (const text of writings) this.#addForm({ text, value: number, isReversed: false });
    if (direction === 'both')
      for (const text of writings) this.#addForm({ text: reverse(text), value: number, isReversed: true });
    return number;
  }

  value(number: number): string {
    return this.#values[number] ?? '';
  }

  /** Finds values in a text. Matches may overlap; exact ones come first. */
  search(text: string): readonly Match[] {
    const spelled: Match[] = [];
    const others: Match[] = [];
    for (const { start, end, form, isWhole, isSpelled } of this.#segmentsIn(text)) {
      // A value shorter than a run counts even inside a public text.
      if (end - start >= shortestRun && this.publicTexts?.holdRunsOf(text.slice(start, end)) === true)
        continue;
      (isSpelled ? spelled : others).push({ start, end, value: form.value, isWhole });
    }
    return [...spelled, ...others];
  }

  /** Returns where the last 6 to 15 characters of a text begin a form; undefined if they begin none. */
  cutAt(text: string): number | undefined {
    const first = Math.max(0, text.length - shortestRun + 1);
    for (let start = first; start + block <= text.length; start++) {
      const tail = lowerCase(text.slice(start));
      const known = this.#beginnings.get(hashBlock(text, start));
      // Not a complete form.
      if (known.some((form) => lowerCase(form.text.slice(0, -1)).startsWith(tail))) return start;
    }
    return undefined;
  }

  /** Skips the runs of a text that match a known value. Returns the start of the next one; `run` if none matches. */
  nextUnknown(text: string, run: number): number {
    for (let at = run; at < run + blocksOfRun; at++) {
      for (const place of this.#blocks.get(hashBlock(text, at))) {
        const segment = this.#segmentAt(text, at, place);
        if (segment !== undefined && segment.start <= run && segment.end >= run + shortestRun)
          return segment.end - shortestRun + 1;
      }
    }
    return run;
  }

  #addForm(form: Form): void {
    const { text } = form;
    if (text.length < shortestSecret) return;
    this.longest = Math.max(this.longest, text.length);
    this.hasShort ||= text.length < shortestRun;
    this.#beginnings.add(hashBlock(text, 0), form);
    let isFound = false;
    for (let run = 0; run + shortestRun <= text.length; ) {
      const next = this.nextUnknown(text, run);
      isFound ||= next === run;
      run = next > run ? next : this.#addBlock(form, run, run + blocksOfRun) + 1;
    }
    // Even if another value contains all of this one, it must be found.
    if (!isFound) this.#addBlock(form, 0, Math.min(blocksOfRun, text.length - block + 1));
  }

  /** Adds the rarest of the blocks that begin in a part of a form, and returns where it begins. */
  #addBlock(form: Form, from: number, until: number): number {
    let chosen = from;
    let fewest = Number.POSITIVE_INFINITY;
    for (let at = until - 1; at >= from && fewest > 0; at--) {
      const length = this.#blocks.get(hashBlock(form.text, at)).length;
      if (length < fewest) [chosen, fewest] = [at, length];
    }
    this.#blocks.add(hashBlock(form.text, chosen), { form, at: chosen });
    return chosen;
  }

  #segmentsIn(text: string): readonly Segment[] {
    const segments: Segment[] = [];
    // The part that a form and the text have in common is compared once, not from each of its blocks.
    const lastOf = new Map<Form, Segment>();
    let whole: Segment | undefined;
    let hash = hashBlock(text, 0);
    for (let at = 0; at + block <= text.length; at++) {
      const places = this.#blocks.get(hash);
      for (const place of isInside(whole, at, text) ? nowhere : places) {
        const last = lastOf.get(place.form);
        if (isInside(last, at, text)) continue;
        const segment = this.#segmentAt(text, at, place);
        if (segment === undefined || (segment.start === last?.start && segment.end === last.end)) continue;
        segments.push(segment);
        lastOf.set(place.form, segment);
        if (segment.isSpelled) whole = segment;
      }
      const left = foldForHash(text.charCodeAt(at));
      const right = foldForHash(text.charCodeAt(at + block));
      hash = (Math.imul(hash - Math.imul(left, highest), multiplier) + right) | 0;
    }
    return segments;
  }

  /** Extends a block to the longest common part of a text and a form; undefined if that is too short. */
  #segmentAt(text: string, at: number, { form, at: place }: Place): Segment | undefined {
    const { length } = form.text;
    const isAlike = (index: number): boolean => {
      const other = place + index - at;
      if (index < 0 || index >= text.length || other < 0 || other >= length) return false;
      this.comparisons += 1;
      return fold(text.charCodeAt(index)) === fold(form.text.charCodeAt(other));
    };
    let end = at;
    while (isAlike(end)) end++;
    if (end < at + block) return undefined;
    let start = at;
    while (isAlike(start - 1)) start--;
    if (end - start < Math.min(shortestRun, length)) return undefined;
    const isWhole = end - start === length;
    const isSpelled = isWhole && text.startsWith(form.text, start);
    // In hex the letter case does not matter.
    if (length < shortestRun && !isSpelled && !/^[\da-f]+$/i.test(form.text)) return undefined;
    return { start, end, form, isWhole, isSpelled: isSpelled && !form.isReversed };
  }
}

const nowhere: readonly Place[] = [];

class BlockTable {
  readonly #places = new Lists<Place>();
  // One bit of 2²⁰ for each hash: nearly always shows without the map, which is far slower, that a hash was not added.
  readonly #filter = new Uint8Array(1 << 17);

  add(hash: number, place: Place): void {
    const bit = hashToBit(hash);
    this.#filter[bit >>> 3] = (this.#filter[bit >>> 3] ?? 0) | (1 << (bit & 7));
    this.#places.add(hash, place);
  }

  get(hash: number): readonly Place[] {
    const bit = hashToBit(hash);
    return ((this.#filter[bit >>> 3] ?? 0) & (1 << (bit & 7))) === 0 ? nowhere : this.#places.get(hash);
  }
}

function hashToBit(hash: number): number {
  return Math.imul(hash, 0x9e3779b1) >>> 12;
}

/** Lists of items by hash. Most lists have one item, which is kept without an array to save half the memory. */
class Lists<Item extends Form | Place> {
  readonly #items = new Map<number, Item | Item[]>();

  add(hash: number, item: Item): void {
    const known = this.#items.get(hash);
    if (Array.isArray(known)) known.push(item);
    else this.#items.set(hash, known === undefined ? item : [known, item]);
  }

  get(hash: number): readonly Item[] {
    const known = this.#items.get(hash) ?? [];
    return Array.isArray(known) ? known : [known];
  }
}

/** Whether a segment contains every run around a block. */
function isInside(segment: Segment | undefined, at: number, { length }: string): boolean {
  return (
    segment !== undefined &&
    segment.start <= Math.max(0, at + block - shortestRun) &&
    segment.end >= Math.min(length, at + shortestRun)
  );
}

const multiplier = 0x01000193;
/** The factor of the first character of a block in its hash. */
const highest = Array.from({ length: block - 1 }).reduce<number>((power) => Math.imul(power, multiplier), 1);

function hashBlock(text: string, at: number): number {
  let hash = 0;
  for (let next = at; next < at + block; next++)
    hash = (Math.imul(hash, multiplier) + foldForHash(text.charCodeAt(next))) | 0;
  return hash;
}

/** Maps the two cases of a letter to one number. It may map others to one too, which is fine for a hash. */
function foldForHash(code: number): number {
  return code | 32;
}

function reverse(text: string): string {
  return [...text].reverse().join('');
}

function lowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase());
}

function fold(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code;
}
