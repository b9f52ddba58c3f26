/** Shorter values could stand in a text by chance. */
export const shortestSecret = 6;

/** The characters of a value in a row that are redacted even where the rest of the value is missing. */
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

/** Texts that are known to everybody. */
interface PublicTexts {
  /** Whether every run of a text stands in one of them. */
  holdRunsOf(text: string): boolean;
}

/** What is searched for: a value, or another way of writing it. */
interface Form {
  readonly text: string;
  readonly value: number;
  readonly isReversed: boolean;
}

/** Where a block stands in a form. */
interface Place {
  readonly form: Form;
  readonly at: number;
}

/** A part of a text that is at least a run of a form. */
interface Segment extends Omit<Match, 'value'> {
  readonly form: Form;
  /** Whether it is written as the value is, in its letter case and forwards. */
  readonly isSpelled: boolean;
}

// A run of 16 characters holds a block of 6 at each of 11 places in a row: one of them is enough to find it by.
const block = shortestSecret;
const blocksOfRun = shortestRun - block + 1;

/**
 * Finds values in a text, whole or in runs of 16 characters and more, forwards or backwards, in either letter case. Of
 * each run that no other value has, one block of 6 characters is in a hash table. Blocks that few values share are taken
 * first, so that neither the number of values nor a beginning that all of them share slows a search down. Values of 6 to
 * 15 characters are found whole and as they are spelled.
 */
export class SecretIndex {
  readonly #values: string[] = [];
  readonly #blocks = new BlockTable();
  /** Each form by the hash of its first block. */
  readonly #beginnings = new Lists<Form>();
  /** Characters of the longest form. */
  longest = 0;
  /** Whether any value is so short that only all of it counts. */
  hasShort = false;
  /** Whether any value holds a character that JSON or JavaScript would escape. */
  hasQuotes = false;
  /** Whether any value has a character beyond ASCII. */
  hasBeyondAscii = false;
  /** Comparisons of characters with a form so far: what a search costs in addition to reading the text. */
  comparisons = 0;

  /** @param publicTexts texts that are not secret, nor are runs of them */
  constructor(private readonly publicTexts?: PublicTexts) {}

  /** Adds a value, and returns its number; where it is sought forwards only, adding it takes half the time. */
  add(value: string, direction: 'both' | 'forwards' = 'both'): number {
    const number = this.#values.push(value) - 1;
    this.hasQuotes ||= /["\\/]/.test(value);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the end of ASCII is one.
    this.hasBeyondAscii ||= /[^\x00-\x7f]/.test(value);
    // Decoding yields bytes, which are not characters yet.
    const writings = [...new Set([value, Buffer.from(value).toString('latin1')])];
    for (const text of writings) this.#addForm({ text, value: number, isReversed: false });
    if (direction === 'both')
      for (const text of writings) this.#addForm({ text: reverse(text), value: number, isReversed: true });
    return number;
  }

  /** The value of a number. */
  value(number: number): string {
    return this.#values[number] ?? '';
  }

  /** Where values are written in a text; matches may overlap, and those of one place that are spelled alike come first. */
  search(text: string): readonly Match[] {
    const spelled: Match[] = [];
    const others: Match[] = [];
    for (const { start, end, form, isWhole, isSpelled } of this.#segmentsIn(text)) {
      // A short value is one of its own, whatever it may be a part of.
      if (end - start >= shortestRun && this.publicTexts?.holdRunsOf(text.slice(start, end)) === true)
        continue;
      (isSpelled ? spelled : others).push({ start, end, value: form.value, isWhole });
    }
    return [...spelled, ...others];
  }

  /** Where a beginning of a form, of 6 to 15 characters, ends the text; undefined where none does. */
  cutAt(text: string): number | undefined {
    const first = Math.max(0, text.length - shortestRun + 1);
    for (let start = first; start + block <= text.length; start++) {
      const tail = lowerCase(text.slice(start));
      const known = this.#beginnings.get(hashBlock(text, start));
      // Less than all of a form.
      if (known.some((form) => lowerCase(form.text.slice(0, -1)).startsWith(tail))) return start;
    }
    return undefined;
  }

  /** Where the first run of a text begins, from one on, that does not stand in a value as that one does, if it does. */
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
    // Another value may contain all of this one, which must be found all the same.
    if (!isFound) this.#addBlock(form, 0, Math.min(blocksOfRun, text.length - block + 1));
  }

