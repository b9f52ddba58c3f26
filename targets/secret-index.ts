import {
  alike,
  blockLength as block,
  HashTable,
  hashBackwards,
  hashBlock,
  hashText,
  hashWith,
  inverse,
  power,
} from './text-hashes.js';

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

// A run of 16 characters holds a block of 8 at each of 9 places in a row: one of them is enough to find it by.
const blocksOfRun = shortestRun - block + 1;
const outgoing = power(block - 1);

/** Texts that are known to everybody. */
interface PublicTexts {
  /** Whether every run of a text stands in one of them. */
  holdRunsOf(text: string): boolean;
}

/** A part of a text that is at least a run of a form. */
interface Segment {
  readonly start: number;
  readonly end: number;
  readonly form: number;
  readonly isWhole: boolean;
  /** Whether it has the letter case of the form too. */
  readonly isSpelled: boolean;
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
 * Finds values in a text, whole or in runs of 16 characters and more, forwards or backwards, in either letter case. Of
 * each run that no other value has, one block of 8 characters is in a hash table, which is the same for a block and its
 * reverse: about one entry for nine characters. Blocks that few values share are taken first, so that neither the number
 * of values nor a beginning that all of them share slows a search down. Values of 6 to 15 characters are found whole and
 * as they are spelled.
 */
export class SecretIndex {
  readonly #values: string[] = [];
  /** What is looked for; the place of a character is counted through all forms. */
  readonly #forms: string[] = [];
  readonly #begins: number[] = [];
  readonly #owners: number[] = [];
  #places = 0;
  /** Places in long forms by the hash of the block there. */
  readonly #blocks = new HashTable();
  /** Twice the number of a form, and one more where it is reversed, by the hash of a beginning of it. */
  readonly #beginnings = new HashTable();
  readonly #shorts = new Map<number, ShortWriting[]>();
  readonly #public: PublicTexts | undefined;
  /** Characters of the longest writing. */
  longest = 0;
  /** Whether any value holds a character that JSON or JavaScript would escape. */
  hasQuotes = false;
  /** Whether any value has a character beyond ASCII. */
  hasBeyondAscii = false;
  /** Comparisons of characters with a stored writing so far: what a search costs beside reading the text. */
  comparisons = 0;

  /** @param publicTexts runs of them are no secret */
  constructor(publicTexts?: PublicTexts) {
    this.#public = publicTexts;
  }

  /** Whether any value is so short that only all of it counts. */
  get hasShort(): boolean {
    return this.#shorts.size > 0;
  }

  /** Entries of the hash tables: what the index costs beside the values. */
  get entries(): number {
    return this.#blocks.size + this.#beginnings.size;
  }

  /** Adds a value, and returns its number. */
  add(value: string): number {
    const number = this.#values.push(value) - 1;
    const core = trimQuotes(value);
    this.hasQuotes ||= /["\\/]/.test(core);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the end of ASCII is one.
    this.hasBeyondAscii ||= /[^\x00-\x7f]/.test(core);
    // Of what is decoded the bytes are known, not yet the characters.
    const forms = new Set([core, Buffer.from(core).toString('latin1')]);
    // Two halves of a character are not reversed with the others.
    if (/[\ud800-\udfff]/.test(core)) forms.add(reverse(core));
    for (const form of forms) {
      if (form.length < shortestSecret) continue;
      if (form.length < shortestRun) this.#addShort(form, number);
      else this.#addLong(form, number);
    }
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
      if (this.#public?.holdRunsOf(text.slice(start, end)) === true) continue;
      const match = { start, end, value: this.#owners[form] ?? 0, isWhole };
      (isSpelled ? spelled : others).push(match);
    }
    const matches = [...spelled, ...others];
    if (this.#shorts.size > 0) this.#searchShorts(text, matches);
    return matches;
  }

  /** Where a beginning of a writing, of 6 to 15 characters, ends the text; undefined where none does. */
  cutAt(text: string): number | undefined {
    for (
      let start = Math.max(0, text.length - shortestRun + 1);
      start + shortestSecret <= text.length;
      start++
    )
      if (this.#isBeginning(text, start)) return start;
    return undefined;
  }

  /** Where the first run of a text begins, from one on, that does not stand in a value as that one does, if it does. */
  nextUnknown(text: string, run: number): number {
    for (let at = run; at < run + blocksOfRun; at++) {
      for (const place of this.#blocks.get(hashBlock(text, at))) {
        const segment = this.#segmentAt(text, at, place, 1);
        if (segment !== undefined && segment.start <= run && segment.end >= run + shortestRun)
          return segment.end - shortestRun + 1;
      }
    }
    return run;
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
      this.#addBeginning(this.#addForm(text, value), false);
    }
  }

  #addLong(form: string, value: number): void {
    const number = this.#addForm(form, value);
    this.#addBeginning(number, false);
    this.#addBeginning(number, true);
    let isFound = false;
    for (let run = 0; run + shortestRun <= form.length; ) {
      const next = this.nextUnknown(form, run);
      isFound ||= next === run;
      run = next > run ? next : this.#addBlock(number, run, run + blocksOfRun) + 1;
    }
    // Another value may hold all of this one, which is to be found by itself all the same.
    if (!isFound) this.#addBlock(number, 0, form.length - block + 1);
  }

  #addForm(form: string, value: number): number {
    this.#begins.push(this.#places);
    this.#owners.push(value);
    this.#places += form.length;
    this.longest = Math.max(this.longest, form.length);
    return this.#forms.push(form) - 1;
  }

  /** Adds the block that the fewest have of those that begin in a part of a form, and returns where it begins. */
  #addBlock(number: number, from: number, until: number): number {
    const form = this.#forms[number] ?? '';
    let chosen = from;
    let fewest = Number.POSITIVE_INFINITY;
    for (let at = until - 1; at >= from && fewest > 0; at--) {
      const { length } = this.#blocks.get(hashBlock(form, at));
      if (length < fewest) [chosen, fewest] = [at, length];
    }
    this.#blocks.add(hashBlock(form, chosen), (this.#begins[number] ?? 0) + chosen);
    return chosen;
  }

