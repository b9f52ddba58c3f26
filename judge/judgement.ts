import type { RequirementId } from '../spec/ledger.js';
import type { Reason } from '../spec/reasons.js';
import type { Outcome, ReportedAttempt } from '../spec/report.js';
import type { Check } from './check.js';
import type { Confirmed } from './course.js';

/** What a check says of one requirement. */
export interface RowOutcome {
  readonly outcome: Outcome;
  /** Why it was not decided, or what would unlock it. */
  readonly reason: Reason | undefined;
}

/** A violation that counts, and what runs its case again where it was generated. */
export interface Violation extends Confirmed {
  readonly replay?: Replay;
}

/** What runs one generated case again. */
interface Replay {
  readonly seed: number;
  /** `valid-names:0:17:3:1`: the property, the block of cases, and fast-check's path in it. */
  readonly path: string;
  /** Whether the seed drew the case; a case of the walk is sent in every run. */
  readonly isDrawn: boolean;
}

/** What became of a check. */
export interface Judgement {
  readonly check: Check;
  readonly outcome: Outcome;
  readonly reason: Reason | undefined;
  readonly rows: ReadonlyMap<RequirementId, RowOutcome>;
  /** Confirmed violations of the check's own requirements. */
  readonly failures: readonly Violation[];
  /** Confirmed violations that the passive rules saw in its exchanges. */
  readonly passiveFailures: readonly Violation[];
  /** Passive requirements that something was seen against, but not confirmed. */
  readonly passiveUnsettled: ReadonlyMap<RequirementId, Reason>;
  /** Every attempt that did not hold, where the check failed or was left undecided. */
  readonly attempts: readonly ReportedAttempt[];
  readonly cases: number;
  /** How many generated cases of each class were sent. */
  readonly classes?: Readonly<Record<string, number>>;
  readonly requests: number;
  readonly durationMs: number;
  /** Milliseconds from the start of the run. */
  readonly startedMs?: number;
}

/** A judgement that decided nothing, and why. */
export function undecided(check: Check, outcome: 'skipped' | 'inconclusive', reason: Reason): Judgement {
  // Of what it would show on another target only, a check that was skipped does not speak.
  const isPartial = outcome === 'skipped' && check.kind === 'listed' && check.shows !== undefined;
  const rows = isPartial ? [check.requirement] : check.decides;
  return {
    check,
    outcome,
    reason,
    rows: new Map(rows.map((id) => [id, { outcome, reason }])),
    failures: [],
    passiveFailures: [],
    passiveUnsettled: new Map(),
    attempts: [],
    cases: 0,
    requests: 0,
    durationMs: 0,
  };
}

/** The row that tells most, if there is one: a check that was partly skipped and otherwise held has passed. */
export function worst<Row extends Pick<RowOutcome, 'outcome'>>(rows: Iterable<Row>): Row | undefined {
  const order: readonly Outcome[] = ['fail', 'inconclusive', 'pass', 'skipped'];
  const all = [...rows];
  return order.flatMap((outcome) => all.find((row) => row.outcome === outcome) ?? [])[0];
}

/** Throws where a check decided something that it does not say it decides: selecting by id would miss it. */
export function assertDeclared(check: Check, held: Iterable<RequirementId>): void {
  const undeclared = [...held].filter((id) => !check.decides.includes(id));
  if (undeclared.length > 0) throw new Error(`it decides ${undeclared.join(', ')} without saying so`);
}
