import type { RequirementId } from '../spec/ledger.js';
import type { Reason } from '../spec/reasons.js';
import type { ReportedExchange } from '../spec/report.js';
import type { Situation } from '../spec/situation.js';
import type { ControlContradiction } from '../targets/control-client.js';
import type { Exchange } from '../targets/exchange.js';
import type { LimitRefusal, RequestIdentity } from './rate-limits.js';

/** What a request is in every run. */
export interface PlainLabels {
  /** The label with a kind of name in place of a name. */
  readonly plain: string;
  /** The same without query and body, the own intern in place of the sibling: what matters least left out. */
  readonly bare: string;
}

/** Something that a requirement does not allow, seen once and not yet confirmed. */
export interface Finding {
  /** What it is about: the requirement, with operation and status where a passive rule saw it. */
  readonly subject: string;
  /** Says when two attempts saw the same thing: the subject, and at which request of the attempt. */
  readonly key: string;
  readonly requirement: RequirementId;
  /** No disturbance can make it: it counts at once, beside a positive control that held. */
  readonly conclusive: boolean;
  readonly message: string;
  readonly expected: string;
  readonly actual: string;
  /** The beginning of the value that it is about, as JSON, every secret replaced; evidence shows it behind what is actual. */
  readonly got?: string;
  readonly counterexample: Readonly<Record<string, unknown>>;
  /** The exchange that shows it. */
  readonly exchange: Exchange;
  /** The request without what differs from run to run, and without what matters least too; absent where a passive rule saw it, which asks for none. */
  readonly request?: PlainLabels;
  /** What is wrong with the answer, where its status does not say it. */
  readonly aspect?: string;
  /** The answer is one that a service in trouble or a rate limit gives too, where another was due. */
  readonly trouble?: Trouble;
}

/** A request that got a 408, 429 or 5xx, or no answer, where another answer was due. */
export interface Trouble {
  readonly kind: RequestIdentity;
  /** Its place among the requests of the attempt. */
  readonly ordinal: number;
}

/** The situation of a finding, and the same had the request neither query nor body and been for the own intern. */
export interface FoundSituation {
  readonly exact: Situation;
  /** A drawn case may differ from one that is always sent in what this leaves out. */
  readonly bare: Situation;
}

/** A finding with the exchanges around it, every secret replaced by its name. */
export interface Evidence extends Omit<Finding, 'exchange' | 'request' | 'aspect' | 'got'> {
  readonly situation: FoundSituation;
  readonly exchanges: readonly ReportedExchange[];
  readonly curl: string;
}

/** A finding that was confirmed, and what runs its case again where it was generated. */
export interface Violation extends Evidence {
  /** How many of the repetitions showed it: `3/3`. */
  readonly confirmed: string;
  readonly replay?: Replay;
}

/** What runs one generated case again. */
export interface Replay {
  readonly seed: number;
  /** `valid-names:0:17:3:1`: the property, the block of cases, and fast-check's path in it. */
  readonly path: string;
  /** Whether the seed drew the case; a case of the walk, and like it some rows of an array, is sent in every run. */
  readonly isDrawn: boolean;
}

/** Why an attempt counts for nothing: the control protocol claimed something that it had not arranged. */
interface Contradiction extends Reason {
  readonly about: ControlContradiction['about'];
}

/** Whether a reason is that no fault was set although the control protocol claimed so. */
export function isContradictedFault(reason: Reason): boolean {
  return 'about' in reason && reason.about === 'faults';
}

/** What one attempt of a check came to. */
export interface Attempt {
  readonly findings: readonly Evidence[];
  readonly passed: ReadonlySet<RequirementId>;
  /** Why it could not be made as intended; it then neither held nor violated anything by itself. */
  readonly disturbed: string | undefined;
  /** The end of the run cut it short: what disturbed it is no fault of the target. */
  readonly isCutShort?: boolean;
  /** What the control protocol said it had arranged and had not, where that is what disturbed it. */
  readonly contradicted?: Contradiction;
  /** The last exchanges where it was disturbed: what an undecided check is judged by afterwards. */
  readonly exchanges: readonly ReportedExchange[];
  /** Why what it is after cannot be seen on this target. */
  readonly notShown: Reason | undefined;
  readonly cases: number;
  readonly requests: number;
  /** How many of them went to the vault. */
  readonly vaultRequests: number;
  /** Whether some of them were inference requests. */
  readonly isInference: boolean;
  /** Milliseconds that an answer asked to wait. */
  readonly retryAfterMs: number;
  /** The last request that was refused with 429 or 503 where another answer was due. */
  readonly refusal?: LimitRefusal | undefined;
}

/** Whether a rate limit gives such an answer. */
export function isLimitStatus(status: number | undefined): boolean {
  return status === 429 || status === 503;
}

/** Whether a finding is about an answer that a rate limit gives. */
export function isRefusal({ exchanges }: Evidence): boolean {
  return isLimitStatus(exchanges.at(-1)?.response?.status);
}

/** Ends an attempt after a finding: what would follow proves nothing. Caught by the engine, shown to nobody. */
export class AttemptEnded extends Error {
  override readonly name = 'Stopped';
}

/** The attempt could not be made as intended: a positive control failed, or an answer did not come. */
export class Disturbed extends Error {
  override readonly name = 'Disturbed';
}
