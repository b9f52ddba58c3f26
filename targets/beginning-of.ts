/** The beginning of a text. */
export function beginningOf(text: string, characters: number): string {
  return text.length <= characters ? text : copyOf(text.slice(0, characters));
}

/** A copy of a part of a text: a slice would keep the whole text in memory as long as it lives itself. */
export function copyOf(part: string): string {
  return Buffer.from(part).toString('utf8');
}
