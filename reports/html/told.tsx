import type { ComponentChild } from 'preact';
import { numberText } from '../amount-text.js';
import { inertPieces, inertText } from '../inert-text.js';

/** How many characters of one text the page shows; report.json has the rest. */
const shownOfText = 4_000;

const lineEnds = /\r\n|[\n\u0085\u2028\u2029]/g;
const plainLine = /^[\x20-\x7e]*$/;

/** A text with the rest that is not shown. */
interface Cut {
  readonly shown: string;
  readonly more: number;
}

/** The first characters of a text, never half of a pair. */
export function cut(text: string, limit = shownOfText): Cut {
  if (text.length <= limit) return { shown: text, more: 0 };
  const splitsPair = /[\ud800-\udbff]/.test(text.charAt(limit - 1));
  const shown = text.slice(0, splitsPair ? limit - 1 : limit);
  return { shown, more: text.length - shown.length };
}

/**
 * Text that may have come from a server: what could act or hide stands as its code, and what is too long is cut
 * and said to be. A function and no component: a page has thousands of texts, and nearly all are plain.
 * @param lines whether its line ends are kept
 */
export function told(text: string, lines = false): ComponentChild {
  if (text.length <= shownOfText && plainLine.test(text)) return text;
  const { shown, more } = cut(text);
  return [inert(lines ? shown : shown.replace(lineEnds, '⏎')), cutNote(more)];
}

/** Says how much of a text is not shown; nothing where all is. */
export function cutNote(more: number): ComponentChild {
  return more > 0 && <span class="cut"> … {numberText(more)} more characters are in report.json</span>;
}

/** Text with its line ends, and with codes for all that could act. */
export function inert(text: string): ComponentChild {
  const pieces = inertPieces(text);
  const [first] = pieces;
  if (pieces.length === 1 && first?.code === false) return first.text;
  return pieces.map((piece) => (piece.code ? <span class="code">{piece.text}</span> : piece.text));
}

/** Text for an attribute or a title: one inert line, cut short. */
export function toldInLine(text: string): string {
  return inertText(cut(text, 200).shown);
}
