import { expect } from 'vitest';
import { corpusFor } from './corpus.js';
import { type Difference, lifeSign, type Row, type Transcript } from './probe.js';

/** Room for the whole corpus on a busy machine, in milliseconds. */
export const WHOLE_CORPUS_MS = 120_000;

/** The first difference in words, or that there is none. */
export function told(difference: Difference | undefined): string {
  if (difference === undefined) return 'dead: no answer differs';
  const { script, about, expected, actual } = difference;
  return `differs in "${script}"\n${about}\nthe reference: ${expected}\nthis row: ${actual}`;
}

/** Fails unless some answer of the row differs from the reference's; gives the first in words. */
export async function expectAlive(
  row: Row & { readonly id: string },
  reference: Transcript,
): Promise<string> {
  const difference = await lifeSign(row, corpusFor(row.id), reference);
  expect(difference, told(difference)).toBeDefined();
  return told(difference);
}
