import { Selection, type SelectionPatterns } from '../judge/selection.js';
import { UsageError } from './usage-error.js';

/** The requirements that `--only` and `--skip` leave. Throws UsageError where a pattern matches none, or none is left. */
export function selected(patterns: SelectionPatterns): Selection {
  const selection = new Selection(patterns);
  const [unmatched] = selection.unmatched;
  if (unmatched !== undefined) {
    throw new UsageError(`No requirement matches "${unmatched}". "plumbline requirements" lists their ids.`);
  }
  if (selection.isEmpty)
    throw new UsageError('--only and --skip leave no requirement. Take back one of them.');
  return selection;
}
