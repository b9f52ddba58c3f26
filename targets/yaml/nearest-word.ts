/** The word of a list that a mistyped one was most likely meant to be; undefined where none is close. */
export function nearestWord(mistyped: string, words: readonly string[]): string | undefined {
  // A text much longer than every word is no mistyped word, and comparing it would take long.
  if (mistyped.length > 80) return undefined;
  const close = words
    .map((word) => ({ word, edits: editsBetween(mistyped.toLowerCase(), word) }))
    .filter(({ word, edits }) => edits <= Math.max(1, Math.floor(word.length / 3)));
  return close.sort((one, other) => one.edits - other.edits)[0]?.word;
}

/** How many letters must be put in, taken out, replaced or swapped with their neighbour to make one word the other. */
function editsBetween(one: string, other: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1] ? 0 : 1;
      const swapped =
        row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + same,
        swapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforeLast = last;
    last = current;
  }
  return last[other.length] ?? 0;
}
