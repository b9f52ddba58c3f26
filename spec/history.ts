import type { Report, Status, Verdict } from './report.js';

/** One run in a history file: a line of JSON, described by history.schema.json. */
export interface HistoryEntry {
  readonly format: 'plumbline-history/1';
  readonly tool_version: string;
  /** The id of the run, as its report has it. */
  readonly id: string;
  /** What `--label` said, such as the commit that was judged. */
  readonly label?: string;
  /** What `--history-link` said: where to read more about the run. */
  readonly link?: string;
  readonly started_at: string;
  readonly duration_ms: number;
  /** Why the run ended; what a run found that did not reach its end is only a part. */
  readonly ended: RunEnd;
  readonly verdict: Verdict;
  readonly exit_code: number;
  readonly target: string | null;
  readonly seed: number;
  readonly depth: Report['run']['depth'];
  readonly shard: string;
  readonly selection: { readonly only: readonly string[]; readonly skip: readonly string[] };
  readonly requests: number;
  readonly cases: number;
  readonly totals: Readonly<Record<Status, number>>;
  /** Every `must` of the selection that the run did not get to see hold or violated. */
  readonly unproven: number;
  /** Violated requirements that decide. */
  readonly violated: readonly string[];
  /** Violated requirements that do not decide. */
  readonly advisory: readonly string[];
  readonly inconclusive: readonly string[];
  /** Including those not selected. What is in none of these lists passed, or is not observable. */
  readonly not_exercised: readonly string[];
  /** What was measured with the run, such as the ratios of the bench, by name. */
  readonly figures?: Readonly<Record<string, number>>;
}

/** How a run ended: by itself, interrupted, stopped by a limit, or by a failure of the suite. */
export type RunEnd = 'complete' | 'interrupted' | 'cut-short' | 'suite-failed';
