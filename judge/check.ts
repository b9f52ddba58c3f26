import { areaOf, operationOfArea, type RequirementId, requirement } from '../spec/ledger.js';
import type { Need } from '../spec/need.js';
import type { Reason } from '../spec/reasons.js';
import type { Outcome, ReportedAttempt, ReportedCoverage } from '../spec/report.js';
import type { Operation } from '../spec/vocabulary.js';
import type { CheckContext } from './api.js';
import type { AttemptSpec, RunContext } from './attempt.js';
import type { Violation } from './finding.js';
import type { Plan, Shard } from './plan.js';
import type { ControlledCheck, PositiveControls } from './positive-controls.js';
import type { Pool } from './world-pool.js';

/** What defines a check, apart from its requirement. */
export interface CheckOptions extends Pick<ControlledCheck, 'isControl'> {
  /** What it does, where the statement of its requirement says too little. */
  readonly title?: string;
  /** Requirements that it may decide besides its own. */
  readonly alsoDecides?: readonly RequirementId[];
  /** Returns which of its requirements it decides on a target that offers only some things; all where absent. */
  readonly decidableOn?: (offers: (need: Need) => boolean) => readonly RequirementId[];
  /** Needs beyond those of its requirement. */
  readonly needs?: readonly Need[];
  /** Whether to run it even without what its own requirement needs: it then decides what `decidableOn` says. */
  readonly runsWithoutOwnNeeds?: true;
  /** The operation whose plain success is its positive control; that of its area where absent. */
  readonly control?: Operation;
  /**
   * What it leaves changed in its world: settings, so that no other check may use the world afterwards; free usage, which
   * every check of free usage sets anew; or secrets with chosen names, which another check may store too.
   */
  readonly sideEffects?: Extract<Pool, 'settings' | 'free-usage' | 'names'>;
  /** The most vault requests that it sends, where that is more than usual. */
  readonly vaultRequests?: number;
  /** Whether nothing else may be in flight: some servers remember their last request and nothing before it. */
  readonly serial?: true;
}

/** The id of a check: its requirement's, and a word for the case where a requirement has several checks. */
export type CheckId = RequirementId | `${RequirementId}/${string}`;

interface CheckFacts
  extends ControlledCheck,
    Pick<CheckOptions, 'decidableOn' | 'sideEffects' | 'vaultRequests' | 'serial'> {
  readonly id: CheckId;
  readonly requirement: RequirementId;
  /** Every requirement that it may decide, starting with its own. */
  readonly decides: readonly RequirementId[];
  readonly title: string;
  /** The name in paths of the property whose cases it sends. */
  readonly property?: string;
}

/** A check that is written out: arranges, sends and asserts; throws where it cannot continue. */
export interface WrittenCheck extends CheckFacts {
  readonly kind: 'written';
  readonly run: (context: CheckContext) => Promise<unknown>;
}

/** A check over generated cases, as many as the plan says. */
export interface GeneratedCheck extends CheckFacts {
  readonly kind: 'generated';
  readonly property: string;
  readonly estimateOwnRequests: (plan: Pick<Plan, 'depth' | 'cases'>) => number;
  /** Makes the attempt of the one case that the plan replays; undefined where there is no such case. */
  readonly makeSpec: (plan: Plan, offers: (need: Need) => boolean) => AttemptSpec | undefined;
  readonly judge: (means: JudgingContext) => Promise<Judgement>;
}

/** A check of what all others left; every shard judges it last. It is sent no cases of its own. */
export interface FinalCheck extends CheckFacts {
  readonly kind: 'final';
  readonly judge: GeneratedCheck['judge'];
}

/** What checks are judged with. */
export interface JudgingContext {
  readonly context: RunContext;
  readonly controls: PositiveControls;
  readonly plan: Plan;
  /** Which of its cases to send, where several shards divide them. */
  readonly shard: Shard;
  readonly concurrency: number;
  /** The selected requirements that the run has found violated so far. */
  readonly violated: ReadonlySet<RequirementId>;
}

export type Check = WrittenCheck | GeneratedCheck | FinalCheck;

type Run = WrittenCheck['run'];

/** Defines a check that is written out. Its level and section come from the ledger, and its title unless it has one. */
export function check(id: CheckId, ...definition: [Run] | [CheckOptions, Run]): WrittenCheck {
  const [given, run]: readonly [CheckOptions, Run] =
    definition.length === 1 ? [{}, definition[0]] : definition;
  const {
    alsoDecides = [],
    needs = [],
    runsWithoutOwnNeeds,
    control = operationOfArea[areaOf(id)] ?? 'key-info',
    title,
    ...options
  } = given;
  const [rowId = '', ...words] = id.split('/');
  const row = requirement(rowId as RequirementId);
  const word = words.join('/').replaceAll('-', ' ');
  return {
    ...options,
    kind: 'written',
    id,
    requirement: row.id,
    decides: [row.id, ...alsoDecides],
    title: `${title ?? row.statement}${word === '' ? '' : ` (${word})`}`,
    needs: [...new Set([...(runsWithoutOwnNeeds === true ? [] : (row.needs ?? [])), ...needs])],
    control,
    run,
  };
}

