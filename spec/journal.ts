import type { RequirementId } from './ledger.js';
import type { Report, ReportedCheck } from './report.js';
import type { KeptExchange } from './traffic.js';

/** How far the run had come when a line was written. */
export interface JournalledProgress {
  readonly requests: number;
  readonly duration_ms: number;
}

/**
 * A line of `journal.ndjson`, which is written while a run goes on, so that a process that is killed leaves what was
 * known. Lines that a reader does not know are passed over.
 */
export type JournalLine =
  | {
      readonly format: 'plumbline-journal/1';
      /** What would be reported if nothing more was written: every check that is to come is undecided in it. */
      readonly begun: Report;
      /**
       * Requirements with a waiver, and those newer than the ledger that the gate holds to: whether a violation of one
       * decides, only a run that came to its end can say.
       */
      readonly passed_over?: readonly RequirementId[];
    }
  | {
      /** Checks that were judged, or rules for every response that saw more; each takes the place of what was said of it. */
      readonly judged: readonly ReportedCheck[];
      readonly progress: JournalledProgress;
    }
  | { readonly exchange: KeptExchange }
  | { readonly ended: Report };
