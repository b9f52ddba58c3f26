// Nearly every text: there is nothing in it to look for.
const plainLine = /^[\x20-\x7e]*$/;
// Control characters, format characters (bidi marks, zero-width ones), lone surrogates, private and
// unassigned code points, line and paragraph separators: none may reach a terminal as it came.
const live = /\r\n|[\p{C}\p{Zl}\p{Zp}]/gu;

const shownAs: Readonly<Record<string, string>> = {
  '\r\n': '⏎',
  '\n': '⏎',
  '\u0085': '⏎',
  '\u2028': '⏎',
  '\u2029': '⏎',
  '\t': '\\t',
};

/**
 * Text from anywhere as one line that cannot act on a terminal: line ends become `⏎`, everything that
 * controls or hides becomes its code, `\u001b`.
 */
export function inertText(text: string): string {
  if (plainLine.test(text)) return text;
  return text.replace(live, (found) => shownAs[found] ?? coded(found));
}

/** Lines of our own with text from anywhere in them: line ends stay, all else that could act on a terminal becomes its code. */
export function inertLines(text: string): string {
  return text.split('\n').map(inertText).join('\n');
}

function coded(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
}

/** A part of a text that came from anywhere: as it came, or the code of what may not act. */
export interface InertPiece {
  readonly text: string;
  readonly code: boolean;
}

const plain = /^[\x20-\x7e\n]*$/;
const liveInLines = /(?![\n\t])[\p{C}\p{Zl}\p{Zp}]/gu;

/** Text from anywhere in pieces that cannot act on a page. Line ends and tabs stay; all else becomes its code. */
export function inertPieces(text: string): readonly InertPiece[] {
  if (plain.test(text)) return [{ text, code: false }];
  const lines = text.replaceAll('\r\n', '\n');
  const pieces: InertPiece[] = [];
  let copied = 0;
  for (const { 0: found, index } of lines.matchAll(liveInLines)) {
    pieces.push({ text: lines.slice(copied, index), code: false }, { text: coded(found), code: true });
    copied = index + found.length;
  }
  return [...pieces, { text: lines.slice(copied), code: false }].filter((piece) => piece.text !== '');
}

/** A copy of a value, every text in it made inert at whatever depth, so that no renderer can forget one. */
export function withInertTexts<T>(value: T): T {
  return inert(value) as T;
}

function inert(value: unknown): unknown {
  if (typeof value === 'string') return inertText(value);
  if (Array.isArray(value)) return value.map(inert);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [inertText(name), inert(member)]));
}
