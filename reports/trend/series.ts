import { durationText, numberText } from '../amount-text.js';
import type { NumberedRun } from './numbered-run.js';

/** A figure that every run has, and how it is told. */
export interface Series {
  readonly name: string;
  /** What it counts, for who reads it the first time. */
  readonly meaning: string;
  readonly of: (run: NumberedRun) => number;
  readonly text: (value: number) => string;
}

/** The figures that a trend draws, in the order in which they concern a reader. */
export const series = [
  {
    name: 'held',
    meaning: 'every time',
    of: ({ totals }) => totals.pass,
    text: numberText,
  },
  {
    name: 'violated',
    meaning: 'requirements that decide',
    of: ({ violated }) => violated.length,
    text: numberText,
  },
  {
    name: 'unproven',
    meaning: 'musts without a result',
    of: ({ unproven }) => unproven,
    text: numberText,
  },
  { name: 'requests', meaning: 'sent', of: ({ requests }) => requests, text: numberText },
  {
    name: 'duration',
    meaning: 'from start to end',
    of: ({ duration_ms }) => duration_ms,
    text: durationText,
  },
] as const satisfies readonly Series[];
