import type { RequirementId } from '../../spec/ledger.js';

/** A known violation that is let through for a time. */
export interface Waiver {
  readonly id: RequirementId;
  /** What tells the violation from others of the requirement: the code that a report gives its situation. */
  readonly case?: string;
  /** The same in the words of the report: what decides where there is no case. */
  readonly situation?: string;
  readonly reason: string;
  readonly owner: string;
  /** The last day on which it is good: `2030-01-31`, in UTC. */
  readonly expires: string;
  /** Where it stands: the file as it was named, and the line. */
  readonly at: string;
}
