// What `inertText` shows by its code, but the line ends between the members.
const live = /[^\P{C}\n]|[\p{Zl}\p{Zp}]/gu;
// Nearly all of a long text is plain, and is passed over without a look at what kind each character is of.
const unusual = /[^\n -~]+/gu;

/**
 * A value as indented JSON that holds nothing which controls or hides: such characters stand as escapes, so that a
 * reader of JSON gets every text back as it was.
 */
export function inertJson(value: unknown, indent = 1): string {
  return escapeLive(JSON.stringify(value, null, indent));
}

/** The same in one line. */
export function inertJsonLine(value: unknown): string {
  return inertJson(value, 0);
}

/** JSON with everything in it escaped that controls or hides. */
export function escapeLive(json: string): string {
  return json.replace(unusual, (run) => run.replace(live, escaped));
}

function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, at) => {
    const unit = character.charCodeAt(at).toString(16);
    return `\\u${unit.padStart(4, '0')}`;
  }).join('');
}
