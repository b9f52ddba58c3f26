import { Selection, type SelectionPatterns } from '../judge/plan.js';
import { UnusablePattern } from '../spec/id-patterns.js';
import { UsageError } from '../spec/thrown.js';

/** The requirements that `--only` and `--skip` leave. Throws UsageError where a pattern matches none, or none is left. */
export function selected(patterns: SelectionPatterns): Selection {
  const selection = selectionOf(patterns);
  const [unmatched] = selection.unmatched;
  if (unmatched !== undefined) {
    throw new UsageError(`No requirement matches "${unmatched}". "plumbline requirements" lists their ids.`);
  }
  if (selection.isEmpty)
    throw new UsageError('--only and --skip leave no requirement. Take back one of them.');
  return selection;
}

/** Throws UsageError for a pattern that nobody can try. */
function selectionOf(patterns: SelectionPatterns): Selection {
  try {
    return new Selection(patterns);
  } catch (error) {
    throw error instanceof UnusablePattern ? new UsageError(error.message) : error;
  }
}
