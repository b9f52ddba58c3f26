import type { Report } from './report.js';

/** What a line of a history has of the run that its report has. */
type RecordedRun = Pick<
  Report['run'],
  'id' | 'started_at' | 'duration_ms' | 'seed' | 'depth' | 'shard' | 'selection' | 'requests' | 'cases'
>;

/** One run in a history file: a line of JSON, described by history.schema.json. */
export interface HistoryEntry extends RecordedRun, Pick<Report, 'verdict' | 'totals'> {
  readonly format: 'plumbline-history/1';
  readonly tool_version: string;
  /** What `--label` said, such as the commit that was judged. */
  readonly label?: string;
  /** What `--history-link` said: where to read more about the run. */
  readonly link?: string;
  /** Why the run ended; what a run found that did not reach its end is only a part. */
  readonly ended: RunEnd;
  readonly exit_code: number;
  readonly target: string | null;
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
