import type { RequirementId } from './ledger.js';
import type { Report, ReportedCheck, Status } from './report.js';
import type { KeptExchange } from './traffic.js';

/** What a check says of one requirement, as the journal keeps it. */
export interface JournalledSay {
  readonly requirement: RequirementId;
  readonly check: string;
  readonly status: Status;
  readonly reason: string | null;
}

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
      /** What would be reported if nothing more was written. */
      readonly begun: Report;
      /** What the checks that are to come would then say; what they say later takes its place. */
      readonly says: readonly JournalledSay[];
    }
  | {
      readonly judged: ReportedCheck;
      readonly says: readonly JournalledSay[];
      readonly progress: JournalledProgress;
    }
  | {
      /** What the rules for every response have seen so far, in place of what earlier lines said of them. */
      readonly looked: readonly ReportedCheck[];
      readonly says: readonly JournalledSay[];
      readonly progress: JournalledProgress;
    }
  | { readonly exchange: KeptExchange }
  | { readonly ended: Report };
