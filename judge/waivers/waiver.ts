import type { RequirementId } from '../../spec/ledger.js';
import type { ReportedWaiver } from '../../spec/report.js';

/** A known violation that is let through for a time. */
export interface Waiver extends ReportedWaiver {
  readonly id: RequirementId;
  readonly reason: string;
  readonly owner: string;
  /** The last day on which it is good: `2030-01-31`, in UTC. */
  readonly expires: string;
}
