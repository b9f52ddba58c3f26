import { shortestRun } from './secret-index.js';

/** A copy of a part of a text with one way of writing undone, and where each of its characters comes from. */
export interface DecodedView {
  readonly text: string;
  /** Where what a character was decoded from begins in the text, and where it ends. */
  readonly starts: ArrayLike<number>;
  readonly ends: ArrayLike<number>;
}

/** What is worth decoding. */
export interface ViewOptions {
  /** Characters of the shortest text that is of interest. */
  readonly shortest: number;
  /** How far from an escape a text of interest may begin or end. */
  readonly reach: number;
  /** Whether a text of interest may hold a quote, a slash or a backslash. */
  readonly quotes: boolean;
  /** Whether bytes beyond ASCII are of interest. */
  readonly beyondAscii: boolean;
  /** Whether a run of encoded characters that ends the text may be the beginning of a longer one. */
  readonly isCut: boolean;
}

/** The parts of a text that may be encoded, each decoded once: escapes, hex digits and base64. */
export function decodeViews(text: string, options: ViewOptions): readonly DecodedView[] {
  return [
    ...unescapeViews(text, options),
    ...decodeRuns(text, hex, options),
    ...decodeRuns(text, base64, options),
  ];
}

// ── escapes: percent-encoding, those of JSON and JavaScript, HTML entities ──

