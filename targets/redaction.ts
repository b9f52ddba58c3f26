import { ledger } from '../spec/ledger.js';
import { decodeViews } from './decoded-views.js';
import { copyBeginning, copyText } from './exchange.js';
import { type Match, SecretIndex, shortestRun, shortestSecret } from './secret-index.js';

// A writing may itself be written: so many layers are undone.
const layers = 3;
// Headers and addresses come again and again: what is found in so many texts of so many characters is remembered.
const remembered = { texts: 1_000, characters: 300 } as const;
// A character may take so many in a text: `\\u0073` in percent-encoding.
const longestWriting = 12;

/** A part of a text to replace. */
interface Found extends Match {
  /** It is the beginning of a value, which ends the text. */
  readonly isCut?: true;
}

/**
 * Replaces secrets by their names. Every text that leaves the process passes here: terminal, reports,
 * evidence, error messages, `curl` lines. What was registered once is replaced until the run ends.
 *
 * A value is found as it is and in decoded copies of a text: in percent-encoding, with the escapes of JSON or HTML, in
 * hex, in base64, each in the other up to three times, backwards, and in other letter case. Of a value that is not whole, runs of
 * 16 characters or more go, unless they are public.
 */
export class Redactor {
  readonly #names = new Map<string, string>();
  readonly #standIns = new Set<string>();
  // What is registered before anything is redacted costs nothing where nothing ever is.
  readonly #unindexed = new Set<string>();
  readonly #public = new KnownTexts();
  #index = new SecretIndex(this.#public);
  /** What was found in texts since a value was added. */
  readonly #foundBefore = new Map<string, readonly Found[]>();
  #forgotten = 0;
  #shortest = Number.POSITIVE_INFINITY;

  /** What stands in place of the values of request headers, by their names in lower case. */
  readonly #hiddenHeaders = new Map<string, string>();

  /** Adds texts besides the ledger that are not secret, although values registered later may contain parts of them. */
  addPublic(texts: readonly string[]): void {
    this.#public.add(texts);
    this.#foundBefore.clear();
  }

  /** Hides the value of a request header, however short it is. */
  hideHeader(name: string, standIn: string): void {
    this.#hiddenHeaders.set(name.toLowerCase(), standIn);
  }

