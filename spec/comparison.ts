import type { ReportedReason } from './reasons.js';
import type { Failure, Report, ReportedRequirement, Status, Verdict } from './report.js';

/** How a requirement differs between two reports, exactly one for each; the most important first. */
export const changes = [
  'newly-violated',
  'further-violation',
  'still-violated',
  'newly-held',
  'lost-coverage',
  'undecided',
  'gained-coverage',
  'still-unproven',
  'not-comparable',
  'only-in-old',
  'only-in-new',
  'unchanged',
] as const;
export type Change = (typeof changes)[number];

/** What became of a requirement in one of the two runs. */
export interface ComparedState extends ReportedReason {
  readonly status: Status;
}

/** A sign that a requirement both passed and failed within one run. */
export interface FlakySign {
  readonly report: 'old' | 'new';
  readonly sign: string;
}

/** A violation of the new report, as a comparison shows it. */
export interface ComparedFailure extends Pick<Failure, 'expected' | 'actual' | 'confirmed'> {
  /** What was violated of the requirement, where the report says so: the same in every run. */
  readonly situation: string | null;
  /** The command that shows it again. */
  readonly command: string;
}

/** A requirement in two reports. */
export interface ComparedRequirement extends Pick<ReportedRequirement, 'section' | 'level' | 'statement'> {
  readonly id: string;
  readonly change: Change;
  /** Null where the report does not know the requirement. */
  readonly old: ComparedState | null;
  readonly new: ComparedState | null;
  /** The violations that are new: all of a requirement that passed before, those of new situations if it failed before. */
  readonly failures: readonly ComparedFailure[];
  readonly flaky: readonly FlakySign[];
}

/** Which run a report is of. */
export interface ComparedRun
  extends Pick<Report['run'], 'id' | 'started_at' | 'seed' | 'depth' | 'requests' | 'complete'> {
  readonly tool_version: string;
  readonly base_url: string | null;
  readonly verdict: Verdict;
  readonly exit_code: number;
}

/** What makes `compare` end with 1. */
export const stoppers = ['new-violation', 'lost-coverage', 'flaky'] as const;
export type Stopper = (typeof stoppers)[number];

/** What two reports differ in, described by comparison.schema.json. */
export interface Comparison {
  readonly format: 'plumbline-comparison/1';
  readonly tool: Report['tool'];
  readonly old: ComparedRun;
  readonly new: ComparedRun;
  /** Why differences may come from the runs and not from the server. */
  readonly warnings: readonly string[];
  /** How many requirements of each change, and how many of all are flaky. */
  readonly totals: Readonly<Record<Change | 'flaky', number>>;
  /** Every requirement that changed, is violated, or is flaky, in the order of the ledger. */
  readonly requirements: readonly ComparedRequirement[];
  readonly gate: {
    readonly fail_on: readonly Stopper[];
    /** What of it happened to a requirement that decides. */
    readonly stopped_by: readonly Stopper[];
    readonly exit_code: 0 | 1;
  };
}
