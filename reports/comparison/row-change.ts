import type { Change } from '../../spec/comparison.js';
import { isLeftOut, type ReportedRequirement, type Status } from '../../spec/report.js';

/** A requirement as one of the reports has it; undefined where that one does not know it. */
export type Side = ReportedRequirement | undefined;

/** What became of a requirement between two reports. That a violation is a further one shows only in its evidence. */
export function changeOf(before: Side, after: Side): Change {
  if (after === undefined) return 'only-in-old';
  // First of all, since nothing about the old run makes a violation less of one.
  if (after.status === 'fail') return before?.status === 'fail' ? 'still-violated' : 'newly-violated';
  if (before === undefined) return 'only-in-new';
  if (isLeftOut(before) || isLeftOut(after)) return 'not-comparable';
  return before.status === after.status ? 'unchanged' : moved(before.status, after.status);
}

function moved(before: Status, after: Status): Change {
  if (after === 'pass') return before === 'fail' ? 'newly-held' : 'gained-coverage';
  if (!isJudged(before)) return 'still-unproven';
  return after === 'inconclusive' ? 'undecided' : 'lost-coverage';
}

/** Whether a run could say if a requirement holds. */
function isJudged(status: Status): boolean {
  return status === 'pass' || status === 'fail';
}
