import type { RequirementId } from '../spec/ledger.js';
import type { ReportedExchange } from '../spec/report.js';
import type { Exchange } from '../targets/exchange.js';
import type { PlainLabels } from './call.js';
import type { FoundSituation } from './situation.js';

/** Something that a requirement does not allow, seen once and not yet confirmed. */
export interface Finding {
  /** What it is about: the requirement, with operation and status where a passive rule saw it. */
  readonly subject: string;
  /** Says when two attempts saw the same thing: the subject, and at which request of the attempt. */
  readonly key: string;
  readonly requirement: RequirementId;
  /** No disturbance can make it: it counts at once, beside a positive control that held. */
  readonly atOnce: boolean;
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
}

/** A finding with the exchanges around it, every secret replaced by its name. */
export interface Evidence extends Omit<Finding, 'exchange' | 'request' | 'aspect' | 'got'> {
  readonly situation: FoundSituation;
  /** Whether the attempt took part of a list only, so that another seed may ask otherwise. */
  readonly sampled: boolean;
  readonly exchanges: readonly ReportedExchange[];
  readonly curl: string;
}

/** Ends an attempt after a finding: what would follow proves nothing. Caught by the engine, shown to nobody. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}

/** The attempt could not be made as intended: a positive control failed, or an answer did not come. */
export class Disturbed extends Error {
  override readonly name = 'Disturbed';
}