/** What a check says of one requirement. */
export interface RowOutcome {
  readonly outcome: Outcome;
  /** Why it was not decided, or what the target lacks for it. */
  readonly reason?: Reason | undefined;
}

/** What became of a check. */
export interface Judgement extends RowOutcome {
  readonly check: Check;
  readonly rows: ReadonlyMap<RequirementId, RowOutcome>;
  readonly failures: readonly Violation[];
  /** Confirmed violations of passive rules in its exchanges. */
  readonly passiveFailures: readonly Violation[];
  /** Passive requirements with findings that were not confirmed. */
  readonly passiveInconclusive: ReadonlyMap<RequirementId, Reason>;
  /** Every attempt that did not pass, where the check failed or is inconclusive. */
  readonly attempts: readonly ReportedAttempt[];
  readonly cases: number;
  readonly classes?: Readonly<Record<string, number>>;
  /** How many of the possible combinations of values were judged, where the cases are a covering array. */
  readonly coverage?: ReportedCoverage;
  readonly requests: number;
  /** Milliseconds that it took, and from the start of the run to its own. */
  readonly durationMs?: number;
  readonly startedMs?: number;
}

interface Conclusion
  extends Partial<Pick<Judgement, 'attempts' | 'cases' | 'classes' | 'coverage' | 'requests'>> {
  readonly violations?: readonly Violation[];
  /** Requirements with findings that are neither confirmed nor refuted. */
  readonly inconclusive?: ReadonlyMap<RequirementId, Reason>;
  /** Decides a row without a violation; undefined where the check says nothing of it. */
  readonly decide: (id: RequirementId) => RowOutcome | undefined;
}

/** Makes the judgement of a check: of its own rows, and of what the rules for every response saw meanwhile. */
export function conclude(
  check: Check,
  { violations = [], inconclusive = new Map(), decide, ...counts }: Conclusion,
): Judgement {
  const isOwn = (id: RequirementId) => check.decides.includes(id);
  const violated = new Set(violations.map((violation) => violation.requirement));
  const rows = new Map<RequirementId, RowOutcome>();
  for (const id of check.decides) {
    const row = violated.has(id) ? ({ outcome: 'fail' } as const) : decide(id);
    if (row !== undefined) rows.set(id, row);
  }
  return {
    check,
    ...(findWorst(rows.values()) ?? { outcome: 'skipped' }),
    rows,
    failures: violations.filter((violation) => isOwn(violation.requirement)),
    passiveFailures: violations.filter((violation) => !isOwn(violation.requirement)),
    passiveInconclusive: new Map([...inconclusive].filter(([id]) => !isOwn(id))),
    attempts: [],
    cases: 0,
    requests: 0,
    ...counts,
  };
}

/** Makes a judgement that decides nothing, for a reason. */
export function makeJudgement(check: Check, outcome: 'skipped' | 'inconclusive', reason: Reason): Judgement {
  // A skipped check says nothing of what it would decide on another target only.
  const isPartial = outcome === 'skipped' && check.decidableOn !== undefined;
  const decide = (id: RequirementId) =>
    isPartial && id !== check.requirement ? undefined : { outcome, reason };
  return conclude(check, { decide });
}

/** Makes the outcome of a row that could not be decided. A missing fault says nothing about rows that need none. */
export function makeHinderedOutcome(id: RequirementId, reason: Reason): RowOutcome {
  const needsFault = requirement(id).needs?.some((need) => need.startsWith('fault:')) === true;
  const isContradicted = 'about' in reason && reason.about === 'faults';
  return { outcome: isContradicted && !needsFault ? 'skipped' : 'inconclusive', reason };
}

/** Finds the row that decides the outcome of a check: one that was partly skipped and otherwise passed has passed. */
export function findWorst<Row extends Pick<RowOutcome, 'outcome'>>(rows: Iterable<Row>): Row | undefined {
  const order: readonly Outcome[] = ['fail', 'inconclusive', 'pass', 'skipped'];
  const all = [...rows];
  return order.flatMap((outcome) => all.find((row) => row.outcome === outcome) ?? [])[0];
}

/** Throws where a check decides what it does not declare: selecting by id would miss it. */
export function assertDeclared(check: Check, passed: Iterable<RequirementId>): void {
  const undeclared = [...new Set(passed)].filter((id) => !check.decides.includes(id));
  if (undeclared.length > 0)
    throw new Error(`it passes ${undeclared.join(', ')}, which alsoDecides does not name`);
}
