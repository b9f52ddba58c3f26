import { mapTexts } from '../spec/json.js';
import { formatNumber } from './wording.js';

// Control characters, format characters (bidi marks, zero-width ones), lone surrogates, private and unassigned code
// points, line and paragraph separators: none may reach a terminal, a page or a log unescaped.
const unsafe = /\r\n|[\p{C}\p{Zl}\p{Zp}]/gu;
const unsafeInLines = /(?![\n\t])[\p{C}\p{Zl}\p{Zp}]/gu;
const unsafeInJson = /[^\P{C}\n]|[\p{Zl}\p{Zp}]/gu;
// Nearly every text matches these, and costs no further look.
const plainLine = /^[\x20-\x7e]*$/;
const plainLines = /^[\x20-\x7e\n]*$/;
const unusualInJson = /[^\n -~]+/gu;

const shownAs: Readonly<Record<string, string>> = {
  '\r\n': '⏎',
  '\n': '⏎',
  '\u0085': '⏎',
  '\u2028': '⏎',
  '\u2029': '⏎',
  '\t': '\\t',
};

/** Returns text of any origin as one line that cannot act on a terminal: line ends become `⏎`, the rest its code, `\u001b`. */
export function sanitizeLine(text: string): string {
  if (plainLine.test(text)) return text;
  return text.replace(unsafe, (found) => shownAs[found] ?? toCode(found));
}

/** Sanitizes each line of a text and keeps its line ends. */
export function sanitizeLines(text: string): string {
  return text.split('\n').map(sanitizeLine).join('\n');
}

function toCode(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
}

/** Splits a text after some UTF-16 units, never within a surrogate pair; `more` is the length of the rest. */
export function splitText(text: string, most: number): { readonly shown: string; readonly more: number } {
  if (text.length <= most) return { shown: text, more: 0 };
  const isPair = /[\ud800-\udbff]/.test(text.charAt(most - 1));
  const shown = text.slice(0, isPair ? most - 1 : most);
  return { shown, more: text.length - shown.length };
}

/** Cuts a long text and says how many characters are missing. */
export function truncate(text: string, most: number): string {
  const { shown, more } = splitText(text, most);
  return more === 0 ? text : `${shown} … and ${formatNumber(more)} more characters`;
}

// What a list of results shows in one row; XML readers refuse a text of 10 MB.
const usualLength = 4_000;

/** Truncates a text and sanitizes it as one line. */
export function safeLine(text: string, most = usualLength): string {
  return sanitizeLine(truncate(text, most));
}

interface SafePiece {
  readonly text: string;
  /** Whether it is the code of a character that may not act. */
  readonly code: boolean;
}

/** Splits text of any origin into pieces that cannot act on a page. Line ends and tabs stay; all else becomes its code. */
export function sanitizePieces(text: string): readonly SafePiece[] {
  if (plainLines.test(text)) return [{ text, code: false }];
  const lines = text.replaceAll('\r\n', '\n');
  const pieces: SafePiece[] = [];
  let copied = 0;
  for (const { 0: found, index } of lines.matchAll(unsafeInLines)) {
    pieces.push({ text: lines.slice(copied, index), code: false }, { text: toCode(found), code: true });
    copied = index + found.length;
  }
  return [...pieces, { text: lines.slice(copied), code: false }].filter((piece) => piece.text !== '');
}

/** Copies a value with every text in it sanitized, at whatever depth, so that no renderer can forget one. */
export function sanitizeTexts<T>(value: T): T {
  return mapTexts(value, sanitizeLine, sanitizeLine) as T;
}

/** Renders a value as JSON in which unsafe characters are escaped, so that a JSON reader gets every text back. */
export function renderJson(value: unknown, indent = 1): string {
  return escapeJson(JSON.stringify(value, null, indent));
}

/** Escapes every unsafe character of a JSON text. */
export function escapeJson(json: string): string {
  return json.replace(unusualInJson, (run) => run.replace(unsafeInJson, escapeCharacter));
}

function escapeCharacter(character: string): string {
  const units = character.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'));
  return units.map((unit) => `\\u${unit}`).join('');
}

/** Changes a line so that GitHub Actions finds no workflow command in it, of today's form or the older `##[…]`. */
export function defuseCommands(line: string): string {
  return line.replace(/^(\s*):(?=:)/, '$1\\:').replaceAll('##[', '##\\[');
}
