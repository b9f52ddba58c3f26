import picocolors from 'picocolors';
import type { Verdict } from '../spec/report.js';
import { sanitizeLine } from './sanitize.js';

/** The colours of a terminal; each returns its text unchanged where colour is off. */
export type Paint = ReturnType<typeof picocolors.createColors>;

/** Colours one line, or leaves it as it is. */
export type Painter = (line: string) => string;

/** What a text is laid out for. */
export interface LayoutOptions {
  readonly color: boolean;
  readonly width: number;
}

const narrowest = 60;
const widestProse = 110;
const labelWidth = 'confirmed'.length + 2;

const verdictColors = {
  conformant: 'green',
  'non-conformant': 'red',
  incomplete: 'yellow',
  unjudged: 'magenta',
} as const satisfies Readonly<Record<Verdict, keyof Paint>>;

/** Lays out text of any origin for a terminal of some columns, in colour or without: it is sanitized. */
export class TerminalLayout {
  /** Columns between 60, below which the area table would not fit, and 110, beyond which prose is hard to read. */
  readonly width: number;
  readonly paint: Paint;

  constructor({ color, width }: LayoutOptions) {
    this.width = Math.min(Math.max(Math.floor(width) || 0, narrowest), widestProse);
    this.paint = picocolors.createColors(color);
  }

  /** Breaks prose into lines that fit, each indented and coloured as a whole. */
  prose(text: string, indent = 0, painter: Painter = (line) => line): readonly string[] {
    return wrapText(sanitizeLine(text), this.width - indent).map(
      (line) => ' '.repeat(indent) + painter(line),
    );
  }

  /** Sets a label with its text beside it, further lines under the text. */
  labelled(label: string, text: string, indent: number): readonly string[] {
    const margin = ' '.repeat(indent);
    return wrapText(sanitizeLine(text), this.width - indent - labelWidth).map((line, index) =>
      (margin + this.paint.dim((index === 0 ? label : '').padEnd(labelWidth)) + line).trimEnd(),
    );
  }

  paintVerdict(verdict: Verdict): Painter {
    return this.paint[verdictColors[verdict]];
  }
}

/** Joins parts of a text with blank lines between them, without the empty ones; ends with a line end. */
export function joinParts(parts: readonly (readonly string[])[]): string {
  const filled = parts.filter((part) => part.length > 0);
  return `${filled.map((part) => part.join('\n')).join('\n\n')}\n`;
}

// East Asian wide characters and emoji take two columns; combining marks take none.
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const combining = /\p{M}/u;

/** Counts the columns of a terminal that a text without control characters takes. */
export function countColumns(text: string): number {
  let columns = 0;
  for (const character of text) {
    if (character < '\u0300') columns += 1;
    else if (!combining.test(character)) columns += wide.test(character) ? 2 : 1;
  }
  return columns;
}

/** Breaks a text into lines of at most `width` columns: at blanks, and within a word only where it is longer. */
export function wrapText(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  // Each word keeps the blanks after it: blanks may be what a message is about.
  for (const chunk of text.split(/(?<= )(?! )/).flatMap((word) => chunkWord(word, width))) {
    if (line !== '' && countColumns(line + chunk.trimEnd()) > width) {
      lines.push(line.trimEnd());
      line = '';
    }
    line += chunk;
  }
  return [...lines, line.trimEnd()];
}

function chunkWord(word: string, width: number): readonly string[] {
  if (countColumns(word.trimEnd()) <= width) return [word];
  const chunks: string[] = [];
  let chunk = '';
  for (const character of word) {
    if (countColumns(chunk + character) > width) {
      chunks.push(chunk);
      chunk = '';
    }
    chunk += character;
  }
  return [...chunks, chunk];
}
