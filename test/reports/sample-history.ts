import { buildHistoryEntry, type History, type HistoryEntry } from '../../reports/history.js';
import { sampleReport } from './sample-report.js';

// Violated, undecided, not judged, held.
type Sign = 'x' | '?' | '.' | 'v';

/** The requirement that the signs are about. */
export const watched = 'auth.bearer';

/** A history of nightly runs from the first of April 2030, one for each sign: what came of one requirement. */
export function sampleHistory(
  signs: string,
  change: (entry: HistoryEntry, at: number) => HistoryEntry = (entry) => entry,
): History {
  const entries = [...signs].map((sign, at) => change(nightly(sign as Sign, at), at));
  return { entries, invalid: [] };
}

function nightly(sign: Sign, at: number): HistoryEntry {
  const usual = buildHistoryEntry(
    sampleReport(sign === 'x' ? { verdict: 'non-conformant', exitCode: 1 } : {}),
  );
  return {
    ...usual,
    id: `run-${at + 1}`,
    started_at: `2030-04-${String(at + 1).padStart(2, '0')}T02:15:00.000Z`,
    requests: 4_800 + at,
    violated: sign === 'x' ? [watched] : [],
    inconclusive: sign === '?' ? [watched] : [],
    not_exercised: sign === '.' ? [watched] : [],
  };
}
