import type { RequirementId } from '../spec/ledger.js';
import type { Reason } from '../spec/reasons.js';
import type { Mismatch, ReportedExchange, ReportedOrigin } from '../spec/report.js';
import type { ViolationIdentity } from '../spec/situation.js';
import type { Operation } from '../spec/vocabulary.js';
import type { ControlContradiction } from '../targets/control-client.js';
import type { Claim } from '../targets/diagnosis/diagnose.js';
import type { Exchange } from '../targets/exchange.js';
import type { LimitRefusal, RequestIdentity } from './rate-limits.js';

/** Labels of a request that are the same in every run. */
export interface PlainLabels {
  /** The label with a kind of name in place of a name. */
  readonly plain: string;
  /** The same without query and body, and with the own intern in place of the sibling. */
  readonly bare: string;
}

/** A failed assertion of one attempt, not yet confirmed. */
export interface Finding {
  /** Groups findings: the requirement, with operation and status where a passive rule saw it. */
  readonly subject: string;
  /** Equal where two attempts saw the same: the subject, and the place of the request. */
  readonly key: string;
  readonly requirement: RequirementId;
  /** Whether no disturbance can cause it, so that it counts at once if the positive control passes. */
  readonly conclusive: boolean;
  readonly message: string;
  readonly expected: string;
  readonly actual: string;
  readonly mismatch: Mismatch;
  /** The beginning of the value that it is about, as redacted JSON; shown after `actual`. */
  readonly got?: string;
  readonly counterexample: Readonly<Record<string, unknown>>;
  readonly exchange: Exchange;
  /** The labels of the request; absent where a passive rule saw it in any response. */
  readonly request?: PlainLabels;
  /** What is wrong with the answer, where its status does not say so. */
  readonly aspect?: string;
  /** Set where a service in trouble or a rate limit gives the same answer. */
  readonly trouble?: Trouble | undefined;
  /** Set where an answer is wrong only by what was arranged. */
  readonly arrangement?: Arrangement;
  /** Profile entries that the request relies on. */
  readonly claims?: readonly Claim[];
}

/** What was arranged for a request. */
export interface Arrangement {
  readonly basis: 'fault' | 'role' | 'delete' | 'name' | 'value' | 'limit';
  readonly operation: Operation;
  readonly ordinal: number;
}

/** The arrangements that a target applies alike, early or late. */
export type ArrangementKind = `${Arrangement['basis']} ${Operation}`;

export function kindOf({ basis, operation }: Arrangement): ArrangementKind {
  return `${basis} ${operation}`;
}

/** An unexpected 408, 429 or 5xx, or no answer. */
export interface Trouble {
  readonly identity: RequestIdentity;
  readonly ordinal: number;
  /** Whether other requests of the case were in flight. */
  readonly isParallel: boolean;
}

/** The situation of a finding, exact and without what matters least in the request. */
export interface FoundSituation {
  readonly exact: ViolationIdentity;
  /** Leaves out what a drawn case may have beyond a case of every run. */
  readonly bare: ViolationIdentity;
}

/** A redacted finding with the exchanges around it. */
export interface Evidence extends Omit<Finding, 'exchange' | 'request' | 'aspect' | 'got'> {
  readonly situation: FoundSituation;
  /** What probably answered in place of the service. */
  readonly answeredBy?: string;
  readonly exchanges: readonly ReportedExchange[];
  readonly curl: string;
  /** Those of the attempt that found it; absent where no attempt did. */
  readonly freshNames?: Attempt['freshNames'];
}

/** A confirmed finding, and what replays its case where it was generated. */
export interface Violation extends Evidence {
  /** The repetitions that showed it: `3/3`. */
  readonly confirmed: string;
  readonly replay?: Replay;
  /** The check that made it, where it is reported with another one. */
  readonly origin?: ReportedOrigin;
}

/** Replays one generated case. */
export interface Replay {
  readonly seed: number;
  /** `valid-names:0:17:3:1`: the property, the block of cases, and fast-check's path in it. */
  readonly path: string;
  /** Whether the seed drew the case; every run sends a case of the walk, and some rows of an array. */
  readonly isDrawn: boolean;
}

/** The result of one attempt. */
export interface Attempt {
  readonly findings: readonly Evidence[];
  readonly passed: ReadonlySet<RequirementId>;
  /** Why it could not be made as intended; it then neither passed nor failed anything by itself. */
  readonly disturbed?: string | undefined;
  /** Set where something in front of the service answered in its place; a few repetitions show whether it always does. */
  readonly foreign?: ForeignAnswer | undefined;
  /** Whether the end of the run cut it short, which is not the target's fault. */
  readonly isCutShort?: boolean;
  /** What the control protocol claimed and had not arranged, where that disturbed it. */
  readonly contradicted?: Reason & Pick<ControlContradiction, 'about'>;
  /** The last exchanges where it was disturbed, to explain an inconclusive check. */
  readonly exchanges: readonly ReportedExchange[];
  /** Why the target cannot show what it is about. */
  readonly notShown?: Reason | undefined;
  /** Why an answer decided nothing: something in front of the service gave it. */
  readonly intercepted?: Reason | undefined;
  /** The secret names that it made up, in order, for each world that it leased. */
  readonly freshNames: readonly (readonly string[])[];
  readonly cases: number;
  readonly requests: number;
  readonly vaultRequests: number;
  readonly isInference: boolean;
  readonly retryAfterMs: number;
  readonly refusal?: LimitRefusal | undefined;
}

/** An answer by something in front of the service, though the service is not in trouble. */
export interface ForeignAnswer {
  /** The requirement that the request was sent to decide, if there is one. */
  readonly inPlaceOf: RequirementId | undefined;
}

/** Whether a rate limit gives such an answer. */
export function isLimitStatus(status: number | undefined): boolean {
  return status === 429 || status === 503;
}

/** Returns the status of the last answer of a finding or an attempt; undefined where the last request got none. */
export function readLastStatus({ exchanges }: Pick<Attempt, 'exchanges'>): number | undefined {
  return exchanges.at(-1)?.response?.status;
}

/** Whether a finding is about an answer that a rate limit gives. */
export function isRefusal(finding: Evidence): boolean {
  return isLimitStatus(readLastStatus(finding));
}

/** Whether it rests on an answer of the service itself, which neither a rate limit nor a lost connection explains. */
export function mayDependOnWorld(finding: Evidence): boolean {
  return readLastStatus(finding) !== undefined && !isRefusal(finding) && finding.answeredBy === undefined;
}

/** Ends an attempt after a finding, since what follows proves nothing. The engine catches it. */
export class AttemptEnded extends Error {
  override readonly name = 'AttemptEnded';
}

/** The attempt could not be made as intended: a positive control failed, or there was no answer. */
export class Disturbed extends Error {
  override readonly name = 'Disturbed';

  constructor(
    message: string,
    readonly foreign?: ForeignAnswer,
  ) {
    super(message);
  }
}
