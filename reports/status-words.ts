import type { Status } from '../spec/report.js';

/** What each status is called where a person reads it, in the order in which the sums are told. */
export const statusWords: readonly (readonly [status: Status, word: string])[] = [
  ['pass', 'held'],
  ['fail', 'violated'],
  ['inconclusive', 'undecided'],
  ['not-exercised', 'not exercised'],
  ['not-observable', 'not observable'],
];

/** `179 held, 0 violated, …`: how many requirements ended with each status. */
export function totalsText(totals: Readonly<Record<Status, number>>): string {
  return statusWords.map(([status, word]) => `${totals[status]} ${word}`).join(', ');
}
