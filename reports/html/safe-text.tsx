import { sanitizeLine, sanitizePieces, splitText } from '../sanitize.js';
import { formatNumber } from '../wording.js';
import { type Content, h } from './markup.js';

/** How many characters of one text the page shows; report.json has the rest. */
const shownOfText = 4_000;

const lineEnds = /\r\n|[\n\u0085\u2028\u2029]/g;
const plainLine = /^[\x20-\x7e]*$/;

/** Renders text of any origin, cut if long. No component: a page has thousands of texts, nearly all plain. */
export function safeText(text: string, lines = false): Content {
  if (text.length <= shownOfText && plainLine.test(text)) return text;
  const { shown, more } = splitText(text, shownOfText);
  return [renderPieces(lines ? shown : shown.replace(lineEnds, '⏎')), noteCut(more)];
}

/** Renders how much of a text is not shown; nothing where all is. */
export function noteCut(more: number): Content {
  return more > 0 && <span class="cut"> … {formatNumber(more)} more characters are in report.json</span>;
}

/** Renders text with its line ends, and with codes for every character that could act. */
export function renderPieces(text: string): Content {
  return sanitizePieces(text).map((piece) =>
    piece.code ? <span class="code">{piece.text}</span> : piece.text,
  );
}

/** Returns text for an attribute or a title: one sanitized line, cut short. */
export function safeAttribute(text: string): string {
  return sanitizeLine(splitText(text, 200).shown);
}

/** Renders a link to the row of a requirement. */
export function linkRequirement(id: string): Content {
  return (
    <a class="id" href={`#${safeAttribute(id)}`}>
      {safeText(id)}
    </a>
  );
}

/** Renders links to several requirements, in a list. */
export function linkRequirements(ids: readonly string[]): Content {
  return (
    <ul class="ids">
      {ids.map((id) => (
        <li>{linkRequirement(id)}</li>
      ))}
    </ul>
  );
}