/** Shows that something other than a quote or a line end may be escaped: most texts are JSON within JSON. */
const codes = /%[2-7c-f][\da-f]|\\(?:u[\da-f{]|x[2-7])|&(?:#|[a-z]+;)/gi;
/** The same, quotes and slashes too. */
const codesAndQuotes = /%[2-7c-f][\da-f]|\\(?:u[\da-f{]|x[2-7]|[/"\\])|&(?:#|[a-z]+;)/gi;
const escapeSequence =
  /%([\da-f]{2})|\\(?:u([\da-f]{4})|u\{([\da-f]{1,6})\}|x([\da-f]{2})|(.))|&(?:#x0*([\da-f]{1,6});?|#0*(\d{1,7});?|([a-z]+);)/giy;
const unfinishedEscape = /(?:%[\da-f]?|\\(?:u[\da-f]{0,3}|x[\da-f]?)?|&#?x?[\da-f]{0,6}|&[a-z]{0,8})$/i;

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  apos: "'",
  ast: '*',
  bsol: '\\',
  colon: ':',
  comma: ',',
  commat: '@',
  dash: '-',
  dollar: '$',
  equals: '=',
  excl: '!',
  gt: '>',
  hyphen: '-',
  lowbar: '_',
  lt: '<',
  num: '#',
  percnt: '%',
  period: '.',
  plus: '+',
  quest: '?',
  quot: '"',
  semi: ';',
  sol: '/',
  tilde: '~',
};

function unescapeViews(text: string, options: ViewOptions): readonly DecodedView[] {
  if (!text.includes('\\') && !text.includes('%') && !text.includes('&')) return [];
  const views: DecodedView[] = [];
  const { reach } = options;
  const anyEscape = options.quotes ? codesAndQuotes : codes;
  let start = -1;
  let last = 0;
  anyEscape.lastIndex = 0;
  for (let found = anyEscape.exec(text); found !== null; found = anyEscape.exec(text)) {
    if (start >= 0 && found.index > last + reach) {
      views.push(undoEscapes(text, start, last + reach, options));
      start = -1;
    }
    if (start < 0) start = Math.max(0, found.index - reach);
    last = found.index + found[0].length;
  }
  if (start >= 0) views.push(undoEscapes(text, start, Math.min(text.length, last + reach), options));
  return views;
}

function undoEscapes(text: string, from: number, until: number, { isCut }: ViewOptions): DecodedView {
  // An escaped backslash is not taken in two.
  let start = from;
  while (start > 0 && text[start - 1] === '\\') start--;
  const tail = until === text.length && isCut ? unfinishedEscape.exec(text.slice(-10))?.[0].length : 0;
  const end = until - (tail ?? 0);
  const units = new Uint16Array(end - start);
  const starts = new Int32Array(end - start);
  const ends = new Int32Array(end - start);
  let count = 0;
  for (let at = start; at < end; ) {
    const code = text.charCodeAt(at);
    const found = code === 0x25 || code === 0x5c || code === 0x26 ? escapeAt(text, at) : undefined;
    const next = found?.end ?? at + 1;
    const { length } = found?.decoded ?? ' ';
    for (let unit = 0; unit < length; unit++, count++) {
      units[count] = found?.decoded.charCodeAt(unit) ?? code;
      starts[count] = at;
      ends[count] = next;
    }
    at = next;
  }
  if (end < until && count > 0) ends[count - 1] = until;
  return { text: Buffer.from(units.buffer, 0, 2 * count).toString('utf16le'), starts, ends };
}

function escapeAt(text: string, at: number): { readonly decoded: string; readonly end: number } | undefined {
  escapeSequence.lastIndex = at;
  const found = escapeSequence.exec(text);
  if (found === null) return undefined;
  const [whole, percent, unit, point, byte, character, hex, decimal, name = ''] = found;
  const code = Number.parseInt(percent ?? unit ?? point ?? byte ?? hex ?? '', 16);
  const decoded = character ?? characterOf(decimal === undefined ? code : Number(decimal)) ?? entities[name];
  return decoded === undefined ? undefined : { decoded, end: at + whole.length };
}

function characterOf(code: number): string | undefined {
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}

// ── hex digits, alone or apart, and base64, in one piece or in lines ──

/** A way to write bytes with signs of some bits each. */
interface Encoding {
  /** How many bits a sign stands for. */
  readonly bits: 4 | 6;
  /** For each ASCII character the value of the sign, or one of the two below. */
  readonly values: Uint8Array;
  /** Where in a byte a sign may begin that is the first to be read. */
  readonly phases: number;
}

// It may stand between signs; it is no part of the writing.
const between = 0xfe;
const foreign = 0xff;

const hex: Encoding = {
  bits: 4,
  phases: 2,
  values: valuesOf(':-. \t\r\n\\', (character) =>
    /[\da-f]/i.test(character) ? Number.parseInt(character, 16) : undefined,
  ),
};

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const base64: Encoding = {
  bits: 6,
  phases: 4,
  values: valuesOf('\r\n\\', (character) => {
    const value = alphabet.indexOf(character === '-' ? '+' : character === '_' ? '/' : character);
    return value < 0 ? undefined : value;
  }),
};

function valuesOf(separators: string, signOf: (character: string) => number | undefined): Uint8Array {
  return Uint8Array.from({ length: 128 }, (_, code) => {
    const character = String.fromCharCode(code);
    return signOf(character) ?? (separators.includes(character) ? between : foreign);
  });
}

// A beginning of a value from so many characters on is of interest at a cut.
const shortestTail = 6;

/** The stretches of a text that are signs of an encoding, decoded from each place in a byte where they may begin. */
function decodeRuns(text: string, encoding: Encoding, options: ViewOptions): readonly DecodedView[] {
  const views: DecodedView[] = [];
  const { values, bits } = encoding;
  const signsAtLeast = Math.floor((8 * options.shortest) / bits) - (bits === 6 ? 1 : 0);
  const step = signsAtLeast >> 1;
  let from = 0;
  for (let at = 0; at < text.length; at += step) {
    if (valueAt(text, at, values) === foreign) continue;
    let end = at + 1;
    while (end < text.length && valueAt(text, end, values) !== foreign) end++;
    // Another place of the same run has been looked at, unless there is one that is far enough.
    const isTail = options.isCut && end === text.length;
    if (end - at < step && !isTail && at - from < step) continue;
    let start = at;
    while (start > from && valueAt(text, start - 1, values) !== foreign) start--;
    const least = isTail ? Math.floor((8 * shortestTail) / bits) : signsAtLeast;
    // The base64 of a long text has capitals; most names, ids and paths have none.
    const mayBeText = bits === 4 || options.shortest < shortestRun || hasCapital(text, start, end);
    if (end - start >= least && mayBeText) {
      const signs = collectSigns(text, { start, end }, values);
      if (signs.count >= least)
        for (let phase = 0; phase < encoding.phases; phase++)
          addReadable(signs, { phase, bits, end: isTail ? end : undefined }, options, views);
    }
    from = end;
    at = end + 1 - step;
  }
  return views;
}

function valueAt(text: string, at: number, values: Uint8Array): number {
  const code = text.charCodeAt(at);
  return code < 128 ? (values[code] ?? foreign) : foreign;
}

/** Signs with their values and places in a text; the arrays are longer than they are many. */
interface Signs {
  readonly count: number;
  readonly values: Uint8Array;
  readonly places: Int32Array;
}

// One for all: most runs are found to be no writing of anything as soon as they are looked at.
let scratch: Signs = { count: 0, values: new Uint8Array(1 << 10), places: new Int32Array(1 << 10) };

let scratchBytes = new Uint8Array(1 << 10);

/** The signs of a run, without what stands between them. */
function collectSigns(
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
  values: Uint8Array,
): Signs {
  if (scratch.values.length < end - start)
    scratch = {
      count: 0,
      values: new Uint8Array(2 * (end - start)),
      places: new Int32Array(2 * (end - start)),
    };
  const { values: kept, places } = scratch;
  let count = 0;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    // A line end as JSON has it, however often it was escaped.
    if (code === 0x5c && /[nrt]/.test(text.charAt(at + 1))) at++;
    const value = valueAt(text, at, values);
    if (code === 0x5c || value === between) continue;
    kept[count] = value;
    places[count] = at;
    count += 1;
  }
  return { ...scratch, count };
}

function hasCapital(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code >= 65 && code <= 90) return true;
  }
  return false;
}

/** Adds the stretches of bytes that can be read as text. */
function addReadable(
  { count, values, places }: Signs,
  { phase, bits, end }: { readonly phase: number; readonly bits: 4 | 6; readonly end: number | undefined },
  { shortest, beyondAscii }: ViewOptions,
  views: DecodedView[],
): void {
  const bytes = Math.max(0, (bits * (count - phase)) >> 3);
  if (scratchBytes.length < bytes) scratchBytes = new Uint8Array(2 * bytes);
  const decoded = scratchBytes;
  let held = 0;
  let heldBits = 0;
  for (let at = phase, made = 0; made < bytes; at++) {
    held = ((held << bits) | (values[at] ?? 0)) & 0x3fff;
    heldBits += bits;
    if (heldBits < 8) continue;
    heldBits -= 8;
    decoded[made++] = held >> heldBits;
  }
  let from = 0;
  for (let until = 0; until <= bytes; until++) {
    if (until < bytes && isPrintable(decoded[until] ?? 0, beyondAscii)) continue;
    const isTail = end !== undefined && until === bytes;
    const length = until - from;
    if (length >= (isTail ? shortestTail : shortest)) {
      const starts = new Int32Array(length);
      const ends = new Int32Array(length);
      for (let at = 0; at < length; at++) {
        starts[at] = places[phase + Math.floor((8 * (from + at)) / bits)] ?? 0;
        ends[at] = (places[phase + Math.ceil((8 * (from + at + 1)) / bits) - 1] ?? 0) + 1;
      }
      // What is left of a cut-off character belongs to what is before it.
      if (isTail) ends[length - 1] = end;
      views.push({ text: Buffer.from(decoded.slice(from, until)).toString('latin1'), starts, ends });
    }
    from = until + 1;
    if (end === undefined && bytes - from < shortest) break;
  }
}

function isPrintable(byte: number, beyondAscii: boolean): boolean {
  return (byte >= 0x20 && byte < 0x7f) || (beyondAscii && byte >= 0x80) || (byte >= 0x09 && byte <= 0x0d);
}