  /** Adds the block that the fewest have of those that begin in a part of a form, and returns where it begins. */
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
    // What a form has in common with the text is compared once, not from each of its blocks, even if it repeats itself.
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
      const left = alike(text.charCodeAt(at));
      const right = alike(text.charCodeAt(at + block));
      hash = (Math.imul(hash - Math.imul(left, highest), multiplier) + right) | 0;
    }
    return segments;
  }

  /** What a text has around a block in common with a form around a place; undefined where that is too little. */
  #segmentAt(text: string, at: number, { form, at: place }: Place): Segment | undefined {
    const { length } = form.text;
    const isAlike = (index: number): boolean => {
      const other = place + index - at;
      if (index < 0 || index >= text.length || other < 0 || other >= length) return false;
      this.comparisons += 1;
      return folded(text.charCodeAt(index)) === folded(form.text.charCodeAt(other));
    };
    let end = at;
    while (isAlike(end)) end++;
    if (end < at + block) return undefined;
    let start = at;
    while (isAlike(start - 1)) start--;
    if (end - start < Math.min(shortestRun, length)) return undefined;
    const isWhole = end - start === length;
    const isSpelled = isWhole && text.startsWith(form.text, start);
    if (length < shortestRun && !isSpelled && !isAnyCase(form.text)) return undefined;
    return { start, end, form, isWhole, isSpelled: isSpelled && !form.isReversed };
  }
}

/** Whether a short value is the same in either letter case: hex is. */
function isAnyCase(text: string): boolean {
  return /^[\da-f]+$/i.test(text);
}

const nowhere: readonly Place[] = [];

/** Where blocks stand, by their hashes. */
class BlockTable {
  readonly #places = new Lists<Place>();
  // One bit of 2²⁰ for each hash: what was not added is nearly always told without the map, which takes far longer.
  readonly #filter = new Uint8Array(1 << 17);

  add(hash: number, place: Place): void {
    const bit = bitOf(hash);
    this.#filter[bit >>> 3] = (this.#filter[bit >>> 3] ?? 0) | (1 << (bit & 7));
    this.#places.add(hash, place);
  }

  get(hash: number): readonly Place[] {
    const bit = bitOf(hash);
    return ((this.#filter[bit >>> 3] ?? 0) & (1 << (bit & 7))) === 0 ? nowhere : this.#places.get(hash);
  }
}

function bitOf(hash: number): number {
  return Math.imul(hash, 0x9e3779b1) >>> 12;
}

/** Lists of items by hashes. Most have one item, which stands in the map without an array: that takes half the memory. */
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

/** Whether a part of a text holds each run that the block at a place is in. */
function isInside(segment: Segment | undefined, at: number, { length }: string): boolean {
  return (
    segment !== undefined &&
    segment.start <= Math.max(0, at + block - shortestRun) &&
    segment.end >= Math.min(length, at + shortestRun)
  );
}

const multiplier = 0x01000193;
/** What the first character of a block is multiplied by. */
const highest = Array.from({ length: block - 1 }).reduce<number>((power) => Math.imul(power, multiplier), 1);

/** The hash of the block at a place of a text. */
function hashBlock(text: string, at: number): number {
  let hash = 0;
  for (let next = at; next < at + block; next++)
    hash = (Math.imul(hash, multiplier) + alike(text.charCodeAt(next))) | 0;
  return hash;
}

/** The same for the two cases of a letter; what else it makes the same, a hash may. */
function alike(code: number): number {
  return code | 32;
}

function reverse(text: string): string {
  return [...text].reverse().join('');
}

function lowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase());
}

/** The code of a character, capitals of ASCII in lower case. */
function folded(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code;
}
