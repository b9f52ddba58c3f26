/** A part of a page: a heading and entries, the most telling first. */
export interface Section {
  readonly heading: string;
  readonly entries: readonly string[];
}

/**
 * Sections as far as so many bytes of UTF-8 go, parted by blank lines. Every heading is there; entries are left out
 * whole, from the first that does not fit, and `leftOut` says in a line how many of a section.
 */
export function fittedSections(
  sections: readonly Section[],
  mostBytes: number,
  leftOut: (count: number) => string,
): string {
  const filled = sections.filter(({ entries }) => entries.length > 0);
  let room = mostBytes - bytesOf(filled.map((section) => frameOf(section, leftOut)).join(''));
  return filled
    .map(({ heading, entries }) => {
      const { texts, bytes } = entriesWithin(entries, room);
      room -= bytes;
      const left = entries.length - texts.length;
      return `${heading}\n\n${texts.join('')}${left > 0 ? `${leftOut(left)}\n\n` : ''}`;
    })
    .join('');
}

/** What a section takes beside its entries, at most. */
function frameOf({ heading, entries }: Section, leftOut: (count: number) => string): string {
  return `${heading}\n\n${leftOut(entries.length)}\n\n`;
}

function entriesWithin(
  entries: readonly string[],
  mostBytes: number,
): { readonly texts: readonly string[]; readonly bytes: number } {
  const texts: string[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const text = `${entry}\n\n`;
    const more = bytesOf(text);
    if (bytes + more > mostBytes) break;
    texts.push(text);
    bytes += more;
  }
  return { texts, bytes };
}

/** How many bytes a text takes in UTF-8. */
export function bytesOf(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}
