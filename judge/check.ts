import { type RequirementId, type RequirementRow, requirement } from '../spec/ledger.js';
import type { Need } from '../spec/need.js';
import type { Reason } from '../spec/reasons.js';
import type { Outcome, ReportedAttempt, ReportedCoverage } from '../spec/report.js';
import type { Operation } from '../spec/vocabulary.js';
import type { CheckContext } from './api.js';
import type { RunContext } from './attempt.js';
import { isContradictedFault, type Violation } from './finding.js';
import type { Plan } from './plan.js';
import type { PositiveControls } from './positive-controls.js';

/** What a check may leave changed in its world. */
type Alteration = 'settings' | 'free-usage' | 'names';

/** What a check may say of itself beyond its requirement. */
export interface CheckOptions {
  /** Other requirements that the check decides on its way. */
  readonly also?: readonly RequirementId[];
  /**
   * Which of its requirements it decides on a target that offers only some things, where that is less than all of them;
   * of the others it says nothing.
   */
  readonly decidesWhen?: (offers: (need: Need) => boolean) => readonly RequirementId[];
  /** What it needs beyond what its requirement needs. */
  readonly needs?: readonly Need[];
  /** It decides what it can of its requirements, as `decidesWhen` says: it does without what its own requirement needs. */
  readonly decidesAny?: true;
  /** The operation whose plain success must hold beside it. */
  readonly control: Operation;
  /** Its own subject is that plain success, so that another operation's must stand beside it. */
  readonly isControl?: boolean;
  /**
   * What it leaves changed in its world: settings, so that no other check may use the world after it; free usage alone,
   * which every check of free usage sets anew; or secrets whose names are not fresh ones, which another may store too.
   */
  readonly sideEffects?: Alteration;
  /** Vault requests that it sends at the most, where that is more than the usual check does. */
  readonly vaultRequests?: number;
  /**
   * Nothing else is in flight while it is judged: a server that keeps the last of something answers wrongly only where
   * one request follows another directly.
   */
  readonly serial?: true;
}

/** The id of a check: its requirement's, and a word for the case where a requirement has several checks. */
export type CheckId = RequirementId | `${RequirementId}/${string}`;

/** What is known of every check: listed one by one, or generated. */
interface CheckFacts {
  readonly id: CheckId;
  /** The requirement it is there for. */
  readonly requirement: RequirementId;
  /** Every requirement that it may decide, its own first. */
  readonly decides: readonly RequirementId[];
  readonly title: string;
  readonly needs: readonly Need[];
  readonly control: Operation;
  readonly isControl: boolean;
}

/** A check that is written out: arranges, asks and asserts; throws where it cannot go on. */
export interface WrittenCheck extends CheckFacts {
  readonly kind: 'written';
  readonly sideEffects: Alteration | undefined;
  readonly decidesWhen: CheckOptions['decidesWhen'];
  readonly vaultRequests: number | undefined;
  readonly serial: boolean;
  readonly run: (context: CheckContext) => Promise<void>;
}

/** A check of a property, over as many cases as the plan says. */
export interface GeneratedCheck extends CheckFacts {
  readonly kind: 'generated';
  /** The property's name in paths. */
  readonly property: string;
  /** It judges what all others left, so that it follows them, in every shard. */
  readonly isLast?: true;
  /** About how many requests it sends: enough to divide a run by, and nothing is decided by it. */
  readonly requestsAbout: (plan: Pick<Plan, 'depth' | 'cases'>) => number;
  /** @param concurrency cases at once */
  readonly judge: (
    context: RunContext,
    controls: PositiveControls,
    plan: Plan,
    concurrency: number,
  ) => Promise<Judgement>;
}

/** Code that decides requirements. */
export type Check = WrittenCheck | GeneratedCheck;

