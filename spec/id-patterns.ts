import { runInNewContext } from 'node:vm';
import picomatch from 'picomatch';
import { UsageError } from './thrown.js';

/** A pattern over IDs that cannot be used. */
export class UnusablePattern extends UsageError {
  override readonly name = 'UnusablePattern';

  constructor(
    readonly pattern: string,
    /** In words that follow the pattern. */
    readonly why: string,
  ) {
    super(`The pattern "${pattern.length > 60 ? `${pattern.slice(0, 59)}…` : pattern}" ${why}.`);
  }
}

// Enough for thousands of ordinary patterns.
const allMs = 1_000;

/**
 * Finds the ids that each pattern matches, by the pattern. A pattern becomes a regular expression, which may take forever:
 * all of them together get a second. Throws UnusablePattern.
 */
export function matchIds<Id extends string>(
  patterns: readonly string[],
  ids: readonly Id[],
): ReadonlyMap<string, readonly Id[]> {
  const found = new Map<string, readonly Id[]>();
  let tried = '';
  const match = (): void => {
    for (const pattern of new Set(patterns)) {
      tried = pattern;
      const matches = matcherOf(pattern);
      const matching = ids.filter((id) => matches(id));
      found.set(pattern, matching);
    }
  };
  // Most patterns are plain IDs or prefixes, which cannot take long.
  if (patterns.every((pattern) => plain.test(pattern))) match();
  else inTime(match, () => new UnusablePattern(tried, 'takes too long to match; use fewer wildcards'));
  return found;
}

const plain = /^[\w.-]+(?:\*[\w.-]*)?$/;

function matcherOf(pattern: string): (id: string) => boolean {
  try {
    return picomatch(pattern);
  } catch {
    throw new UnusablePattern(
      pattern,
      pattern === '' ? 'is empty; remove it' : 'is far too long; write a shorter one',
    );
  }
}

/** Runs work with a time limit. Only a separate context can be stopped in the middle of a regular expression. */
function inTime(work: () => void, late: () => Error): void {
  try {
    runInNewContext('work()', { work }, { timeout: allMs });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === 'ERR_SCRIPT_EXECUTION_TIMEOUT' ? late() : error;
  }
}