  /** Redacts the value of a request header. */
  redactHeader(name: string, value: string): string {
    const redacted = this.redact(value);
    // Parts of it that have names of their own say more.
    return redacted === value ? (this.#hiddenHeaders.get(name.toLowerCase()) ?? value) : redacted;
  }

  /** Registers a value and the name that takes its place, such as `$PLUMBLINE_KEY_MEMBER`. */
  register(written: string, name: string): void {
    const value = trimQuotes(written);
    if (value.length < shortestSecret || this.#names.has(value)) return;
    this.#names.set(value, name);
    // The name of a key contains its role, as the key may: the name must not be redacted for that.
    if (!this.#standIns.has(name)) this.addPublic([name]);
    this.#standIns.add(name);
    this.#unindexed.add(value);
    this.#shortest = Math.min(this.#shortest, value.length);
  }

  /** Whether a text is the name of a value. */
  isName(text: string): boolean {
    return this.#standIns.has(text);
  }

  /** Whether a text stands in one that is public. */
  isPublic(text: string): boolean {
    return this.#public.includes(text);
  }

  /** Forgets a value, in effect once as many are forgotten as are known: a recording may hold keys without end. */
  forget(written: string): void {
    const value = trimQuotes(written);
    if (!this.#names.delete(value) || this.#unindexed.delete(value)) return;
    this.#forgotten += 1;
    if (this.#forgotten < this.#names.size) return;
    this.#index = new SecretIndex(this.#public);
    this.#foundBefore.clear();
    this.#forgotten = 0;
    for (const known of this.#names.keys()) this.#unindexed.add(known);
  }

  /** Replaces every known secret in a text by its name, in whatever form it is written. */
  redact(text: string): string {
    return this.#canHoldSecret(text) ? this.#replace(text, this.#find(text)) : text;
  }

  /** Redacts every text in a copy of a value, at whatever depth, names of members too. */
  redactTexts<T>(value: T): T {
    return this.#redactWithin(value) as T;
  }

  /**
   * Redacts a text and returns its first characters. The text may have been cut itself: a beginning of a secret that
   * ends it goes too.
   */
  redactBeginning(text: string, characters: number): string {
    if (text.length < shortestSecret || this.#names.size === 0) return copyBeginning(text, characters);
    // Reads so far beyond the cut that a secret across it is seen whole.
    const margin = longestWriting * this.#indexed.longest + shortestRun;
    let redacted = '';
    let from = 0;
    while (from < text.length && redacted.length < characters) {
      const until = from + characters - redacted.length;
      const part = text.slice(from, until + margin);
      const isLast = until + margin >= text.length;
      const found = this.#findDisjoint(part, true).filter(({ start }) => isLast || from + start < until);
      const end = isLast ? part.length : Math.max(until - from, ...found.map((match) => match.end));
      redacted += this.#replace(part.slice(0, end), found);
      from += end;
    }
    if (redacted === text && text.length <= characters) return text;
    return copyText(redacted.slice(0, characters));
  }

  /** The known secrets that a text holds whole, in whatever form they are written. */
  secretsIn(text: string): readonly string[] {
    if (!this.#canHoldSecret(text)) return [];
    const whole = this.#find(text).filter(({ isWhole }) => isWhole);
    return whole.map(({ value }) => this.#indexed.value(value));
  }

  /** No writing of a value is shorter than the value itself, but base64 leaves its edges out. */
  #canHoldSecret(text: string): boolean {
    return text.length >= Math.min(this.#shortest - 1, shortestRun);
  }

  /** Finds what to replace in a text, in order; matches do not overlap. */
  #find(text: string): readonly Found[] {
    if (text.length > remembered.characters) return this.#findDisjoint(text, false);
    if (this.#unindexed.size > 0) this.#addUnindexed();
    const known = this.#foundBefore.get(text);
    if (known !== undefined) return known;
    const found = this.#findDisjoint(text, false);
    if (this.#foundBefore.size >= remembered.texts) this.#foundBefore.clear();
    const copy = copyText(text);
    // Half a character has no copy.
    if (copy === text) this.#foundBefore.set(copy, found);
    return found;
  }

  #findDisjoint(text: string, mayBeCut: boolean): readonly Found[] {
    const found = this.#findIn(text, mayBeCut, layers);
    if (found.length <= 1) return found;
    found.sort(
      (one, other) =>
        one.start - other.start || Number(other.isWhole) - Number(one.isWhole) || other.end - one.end,
    );
    const apart: Found[] = [];
    for (const match of found) {
      const before = apart.at(-1);
      if (before === undefined || match.start >= before.end) apart.push(match);
      else if (before.isWhole || !match.isWhole)
        apart[apart.length - 1] = { ...before, end: Math.max(before.end, match.end) };
      else apart[apart.length - 1] = { ...match, start: before.start, end: Math.max(before.end, match.end) };
    }
    return apart;
  }

  #findIn(text: string, mayBeCut: boolean, layersLeft: number): Found[] {
    const index = this.#indexed;
    const found: Found[] = [...index.search(text)];
    const cut = mayBeCut ? index.cutAt(text) : undefined;
    if (cut !== undefined)
      found.push({ start: cut, end: text.length, value: 0, isWhole: false, isCut: true });
    if (layersLeft === 0 || covers(found, text)) return found;
    const views = decodeViews(text, {
      shortest: index.hasShort ? shortestSecret : shortestRun,
      reach: 3 * index.longest,
      quotes: index.hasQuotes,
      beyondAscii: index.hasBeyondAscii,
      isCut: mayBeCut,
    });
    for (const { text: decoded, starts, ends } of views) {
      const endsText = mayBeCut && ends[decoded.length - 1] === text.length;
      for (const match of this.#findIn(decoded, endsText, layersLeft - 1))
        found.push({ ...match, start: starts[match.start] ?? 0, end: ends[match.end - 1] ?? text.length });
    }
    return mayBeCut ? found.map((match) => markCut(match, text)) : found;
  }

  #replace(text: string, found: readonly Found[]): string {
    // Most texts hold no secret: such a one needs no copy.
    if (found.length === 0) return text;
    let replaced = '';
    let copied = 0;
    for (const { start, end, value, isCut } of found) {
      replaced += text.slice(copied, Math.max(copied, skipEscape(text, start)));
      if (isCut !== true) replaced += this.#names.get(this.#indexed.value(value)) ?? '<forgotten>';
      copied = end;
    }
    return replaced + text.slice(copied);
  }

  #redactWithin(value: unknown): unknown {
    if (typeof value === 'string') return this.redact(value);
    if (Array.isArray(value)) return value.map((item) => this.#redactWithin(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [this.redact(name), this.#redactWithin(member)]),
    );
  }

  get #indexed(): SecretIndex {
    if (this.#unindexed.size > 0) this.#addUnindexed();
    return this.#index;
  }

  #addUnindexed(): void {
    for (const value of this.#unindexed) this.#index.add(value);
    this.#unindexed.clear();
    this.#foundBefore.clear();
  }
}

/** In JSON a text stands in quotes: were they a part of what is replaced, the JSON would be broken. */
function trimQuotes(value: string): string {
  return value.replace(/^["\\]+|["\\]+$/g, '');
}

/** Whether matches leave nothing of a text in which another could be. */
function covers(found: readonly Found[], text: string): boolean {
  return found.some(({ start, end }) => text.length - (end - start) < shortestSecret + 2);
}

/** A part of a value that ends a cut text is its beginning. */
function markCut(match: Found, { length }: string): Found {
  return match.end === length && !match.isWhole ? { ...match, isCut: true } : match;
}

/** A backslash that escapes the first character of a match goes with it: left alone it would escape the name. */
function skipEscape(text: string, start: number): number {
  let backslashes = 0;
  while (text[start - 1 - backslashes] === '\\') backslashes++;
  return start - (backslashes % 2);
}

// What the tool calls itself and its files.
const tool = 'plumbline-conformance plumbline-report/1 plumbline-journal/1';

/** Texts that are public: the ledger, and those that are added. */
class KnownTexts {
  static #ofLedger: { readonly text: string; readonly index: SecretIndex } | undefined;
  readonly #texts = [tool];
  readonly #index = new SecretIndex();

  constructor() {
    this.#index.add(tool, 'forwards');
  }

  add(texts: readonly string[]): void {
    for (const text of texts) {
      if (text === '') continue;
      this.#texts.push(text.toLowerCase());
      this.#index.add(text, 'forwards');
    }
  }

  holdRunsOf(text: string): boolean {
    const { index } = KnownTexts.#ledger;
    for (let run = 0; run + shortestRun <= text.length; ) {
      const next = Math.max(this.#index.nextUnknown(text, run), index.nextUnknown(text, run));
      if (next === run) return false;
      run = next;
    }
    return true;
  }

  includes(text: string): boolean {
    const sought = text.toLowerCase();
    return this.#texts.some((known) => known.includes(sought)) || KnownTexts.#ledger.text.includes(sought);
  }

  static get #ledger(): { readonly text: string; readonly index: SecretIndex } {
    if (KnownTexts.#ofLedger === undefined) {
      const text = ledger.map(({ id, statement }) => `${id}\n${statement}`).join('\n');
      const index = new SecretIndex();
      index.add(text, 'forwards');
      KnownTexts.#ofLedger = { text: text.toLowerCase(), index };
    }
    return KnownTexts.#ofLedger;
  }
}

/** The name that stands for a key wherever text leaves the process. */
export function keyName(role: string): string {
  return `$PLUMBLINE_KEY_${role.toUpperCase()}`;
}

/** Request headers whose values say nothing of who sends them: all others are taken for secrets. */
const shown: ReadonlySet<string> = new Set([
  'accept',
  'accept-charset',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'connection',
  'content-encoding',
  'content-language',
  'content-length',
  'content-type',
  'date',
  'expect',
  'host',
  'keep-alive',
  'origin',
  'pragma',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'x-request-id',
]);

/** Whether the value of a request header may be shown. */
export function isShownHeader(name: string): boolean {
  const given = name.toLowerCase();
  return shown.has(given) || /^sec-(?:fetch|ch-ua)/.test(given);
}

/** Whether the value of a header looks as if it opened something: a long word of letters and digits, alone or after a scheme. */
export function looksLikeCredential(value: string): boolean {
  const word = /^(?:[a-z]+ )?(\S{12,})$/i.exec(value.trim())?.[1] ?? '';
  return /[a-z]/i.test(word) && /\d/.test(word) && !/^[\w+-]+:\/\/|^[\w.-]+\/[\w.+-]+$/.test(word);
}
