import { shortestRun } from './secret-index.js';

/** A copy of a part of a text with one encoding decoded, and the origin of each of its characters. */
export interface DecodedView {
  readonly text: string;
  /** Where the origin of each character begins in the text, and where it ends. */
  readonly starts: ArrayLike<number>;
  readonly ends: ArrayLike<number>;
}

/** What needs to be decoded. */
export interface ViewOptions {
  readonly shortest: number;
  /** How far from an escape a text of interest may begin or end. */
  readonly reach: number;
  /** Whether a text of interest may contain a quote, a slash or a backslash. */
  readonly quotes: boolean;
  /** Whether bytes beyond ASCII are of interest. */
  readonly beyondAscii: boolean;
  /** Whether a run of encoded characters that ends the text may be the beginning of a longer one. */
  readonly isCut: boolean;
}

/** Decodes the parts of a text that may be encoded, one encoding at a time. */
export function decodeViews(text: string, options: ViewOptions): readonly DecodedView[] {
  return [
    ...unescapeViews(text, options),
    ...joinLines(text, options),
    ...readByteLists(text, options),
    ...decodeRuns(text, hex, options),
    ...decodeRuns(text, base64, options),
  ];
}

/** Copies a part of a text and replaces matches in it; those without a replacement stay. */
function rewrite(
  text: string,
  { from, until }: { readonly from: number; readonly until: number },
  matches: Iterable<RegExpExecArray>,
  replace: (match: RegExpExecArray) => string | undefined,
) {
  const starts: number[] = [];
  const ends: number[] = [];
  let copied = '';
  let at = from;
  const copyTo = (place: number) => {
    copied += text.slice(at, place);
    for (; at < place; at++) {
      starts.push(at);
      ends.push(at + 1);
    }
  };
  for (const match of matches) {
    if (match.index >= until) break;
    const replacement = replace(match);
    if (replacement === undefined) continue;
    copyTo(match.index);
    copied += replacement;
    at += match[0].length;
    for (let unit = 0; unit < replacement.length; unit++) {
      starts.push(match.index);
      ends.push(at);
    }
  }
  copyTo(until);
  return { text: copied, starts, ends };
}

// ── escapes: percent-encoding, those of JSON and JavaScript, HTML entities ──