  #segmentsIn(text: string): readonly Segment[] {
    const segments: Segment[] = [];
    if (text.length < shortestRun || this.#blocks.size === 0) return segments;
    // What a form has in common with the text is looked at once, not from each of its blocks, however often it repeats itself.
    const lastOf = new Map<number, Segment>();
    let whole: Segment | undefined;
    let forwards = hashText(text, 0, block);
    let backwards = hashBackwards(text, 0);
    for (let at = 0; ; at++) {
      const hash = forwards ^ backwards;
      if (this.#blocks.mayHave(hash) && !isInside(whole, at, text)) {
        for (const place of this.#blocks.get(hash)) {
          for (const step of [1, -1] as const) {
            const number = this.#formAt(place);
            const last = lastOf.get(number);
            if (isInside(last, at, text)) continue;
            const segment = this.#segmentAt(text, at, place, step);
            if (segment === undefined || (segment.start === last?.start && segment.end === last.end))
              continue;
            segments.push(segment);
            lastOf.set(number, segment);
            if (segment.isSpelled) whole = segment;
          }
        }
      }
      if (at + block >= text.length) return segments;
      const out = alike(text.charCodeAt(at));
      const incoming = alike(text.charCodeAt(at + block));
      forwards = hashWith((forwards - Math.imul(out, outgoing)) | 0, incoming);
      backwards = (Math.imul(backwards - out, inverse) + Math.imul(incoming, outgoing)) | 0;
    }
  }

  /**
   * What a text has around a block in common with a form around a place; undefined where that is no run.
   * @param step 1 where the form is read forwards, -1 where it is read backwards
   */
  #segmentAt(text: string, at: number, place: number, step: 1 | -1): Segment | undefined {
    const number = this.#formAt(place);
    const form = this.#forms[number] ?? '';
    const offset = place - (this.#begins[number] ?? 0);
    // The character of the form that belongs to the first of the text.
    const zero = (step === 1 ? offset : offset + block - 1) - step * at;
    const isAlike = (index: number): boolean => {
      const other = zero + step * index;
      if (index < 0 || index >= text.length || other < 0 || other >= form.length) return false;
      this.comparisons += 1;
      return folded(text.charCodeAt(index)) === folded(form.charCodeAt(other));
    };
    let end = at;
    while (isAlike(end)) end++;
    if (end < at + block) return undefined;
    let start = at;
    while (isAlike(start - 1)) start--;
    if (end - start < shortestRun) return undefined;
    const isWhole = end - start === form.length;
    const isSpelled = isWhole && step === 1 && text.startsWith(form, start);
    return { start, end, form: number, isWhole, isSpelled };
  }

  /** The number of the form that a place is in. */
  #formAt(place: number): number {
    let low = 0;
    let high = this.#begins.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#begins[middle] ?? 0) <= place) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Adds the shortest beginning of a form that no other has yet. */
  #addBeginning(number: number, isReversed: boolean): void {
    const writing = 2 * number + Number(isReversed);
    const beginning = this.#beginningOf(writing);
    for (let length = shortestSecret; length <= beginning.length; length++) {
      const hash = hashText(beginning, 0, length);
      const others = this.#beginnings.get(hash).map((other) => this.#beginningOf(other));
      if (others.some((other) => other.startsWith(beginning))) return;
      if (others.some((other) => other.startsWith(beginning.slice(0, length)))) continue;
      this.#beginnings.add(hash, writing);
      return;
    }
  }

  #isBeginning(text: string, start: number): boolean {
    const tail = lowerCase(text.slice(start));
    for (let length = shortestSecret; length <= tail.length; length++) {
      const known = this.#beginnings.get(hashText(tail, 0, length));
      if (known.length === 0) return false;
      if (known.some((writing) => this.#beginningOf(writing).startsWith(tail))) return true;
    }
    return false;
  }

  /** What a writing begins with: less than a run, and less than all of it. */
  #beginningOf(writing: number): string {
    const form = this.#forms[writing >> 1] ?? '';
    const length = Math.min(shortestRun, form.length) - 1;
    return lowerCase((writing & 1) === 0 ? form.slice(0, length) : reverse(form.slice(-length)));
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
      const out = Math.imul(alike(text.charCodeAt(at)), outgoingShort);
      hash = hashWith((hash - out) | 0, alike(text.charCodeAt(at + shortestSecret)));
    }
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

function reverse(text: string): string {
  return [...text].reverse().join('');
}

/** In JSON a text stands in quotes: were they a part of what is replaced, the JSON would be broken. */
function trimQuotes(value: string): string {
  return value.replace(/^["\\]+|["\\]+$/g, '');
}

function lowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase());
}

/** The code of a character, capitals of ASCII in lower case. */
function folded(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code;
}
