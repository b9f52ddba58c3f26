import type { History, HistoryEntry } from './history.js';

/** A run with its place in the history, counted from 1. */
export type NumberedRun = HistoryEntry & { readonly number: number };

/** The result of a requirement in a run. */
export type Mark = 'violated' | 'undecided' | 'not-judged' | 'held';

/** Where a violation stands, in the order in which they are listed: in the last run, without a result since, or passed since. */
const standings = ['there', 'not-judged-since', 'gone'] as const;

/** The last runs of a history, and every violation that they know of. */
export type Trend = ReturnType<typeof buildTrend>;

/** A failed requirement over the runs of one depth of a history: a run that sends less may not see it. */
export type ViolationHistory = ReturnType<typeof listViolationHistories>[number];

/** Builds the trend of the last runs; a violation counts from its first appearance in the whole history. */
export function buildTrend({ entries, invalid }: History, last: number) {
  const numbered = entries.map((entry, at): NumberedRun => ({ ...entry, number: at + 1 }));
  const runs = numbered.slice(-last);
  const depths = [...new Set(runs.map(({ depth }) => depth))];
  const all = depths
    .flatMap((depth) =>
      listViolationHistories(
        numbered.filter((run) => run.depth === depth),
        runs,
      ),
    )
    .sort(
      (one, other) =>
        standings.indexOf(one.now) - standings.indexOf(other.now) ||
        Date.parse(other.first_seen) - Date.parse(one.first_seen),
    );
  const violations = all.filter(({ now, marks }) => now !== 'gone' || marks.includes('violated'));
  return {
    format: 'plumbline-trend/1',
    runs_in_all: entries.length,
    runs,
    /** What is still there first, then what has no result since, then what is gone; the youngest first. */
    violations,
    /** How many violations were gone before the first of these runs. */
    gone_before: all.length - violations.length,
    targets: [...new Set(runs.flatMap(({ target }) => target ?? []))],
    broken_lines: invalid,
  };
}

/** @param shown the runs that get a mark */
function listViolationHistories(runs: readonly NumberedRun[], shown: readonly NumberedRun[]) {
  const marked = runs.map((run) => ({ run, marks: readMarks(run) }));
  const ids = new Set(runs.flatMap(({ violated, advisory }) => [...violated, ...advisory]));
  return [...ids].flatMap((id) => {
    const seen = marked.map(({ run, marks }) => ({ run, mark: marks.get(id) ?? 'held' }));
    const failed = seen.filter(({ mark }) => mark === 'violated');
    const [first, last] = [failed[0], failed.at(-1)];
    if (first === undefined || last === undefined) return [];
    const after = seen.slice(seen.indexOf(last) + 1);
    const passed = after.find(({ mark }) => mark === 'held');
    const now: (typeof standings)[number] =
      after.length === 0 ? 'there' : passed === undefined ? 'not-judged-since' : 'gone';
    return {
      id,
      depth: last.run.depth,
      /** Whether it makes a server non-conformant. */
      decides: last.run.violated.includes(id),
      /** When the first run started in which it failed; of the whole history. */
      first_seen: first.run.started_at,
      last_seen: last.run.started_at,
      times_seen: failed.length,
      /** How often it failed again after it had passed: many times is the sign of a flaky server. */
      returns: countReturns(seen.map(({ mark }) => mark)),
      now,
      /** When the first run started in which it passed again. */
      gone_since: passed?.run.started_at ?? null,
      /** Its result in each of the last runs. */
      marks: seen.filter(({ run }) => shown.includes(run)).map(({ mark }) => mark),
    };
  });
}

/** Reads the result of each requirement that did not pass in a run. */
function readMarks(run: NumberedRun): ReadonlyMap<string, Mark> {
  const mark = (ids: readonly string[], as: Mark) => ids.map((id) => [id, as] as const);
  return new Map([
    ...mark(run.not_exercised, 'not-judged'),
    ...mark(run.inconclusive, 'undecided'),
    ...mark([...run.violated, ...run.advisory], 'violated'),
  ]);
}

/** Runs without a result do not show that a violation was gone in between. */
function countReturns(marks: readonly Mark[]): number {
  const results = marks.filter((mark) => mark === 'violated' || mark === 'held');
  return results.filter((mark, at) => mark === 'violated' && results[at - 1] !== 'violated').length - 1;
}
