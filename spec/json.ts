/** A text cannot be parsed as JSON; the message follows the file's name. */
export class JsonFault extends Error {
  override readonly name = 'JsonFault';
}

// What plumbline writes is a dozen levels deep. Code that walks a value is recursive, and could overflow the stack.
const deepest = 200;

/** Parses a JSON text. Throws JsonFault if it is invalid or nested more than 200 levels deep. */
export function parseJson(text: string): unknown {
  if (isNestedDeeper(text, deepest)) throw new JsonFault(`is nested more than ${deepest} levels deep`);
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message repeats a part of the text.
    throw new JsonFault('is not valid JSON');
  }
}

const [quote, backslash, openBracket, closeBracket, openBrace, closeBrace] = [
  0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d,
];

/** Whether a JSON text is nested deeper than some levels; for invalid JSON the result means nothing. */
export function isNestedDeeper(text: string, levels: number): boolean {
  // A level takes at least two characters.
  if (text.length < 2 * levels) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === openBracket || code === openBrace) depth += 1;
    else if (code === closeBracket || code === closeBrace) depth -= 1;
    if (depth > levels) return true;
  }
  return false;
}

/** Returns the index at which the string that begins at `start` ends: its closing quote, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === backslash) before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}
