import { randomInt } from 'node:crypto';

const letters = 'abcdefghijklmnopqrstuvwxyz';

/** A legal name of letters only, so that a server's trouble with digits or underscores does not spoil other checks. */
export function freshName(): string {
  return `plumb${Array.from({ length: 12 }, () => letters[randomInt(letters.length)]).join('')}`;
}

/** Whether a name is one of those that `freshName` makes. */
export function isFreshName(name: string): boolean {
  return /^plumb[a-z]{12}$/.test(name);
}
