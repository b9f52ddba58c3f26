import picocolors from 'picocolors';
import { wrapped } from './wrapped-text.js';

/** The colours of a terminal; each gives its text back unchanged where colour is off. */
export type Paint = ReturnType<typeof picocolors.createColors>;

/** Colours one line, or leaves it as it is. */
export type Painter = (line: string) => string;

const plain: Painter = (line) => line;
const narrowest = 60;
const widestProse = 110;
const labelWidth = 'confirmed'.length + 2;

/** What a text is set on: a terminal of some columns, in colour or without. */
export class Sheet {
  /** Columns between 60, below which the area table would not fit, and 110, beyond which prose is hard to read. */
  readonly width: number;
  readonly paint: Paint;

  constructor(options: { readonly color: boolean; readonly width: number }) {
    this.width = Math.min(Math.max(Math.floor(options.width) || 0, narrowest), widestProse);
    this.paint = picocolors.createColors(options.color);
  }

  /** Prose broken into lines that fit, each indented and coloured as a whole. */
  prose(text: string, indent = 0, painter: Painter = plain): readonly string[] {
    return wrapped(text, this.width - indent).map((line) => ' '.repeat(indent) + painter(line));
  }

  /** A label with its text beside it, further lines under the text. */
  labelled(label: string, text: string, indent: number): readonly string[] {
    const margin = ' '.repeat(indent);
    return wrapped(text, this.width - indent - labelWidth).map((line, index) =>
      (margin + this.paint.dim((index === 0 ? label : '').padEnd(labelWidth)) + line).trimEnd(),
    );
  }
}