/** Defines a check. Its title, level and section come from the ledger, so that they cannot drift from it. */
export function check(id: CheckId, options: CheckOptions, run: WrittenCheck['run']): WrittenCheck {
  const [row, word] = parseCheckId(id);
  return {
    kind: 'written',
    id,
    requirement: row.id,
    decides: [row.id, ...(options.also ?? [])],
    title: word === undefined ? row.statement : `${row.statement} (${word})`,
    needs: [
      ...new Set([...(options.decidesAny === true ? [] : (row.needs ?? [])), ...(options.needs ?? [])]),
    ],
    control: options.control,
    isControl: options.isControl ?? false,
    sideEffects: options.sideEffects,
    decidesWhen: options.decidesWhen,
    vaultRequests: options.vaultRequests,
    serial: options.serial ?? false,
    run,
  };
}

function parseCheckId(id: CheckId): readonly [RequirementRow, string | undefined] {
  const slash = id.indexOf('/');
  const rowId = slash < 0 ? id : id.slice(0, slash);
  return [
    requirement(rowId as RequirementId),
    slash < 0 ? undefined : id.slice(slash + 1).replaceAll('-', ' '),
  ];
}

/** What a check says of one requirement. */
export interface RowOutcome {
  readonly outcome: Outcome;
  /** Why it was not decided, or what would unlock it. */
  readonly reason: Reason | undefined;
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
  readonly passiveInconclusive: ReadonlyMap<RequirementId, Reason>;
  /** Every attempt that did not hold, where the check failed or was left undecided. */
  readonly attempts: readonly ReportedAttempt[];
  readonly cases: number;
  /** How many generated cases of each class were sent. */
  readonly classes?: Readonly<Record<string, number>>;
  /** Of a covering array: how many combinations of so many values were judged, of those that are possible on this target. */
  readonly coverage?: ReportedCoverage;
  readonly requests: number;
  readonly durationMs: number;
  /** Milliseconds from the start of the run. */
  readonly startedMs?: number;
}

/** A judgement that decided nothing, and why. */
export function makeJudgement(check: Check, outcome: 'skipped' | 'inconclusive', reason: Reason): Judgement {
  // Of what it would show on another target only, a check that was skipped does not speak.
  const isPartial = outcome === 'skipped' && check.kind === 'written' && check.decidesWhen !== undefined;
  const rows = isPartial ? [check.requirement] : check.decides;
  return {
    check,
    outcome,
    reason,
    rows: new Map(rows.map((id) => [id, { outcome, reason }])),
    failures: [],
    passiveFailures: [],
    passiveInconclusive: new Map(),
    attempts: [],
    cases: 0,
    requests: 0,
    durationMs: 0,
  };
}

/** What a check says of a row that trouble kept it from deciding. That no fault was set says nothing of rows without one. */
export function makeTroubleOutcome(id: RequirementId, trouble: Reason): RowOutcome {
  const isElsewhere = isContradictedFault(trouble) && !needsFault(id);
  return { outcome: isElsewhere ? 'skipped' : 'inconclusive', reason: trouble };
}

function needsFault(id: RequirementId): boolean {
  return requirement(id).needs?.some((need) => need.startsWith('fault:')) === true;
}

/** The row that tells most, if there is one: a check that was partly skipped and otherwise held has passed. */
export function findWorst<Row extends Pick<RowOutcome, 'outcome'>>(rows: Iterable<Row>): Row | undefined {
  const order: readonly Outcome[] = ['fail', 'inconclusive', 'pass', 'skipped'];
  const all = [...rows];
  return order.flatMap((outcome) => all.find((row) => row.outcome === outcome) ?? [])[0];
}

/** Throws where a check decided something that it does not say it decides: selecting by id would miss it. */
export function assertDeclared(check: Check, held: Iterable<RequirementId>): void {
  const undeclared = [...held].filter((id) => !check.decides.includes(id));
  if (undeclared.length > 0) throw new Error(`it decides ${undeclared.join(', ')} without saying so`);
}
