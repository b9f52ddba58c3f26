/** The beginning of a text. A slice would keep the whole text in memory as long as it lives itself. */
export function beginningOf(text: string, characters: number): string {
  return text.length <= characters ? text : Buffer.from(text.slice(0, characters)).toString('utf8');
}
