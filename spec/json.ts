// What plumbline writes is a dozen levels deep. Code that walks a value is recursive, and could overflow the stack.
const deepest = 200;

/** Reads a JSON text; `fault` says why it cannot be read, to follow the file's name. */
export function readJson(text: string): { readonly value: unknown; readonly fault?: string } {
  if (isNestedDeeper(text, deepest))
    return { value: undefined, fault: `is nested more than ${deepest} levels deep` };
  const value = tryParseJson(text);
  return value === undefined ? { value, fault: 'is not valid JSON' } : { value };
}

/** Parses JSON; undefined where a text is none. */
export function tryParseJson(text: string): unknown {
  // A 204 has none, and an error for each of them costs more than all that is parsed.
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Narrows a value to an object with members. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Copies a value with every text in it changed, at any depth.
 * @param change gets a text, and the names of the members and the indices that lead to it
 * @param rename changes the names of members; they stay where it is absent
 */
export function mapTexts(
  value: unknown,
  change: (text: string, place: readonly string[]) => string,
  rename: (name: string) => string = (name) => name,
  place: readonly string[] = [],
): unknown {
  if (typeof value === 'string') return change(value, place);
  const changeInner = (inner: unknown, name: string) => mapTexts(inner, change, rename, [...place, name]);
  if (Array.isArray(value)) return value.map((item, at) => changeInner(item, String(at)));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [rename(name), changeInner(member, name)]),
  );
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
