import { mapTexts } from '../spec/json.js';
import { ledger } from '../spec/ledger.js';
import { decodeViews } from './decoded-views.js';
import { copyBeginning, copyText } from './exchange.js';
import { type Match, SecretIndex, shortestRun, shortestSecret } from './secret-index.js';

// Encoded text may itself be encoded: how many layers are decoded.
const layers = 3;
// The same headers and addresses recur: the results for this many texts, of at most this many characters, are cached.
const cacheLimits = { texts: 1_000, characters: 300 } as const;
// The most characters that one character takes when encoded: `\\u0073` in percent-encoding.
const longestEncoding = 12;

interface Found extends Match {
  /** Whether it is the beginning of a value at the end of the text. */
  readonly isCut?: true;
}

/**
 * Replaces secrets by their names. Every text that leaves the process passes through it: terminal, reports, evidence, error
 * messages, `curl` lines. A registered value is replaced until the run ends.
 *
 * A value is found in a text and in decoded copies of it: from percent-encoding, the escapes of JSON or HTML, hex and base64,
 * up to three of these nested, backwards, and in other letter case. Parts of a value are replaced if they have 16 or more
 * characters in a row, unless they are public.
 */
export class Redactor {
  readonly #names = new Map<string, string>();
  readonly #standIns = new Set<string>();
  // Added to the index at the first search, so that registering costs nothing if nothing is ever redacted.
  readonly #unindexed = new Set<string>();
  readonly #public = new KnownTexts();
  #index = new SecretIndex(this.#public);
  /** Results for texts, until a value is added. */
  readonly #cache = new Map<string, readonly Found[]>();
  #forgotten = 0;
  #shortest = Number.POSITIVE_INFINITY;

  /** Replacements for the values of request headers, by their names in lower case. */
  readonly #hiddenHeaders = new Map<string, string>();

  /** Adds texts that, like the ledger, are public: parts of values that occur in them are not secret. */
  addPublic(texts: readonly string[]): void {
    this.#public.add(texts);
    this.#cache.clear();
  }

  hideHeader(name: string, standIn: string): void {
    this.#hiddenHeaders.set(name.toLowerCase(), standIn);
  }

