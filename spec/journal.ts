import type { RequirementId } from './ledger.js';
import type { Report, ReportedCheck, ReportedExchange } from './report.js';

/** An exchange of a run that was kept, and what it was sent for. */
export interface KeptExchange extends ReportedExchange {
  /** The check that sent it; null for what arranges worlds and for positive controls. */
  readonly check: string | null;
  /** What the request is, without random parts: `DELETE own/stored as member`. */
  readonly label: string;
}

/** What a run sent and got back, as much of it as was kept. */
export interface Traffic {
  readonly exchanges: readonly KeptExchange[];
  readonly sent: number;
}

/** The progress of the run when a line was written. */
export type JournalledProgress = Pick<Report['run'], 'requests' | 'duration_ms'>;

/** A world that a run opened, noted before it is asked for and before its delete is sent. */
export interface WorldLeftover {
  readonly kind: 'world';
  /** Its number in the run. */
  readonly number: number;
  /** What it is for, as sent to the target. */
  readonly label: string;
  /** Absent until the target has named it. */
  readonly id?: string;
  readonly state: 'opening' | 'open' | 'closing';
}

/** A secret of a run in a tenant that the run shares with others, noted before it is stored. */
export interface SecretLeftover {
  readonly kind: 'secret';
  /** What the profile calls the place: `own`, `sibling`, `workspace`, `foreign`. */
  readonly scope: string;
  /** The id of the intern; the workspace has none. */
  readonly intern?: string | undefined;
  readonly name: string;
}

/** Something that a run created and that may be left on its target. */
export type Leftover = WorldLeftover | SecretLeftover;

/** News of a leftover: it may be there, which replaces what earlier lines say of it, or it is gone. */
export type LeftoverNews =
  | { readonly left: Leftover }
  | { readonly gone: Pick<WorldLeftover, 'kind' | 'number'> | Omit<SecretLeftover, 'scope'> };

/** A line of `journal.ndjson`, from which the report of a killed run is made. Readers ignore unknown lines. */
export type JournalLine =
  | {
      readonly format: 'plumbline-journal/1';
      /** The report if nothing more is written: every check still to come is inconclusive in it. */
      readonly begun: Report;
      /** Requirements that are waived or newer than the ledger of the gate: whether a violation decides shows at the end. */
      readonly passed_over?: readonly RequirementId[];
    }
  | {
      /** Checks that were judged, and rules for every response that saw more; each replaces what earlier lines say of it. */
      readonly judged: readonly ReportedCheck[];
      readonly progress: JournalledProgress;
    }
  | { readonly exchange: KeptExchange }
  | LeftoverNews
  | { readonly ended: Report };
