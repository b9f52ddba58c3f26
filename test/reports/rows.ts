import type { RequirementId } from '../../spec/ledger.js';
import type { Report, Status } from '../../spec/report.js';

/** The ids of a report's requirements that have a status. */
export function idsWith({ requirements }: Report, status: Status): readonly RequirementId[] {
  return requirements.filter((row) => row.status === status).map(({ id }) => id);
}
