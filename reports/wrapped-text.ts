// East Asian wide characters and emoji take two columns; marks that combine take none.
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const combining = /\p{M}/u;

/** How many columns of a terminal a text without control characters takes. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) columns += columnsOfOne(character);
  return columns;
}

function columnsOfOne(character: string): number {
  if (character < '\u0300') return 1;
  if (combining.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

/** A text as lines of at most `width` columns, broken at blanks, and within a word only where it is longer. */
export function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const piece of wordsOf(text).flatMap((word) => piecesOf(word, width))) {
    if (line !== '' && columnsOf(line + piece.trimEnd()) > width) {
      lines.push(line.trimEnd());
      line = '';
    }
    line += piece;
  }
  return [...lines, line.trimEnd()];
}

/** The words of a text, each with the blanks after it: blanks may be what a message is about. */
function wordsOf(text: string): readonly string[] {
  return text.split(/(?<= )(?! )/);
}

function piecesOf(word: string, width: number): readonly string[] {
  if (columnsOf(word.trimEnd()) <= width) return [word];
  const pieces: string[] = [];
  let piece = '';
  for (const character of word) {
    if (columnsOf(piece + character) > width) {
      pieces.push(piece);
      piece = '';
    }
    piece += character;
  }
  return [...pieces, piece];
}