/** Escapes of other characters than quotes and line ends. Most texts are JSON within JSON, which has only those. */
const codes = /%[2-7c-f][\da-f]|\\(?:u[\da-f{]|x[2-7])|&(?:#|[a-z]+;)/i;
/** The same, including quotes and slashes. */
const codesAndQuotes = /%[2-7c-f][\da-f]|\\(?:u[\da-f{]|x[2-7]|[/"\\])|&(?:#|[a-z]+;)/i;
const escapes =
  /%([\da-f]{2})|\\(?:u([\da-f]{4})|u\{([\da-f]{1,6})\}|x([\da-f]{2})|(.))|&(?:#x0*([\da-f]{1,6});?|#0*(\d{1,7});?|([a-z]+);)/gi;
const longestEscape = 12;
const unfinishedEscape = /(?:%[\da-f]?|\\(?:u[\da-f]{0,3}|x[\da-f]?)?|&#?x?[\da-f]{0,6}|&[a-z]{0,8})$/i;

const entities = new Map(
  [
    String.raw`amp& apos' ast* bsol\ colon: comma, commat@ dash- dollar$ equals= excl! gt> hyphen- lowbar_ lt<`,
    'num# percnt% period. plus+ quest? quot" semi; sol/ tilde~',
  ].flatMap((line) => line.split(' ').map((entity) => [entity.slice(0, -1), entity.slice(-1)] as const)),
);

/** Decodes the escapes of a text, from a little before the first to a little after the last. */
function unescapeViews(text: string, { reach, quotes, isCut }: ViewOptions): readonly DecodedView[] {
  const last = Math.max(text.lastIndexOf('\\'), text.lastIndexOf('%'), text.lastIndexOf('&'));
  const first = last < 0 ? -1 : text.search(quotes ? codesAndQuotes : codes);
  if (first < 0) return [];
  let from = Math.max(0, first - reach);
  // Do not begin within an escaped backslash.
  while (from > 0 && text[from - 1] === '\\') from--;
  const until = Math.min(text.length, last + longestEscape + reach);
  const tail = until === text.length && isCut ? unfinishedEscape.exec(text.slice(-10))?.[0].length : 0;
  escapes.lastIndex = from;
  const view = rewrite(text, { from, until: until - (tail ?? 0) }, text.matchAll(escapes), decodeEscape);
  if (tail) view.ends[view.ends.length - 1] = until;
  return [view];
}

function decodeEscape([, percent, unit, point, byte, sign, hex, decimal, name = '']: RegExpExecArray) {
  const digits = percent ?? unit ?? point ?? byte ?? hex;
  if (digits === undefined && decimal === undefined) return sign ?? entities.get(name);
  const code = digits === undefined ? Number(decimal) : Number.parseInt(digits, 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}

// ── lines ──

/** A line end between two parts of a word, plain or escaped as in JSON, with the blanks around it. */
const lineEnd = /(?<=[^\s,{[\\])(?:[ \t]|\\+t)*(?:[\r\n]|\\+[nr])(?:\s|\\+[nrt])*(?=[^\s}\]<])/g;

/** Joins the lines of a text, from a little before the first line end to a little after the last. */
function joinLines(text: string, { reach }: ViewOptions): readonly DecodedView[] {
  const gaps = /[\r\n]|\\[nr]/.test(text) ? [...text.matchAll(lineEnd)] : [];
  const [first, last] = [gaps[0], gaps.at(-1)];
  if (first === undefined || last === undefined) return [];
  const from = Math.max(0, first.index - reach);
  const until = Math.min(text.length, last.index + last[0].length + reach);
  return [rewrite(text, { from, until }, gaps, () => '')];
}

// ── lists of bytes, in decimal as Node.js writes a buffer into JSON, or in hex as Go prints a slice ──

/** Six bytes or more: a shorter beginning of a value is not redacted at a cut. */
const byteList = /(?<![\d.])(?:0x[\da-f]{2}|\d{2,3})(?:[\s,]+(?:0x[\da-f]{2}|\d{2,3})){5,}(?![\d.])/gi;

/** The rest of a list after its last complete number, if the text was cut. */
const unfinishedByte = /^[\s,]*(?:\d|0x[\da-f]?)?$/i;

/** Finds lists of numbers in a text, and reads each number as a character. */
function readByteLists(text: string, { shortest, isCut }: ViewOptions): readonly DecodedView[] {
  return [...text.matchAll(byteList)].flatMap(({ 0: written, index }) => {
    const end = index + written.length;
    const isTail = isCut && unfinishedByte.test(text.slice(end));
    if (!isTail && written.length < 3 * shortest - 1) return [];
    // The last number of a cut text may have had another digit.
    const until =
      isTail && end === text.length ? end - (/(?<![\dx])\d+$/i.exec(written)?.[0].length ?? 0) : end;
    const numbers = /(?:0x[\da-f]+|\d+)[\s,]*/gi;
    numbers.lastIndex = index;
    const view = rewrite(text, { from: index, until }, text.matchAll(numbers), decodeByte);
    if (isTail) view.ends[view.ends.length - 1] = text.length;
    return [view];
  });
}

function decodeByte([written]: RegExpExecArray): string | undefined {
  const byte = Number.parseInt(written, /^0x/i.test(written) ? 16 : 10);
  return byte < 0x100 ? String.fromCharCode(byte) : undefined;
}

// ── hex digits, with or without separators, and base64, in one line or several ──

/** An encoding of bytes in characters of some bits each. */
interface Encoding {
  readonly name: 'hex' | 'base64';
  /** How many bits a character stands for. */
  readonly bits: 4 | 6;
  /** How many offsets a run is decoded from: other characters may precede the encoded value. */
  readonly phases: number;
  /** A run of characters of the encoding, with separators. */
  readonly run: RegExp;
  /** Separators, including line ends that are escaped once or more, as in JSON. */
  readonly between: RegExp;
}

const hex: Encoding = {
  ...{ name: 'hex', bits: 4, phases: 2 },
  run: /(?<![\da-f:\-. \t\r\n\\])[\da-f:\-. \t\r\n\\]{12,}/gi,
  between: /\\[nrt]?|[:\-. \t\r\n]/g,
};
const base64: Encoding = {
  ...{ name: 'base64', bits: 6, phases: 4 },
  run: /(?<![\w+/\-\r\n\\])[\w+/\-\r\n\\]{7,}/g,
  between: /\\[nrt]?|[\r\n]/g,
};

// At a cut, the beginning of a value is of interest if it has this many characters.
const shortestTail = 6;

/** Decodes the runs of an encoding in a text, from each possible offset. */
function decodeRuns(text: string, encoding: Encoding, options: ViewOptions): readonly DecodedView[] {
  const { bits, run } = encoding;
  const views: DecodedView[] = [];
  const usual = Math.floor((8 * options.shortest) / bits) - (bits === 6 ? 1 : 0);
  run.lastIndex = 0;
  for (let found = run.exec(text); found !== null; found = run.exec(text)) {
    const [written] = found;
    const isTail = options.isCut && run.lastIndex === text.length;
    const least = isTail ? Math.floor((8 * shortestTail) / bits) : usual;
    // The base64 of a long text contains capitals; most names, IDs and paths do not.
    const mayBeText = bits === 4 || options.shortest < shortestRun || /[A-Z]/.test(written);
    if (written.length < least || !mayBeText) continue;
    const encoded = written.replace(encoding.between, '');
    if (encoded.length >= least)
      decodeRun({ encoded, written, start: found.index, isTail }, encoding, options, views);
  }
  return views;
}

interface Run {
  readonly encoded: string;
  readonly written: string;
  readonly start: number;
  /** Whether it is at the end of a text that was cut. */
  readonly isTail: boolean;
}

/** Decodes a run, and adds the parts that are readable text. */
function decodeRun(
  { encoded, written, start, isTail }: Run,
  { name, bits, phases, between }: Encoding,
  { shortest, beyondAscii }: ViewOptions,
  views: DecodedView[],
): void {
  let places: readonly number[] | undefined;
  const readable = beyondAscii ? /[\t-\r\x20-\x7e\x80-\xff]{6,}/g : /[\t-\r\x20-\x7e]{6,}/g;
  for (let phase = 0; phase < phases; phase++) {
    const bytes = Buffer.from(phase === 0 ? encoded : encoded.slice(phase), name).toString('latin1');
    for (let found = readable.exec(bytes); found !== null; found = readable.exec(bytes)) {
      const [text] = found;
      const isLast = isTail && readable.lastIndex === bytes.length;
      if (!isLast && text.length < shortest) continue;
      places ??= rewrite(
        written,
        { from: 0, until: written.length },
        written.matchAll(between),
        () => '',
      ).starts;
      const starts = new Int32Array(text.length);
      const ends = new Int32Array(text.length);
      for (let at = 0; at < text.length; at++) {
        const byte = found.index + at;
        starts[at] = start + (places[phase + Math.floor((8 * byte) / bits)] ?? 0);
        ends[at] = start + (places[phase + Math.ceil((8 * (byte + 1)) / bits) - 1] ?? 0) + 1;
      }
      // An incomplete character at the end belongs to the one before it.
      if (isLast) ends[text.length - 1] = start + written.length;
      views.push({ text, starts, ends });
    }
  }
}
