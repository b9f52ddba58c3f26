import type { RequirementId } from './ledger.js';
import type { ReportedRequirement, Verdict } from './report.js';

/** The result for a mutant: all requirements that it violates failed, none failed, or only others failed. */
export type MutantOutcome = 'caught' | 'misnamed' | 'survived';

/** The result for a variant: it passed, it failed, or the run did not reach its end. */
export type VariantOutcome = 'accepted' | 'accused' | 'unsettled';

/** A requirement that failed in a run. */
export type ProvenFailure = Pick<ReportedRequirement, 'id' | 'section' | 'level'>;

/** The result of a run against one server of the catalogue. */
export interface ProvenServer {
  readonly kind: 'mutant' | 'variant';
  readonly id: string;
  readonly section: string;
  readonly description: string;
  readonly hardness: string | null;
  /** The requirements that a mutant violates. */
  readonly turns_red: readonly string[];
  readonly outcome: MutantOutcome | VariantOutcome;
  readonly seed: number;
  readonly verdict: Verdict;
  /** The exit code of its run; 5 where the suite itself failed, even if it also found a violation. */
  readonly exit_code: number;
  readonly red: readonly ProvenFailure[];
  readonly inconclusive: readonly RequirementId[];
  /** False where the run was stopped because the mutant was caught: each of its rows confirmed and no other failed. */
  readonly to_the_end: boolean;
  /** Whether the section that a mutant violates is the section of a requirement that failed. */
  readonly section_named: boolean | null;
  /** Variants that were judged in the same server, and so in the same run; absent where there were none. */
  readonly together_with?: readonly string[];
  readonly requests: number;
  /** Requests sent when the first violation was confirmed; null if none was. */
  readonly first_red_at: number | null;
  readonly duration_ms: number;
  /** Pairs of inputs that were judged, of those that are possible on this server. */
  readonly pairs: { readonly seen: number; readonly possible: number };
  /** What went wrong in the suite, and why the run did not end by itself. */
  readonly notes: readonly string[];
  readonly message: string | null;
}
