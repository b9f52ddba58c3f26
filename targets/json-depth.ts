/** How deep JSON may be nested: what walks through a value would otherwise run out of stack. */
export const deepestRead = 500;

/** Whether a JSON text is nested deeper than is read; braces in strings are none. */
export function isTooDeep(text: string): boolean {
  // A level takes at least two characters.
  if (text.length < 2 * deepestRead) return false;
  let depth = 0;
  for (const [found] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[{\]}]/gs)) {
    if (found === '[' || found === '{') depth += 1;
    else if (found === ']' || found === '}') depth -= 1;
    if (depth > deepestRead) return true;
  }
  return false;
}
