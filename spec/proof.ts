import type { Level, RequirementId } from './ledger.js';
import type { Report, ReportedRequirement, Verdict } from './report.js';

/** The result for a mutant: every row that it must fail failed, none did, or others did. */
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
  /** How hard a mutant is to see. */
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
  /** Whether the section of a mutant's violated statement is among those of the red rows. */
  readonly section_named: boolean | null;
  /** Variants that were judged in the same server, and so in the same run; absent where there were none. */
  readonly together_with?: readonly string[];
  readonly requests: number;
  /** Requests sent when the first violation was confirmed; null where the run was to stop there, its checks reordered. */
  readonly first_red_at: number | null;
  readonly duration_ms: number;
  /** Pairs of inputs that were judged, of those that are possible on this server. */
  readonly pairs?: { readonly seen: number; readonly possible: number };
  /** What went wrong in the suite, and why the run did not end by itself. */
  readonly notes: readonly string[];
  /** The first violation, in words. */
  readonly message: string | null;
}

/** A requirement, and the mutants that turned it red. */
export interface ProvenRequirement {
  readonly id: RequirementId;
  readonly level: Level;
  readonly observable: boolean;
  readonly mutants: readonly string[];
}

/** proof.json: what shows that the suite can be trusted. */
export interface Proof {
  readonly format: 'plumbline-proof/1';
  readonly tool: Report['tool'];
  readonly run: Pick<Report['run'], 'started_at' | 'duration_ms' | 'complete' | 'depth'> & {
    readonly seeds: readonly number[];
    readonly jobs: number;
    readonly only: readonly string[];
  };
  readonly totals: {
    readonly mutants: number;
    readonly caught: number;
    readonly misnamed: number;
    readonly survived: number;
    readonly variants: number;
    readonly accepted: number;
    readonly accused: number;
    readonly unsettled: number;
    /** Runs, each a server with a seed. */
    readonly runs: number;
    readonly requests: number;
    /** Red rows of a mutant, the median over all. */
    readonly median_red: number;
    /** Mutants of which the violated section was named. */
    readonly section_named: number;
  };
  readonly servers: readonly ProvenServer[];
  readonly requirements: readonly ProvenRequirement[];
  /** Observable `must` rows that no mutant turned red. */
  readonly uncovered: readonly RequirementId[];
  /** How many of the runs against mutants had confirmed a violation within so many requests. */
  readonly curve: readonly { readonly requests: number; readonly caught: number }[];
}
