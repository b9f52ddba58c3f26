import { exitCodes } from '../spec/exit-codes.js';
import type { Report } from '../spec/report.js';
import { shownText } from './shown-text.js';

/** The suite's own failure, as a list of test results tells it. */
export interface SuiteFault {
  /** One inert line. */
  readonly message: string;
  /** What the run noted, an inert line each. */
  readonly detail: readonly string[];
}

/** What to tell where the suite itself failed; null where it did not. */
export function suiteFaultOf({ gate, run }: Report): SuiteFault | null {
  if (gate.exit_code !== exitCodes.suiteFault) return null;
  return {
    message: 'The suite itself failed, so do not rely on this verdict; please report it.',
    detail: run.notes.map((note) => `note: ${shownText(note)}`),
  };
}
