import { randomInt } from 'node:crypto';

// Few letters, so that all stand in nearly every name: a server's trouble with one letter then shows in all or in none.
const letters = 'aeio';

/** What every name begins with that this process makes up: nobody else's secret is taken for one of its own. */
export const runPrefix = `plumb${randomLetters(8)}`;

/** A legal name of letters only, so that a server's trouble with digits or underscores does not spoil other checks. */
export function freshName(): string {
  return `${runPrefix}${randomLetters(16)}`;
}

/** Whether a name is one of those that `freshName` makes. */
export function isFreshName(name: string): boolean {
  return /^plumb[aeio]{24}$/.test(name);
}

/** So many letters by chance. */
function randomLetters(count: number): string {
  return Array.from({ length: count }, () => letters[randomInt(letters.length)]).join('');
}
