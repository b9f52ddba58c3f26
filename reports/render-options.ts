import type { RequirementId } from '../spec/ledger.js';
import type { ResultLocation } from './result-location.js';

/** A check that runs may have. */
export interface KnownTest {
  readonly id: string;
  /** The one that it is named after. */
  readonly requirement: RequirementId;
  readonly requirements: readonly RequirementId[];
}

/** What a format is rendered with beside the record of the run. */
export interface RenderOptions {
  /** Every test that a run may have, so that tests keep their names from run to run. */
  readonly tests?: readonly KnownTest[];
  /** The file of the user's repository into which findings are put. */
  readonly location?: ResultLocation | undefined;
  /** The folder of the report, for commands to type next. */
  readonly directory?: string | undefined;
}
