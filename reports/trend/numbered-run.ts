import type { HistoryEntry } from '../../spec/history.js';

/** A run with its place in the history, counted from 1. */
export interface NumberedRun extends HistoryEntry {
  readonly number: number;
}