  redactHeader(name: string, value: string): string {
    const redacted = this.redact(value);
    // The names of its parts say more.
    return redacted === value ? (this.#hiddenHeaders.get(name.toLowerCase()) ?? value) : redacted;
  }

  /** Registers a value and the name that replaces it, such as `$PLUMBLINE_KEY_MEMBER`. */
  register(written: string, name: string): void {
    const value = trimQuotes(written);
    if (value.length < shortestSecret || this.#names.has(value)) return;
    this.#names.set(value, name);
    // Both the name and the key may contain the role; the name must not be redacted for that.
    if (!this.#standIns.has(name)) this.addPublic([name]);
    this.#standIns.add(name);
    this.#unindexed.add(value);
    this.#cache.clear();
    this.#shortest = Math.min(this.#shortest, value.length);
  }

  isName(text: string): boolean {
    return this.#standIns.has(text);
  }

  isPublic(text: string): boolean {
    return this.#public.includes(text);
  }

  /** Forgets a value. Takes effect once as many are forgotten as are known: recordings may contain any number of keys. */
  forget(written: string): void {
    const value = trimQuotes(written);
    if (!this.#names.delete(value) || this.#unindexed.delete(value)) return;
    this.#forgotten += 1;
    if (this.#forgotten < this.#names.size) return;
    this.#index = new SecretIndex(this.#public);
    this.#cache.clear();
    this.#forgotten = 0;
    for (const known of this.#names.keys()) this.#unindexed.add(known);
  }

  /** Replaces every known secret in a text by its name, in any encoding. */
  redact(text: string): string {
    return this.#canHoldSecret(text) ? this.#replace(text, this.#find(text)) : text;
  }

  /** Returns a copy of a value with all texts redacted, at any depth, names of members included. */
  redactTexts<T>(value: T): T {
    const redact = (text: string) => this.redact(text);
    return mapTexts(value, redact, redact) as T;
  }

  /** Redacts a text and returns its first characters, without the beginning of a secret at a cut. */
  redactBeginning(text: string, characters: number): string {
    if (text.length < shortestSecret || this.#names.size === 0) return copyBeginning(text, characters);
    // Reads beyond the cut, so that a secret across it is seen completely.
    const margin = longestEncoding * this.#indexed.longest + shortestRun;
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

  /** Returns the known secrets that a text contains completely, in any encoding. */
  secretsIn(text: string): readonly string[] {
    if (!this.#canHoldSecret(text)) return [];
    const whole = this.#find(text).filter(({ isWhole }) => isWhole);
    return whole.map(({ value }) => this.#indexed.value(value));
  }

  /** No encoding of a value is shorter than the value, except that base64 may lose its edges. */
  #canHoldSecret(text: string): boolean {
    return text.length >= Math.min(this.#shortest - 1, shortestRun);
  }

  /** Finds what to replace in a text, in order; matches do not overlap. */
  #find(text: string): readonly Found[] {
    if (text.length > cacheLimits.characters) return this.#findDisjoint(text, false);
    const known = this.#cache.get(text);
    if (known !== undefined) return known;
    const found = this.#findDisjoint(text, false);
    if (this.#cache.size >= cacheLimits.texts) this.#cache.clear();
    const copy = copyText(text);
    // A text that ends in half a surrogate pair changes when copied.
    if (copy === text) this.#cache.set(copy, found);
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
    // A match may leave too little of a text for another one.
    const isCovered = found.some(({ start, end }) => text.length - (end - start) < shortestSecret + 2);
    if (layersLeft === 0 || isCovered) return found;
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
    // At the end of a cut text, a match that is not whole is the beginning of a value.
    const isCut = ({ end, isWhole }: Found) => mayBeCut && end === text.length && !isWhole;
    return found.map((match) => (isCut(match) ? { ...match, isCut: true } : match));
  }

  #replace(text: string, found: readonly Found[]): string {
    // Most texts contain no secret and need no copy.
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

  get #indexed(): SecretIndex {
    for (const value of this.#unindexed) this.#index.add(value);
    this.#unindexed.clear();
    return this.#index;
  }
}

/** Removes quotes and backslashes around a value: replacing them would break JSON that contains the value. */
function trimQuotes(value: string): string {
  return value.replace(/^["\\]+|["\\]+$/g, '');
}

/** Includes a backslash before a match that escapes its first character: it would otherwise escape the name. */
function skipEscape(text: string, start: number): number {
  let backslashes = 0;
  while (text[start - 1 - backslashes] === '\\') backslashes++;
  return start - (backslashes % 2);
}

// The names of the tool and of its file formats.
const tool = 'plumbline-conformance plumbline-report/1 plumbline-journal/1';

/** The public texts: the ledger, and those that are added. */
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

/** Request headers whose values do not identify the sender; those of all others are treated as secrets. */
const shown: ReadonlySet<string> = new Set([
  ...['accept', 'accept-charset', 'accept-encoding', 'accept-language', 'cache-control', 'connection'],
  ...['content-encoding', 'content-language', 'content-length', 'content-type', 'date', 'expect', 'host'],
  ...['keep-alive', 'origin', 'pragma', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'user-agent'],
  ...['x-request-id'],
]);

/** Whether the value of a request header may be shown. */
export function isShownHeader(name: string): boolean {
  const given = name.toLowerCase();
  return shown.has(given) || /^sec-(?:fetch|ch-ua)/.test(given);
}

/** Whether the value of a header looks like a credential: a long word of letters and digits, alone or after a scheme. */
export function looksLikeCredential(value: string): boolean {
  const word = /^(?:[a-z]+ )?(\S{12,})$/i.exec(value.trim())?.[1] ?? '';
  return /[a-z]/i.test(word) && /\d/.test(word) && !/^[\w+-]+:\/\/|^[\w.-]+\/[\w.+-]+$/.test(word);
}
