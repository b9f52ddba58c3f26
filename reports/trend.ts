import type { HistoryEntry } from '../spec/history.js';
import type { History } from './history.js';

/** A run with its place in the history, counted from 1. */
export interface NumberedRun extends HistoryEntry {
  readonly number: number;
}

/** What a run says of a requirement. */
export type Mark = 'violated' | 'undecided' | 'not-judged' | 'held';

/** Where a violation stands, in the order in which they are listed: in the last run, without a result since, or passed since. */
const standings = ['there', 'not-judged-since', 'gone'] as const;

/** A failed requirement over the runs of one depth of a history: a run that sends less may not see it. */
export interface ViolationHistory {
  readonly id: string;
  readonly depth: HistoryEntry['depth'];
  /** Whether it makes a server non-conformant. */
  readonly decides: boolean;
  /** When the first run started in which it failed; of the whole history. */
  readonly first_seen: string;
  readonly last_seen: string;
  readonly times_seen: number;
  /** How often it failed again after it had passed: many times is the sign of a flaky server. */
  readonly returns: number;
  readonly now: (typeof standings)[number];
  /** When the first run started in which it passed again, where it is gone. */
  readonly gone_since: string | null;
  /** What each of the last runs says of it. */
  readonly marks: readonly Mark[];
}

/** The last runs of a history, and every violation that they know of. */
export interface Trend {
  readonly format: 'plumbline-trend/1';
  readonly runs_in_all: number;
  readonly runs: readonly NumberedRun[];
  /** What is still there first, then what has no result since, then what is gone; the youngest first. */
  readonly violations: readonly ViolationHistory[];
  /** How many violations were gone before the first of these runs. */
  readonly gone_before: number;
  readonly targets: readonly string[];
  readonly broken_lines: History['invalid'];
}

/** Builds the trend of the last runs; a violation counts from its first appearance in the whole history. */
export function buildTrend({ entries, invalid }: History, last: number): Trend {
  const numbered = entries.map((entry, at) => ({ ...entry, number: at + 1 }));
  const runs = numbered.slice(-last);
  const all = [...new Set(runs.map(({ depth }) => depth))]
    .flatMap((depth) =>
      listViolationHistories(
        numbered.filter((run) => run.depth === depth),
        runs,
      ),
    )
    .sort(compareStanding);
  const violations = all.filter(({ now, marks }) => now !== 'gone' || marks.includes('violated'));
  return {
    format: 'plumbline-trend/1',
    runs_in_all: entries.length,
    runs,
    violations,
    gone_before: all.length - violations.length,
    targets: [...new Set(runs.flatMap(({ target }) => target ?? []))],
    broken_lines: invalid,
  };
}

function compareStanding(one: ViolationHistory, other: ViolationHistory): number {
  const byStanding = standings.indexOf(one.now) - standings.indexOf(other.now);
  return byStanding || Date.parse(other.first_seen) - Date.parse(one.first_seen);
}

/** @param shown the runs that get a mark */
function listViolationHistories(
  runs: readonly NumberedRun[],
  shown: readonly NumberedRun[],
): readonly ViolationHistory[] {
  const marked = runs.map((run) => ({ run, marks: readMarks(run) }));
  const ids = new Set(runs.flatMap(({ violated, advisory }) => [...violated, ...advisory]));
  return [...ids].flatMap((id) => {
    const seen = marked.map(({ run, marks }) => ({ run, mark: marks.get(id) ?? 'held' }));
    const failed = seen.filter(({ mark }) => mark === 'violated');
    const [first, last] = [failed[0], failed.at(-1)];
    if (first === undefined || last === undefined) return [];
    const after = seen.slice(seen.indexOf(last) + 1);
    const passed = after.find(({ mark }) => mark === 'held');
    return {
      id,
      depth: last.run.depth,
      decides: last.run.violated.includes(id),
      first_seen: first.run.started_at,
      last_seen: last.run.started_at,
      times_seen: failed.length,
      returns: countReturns(seen.map(({ mark }) => mark)),
      now: after.length === 0 ? 'there' : passed === undefined ? 'not-judged-since' : 'gone',
      gone_since: passed?.run.started_at ?? null,
      marks: seen.filter(({ run }) => shown.includes(run)).map(({ mark }) => mark),
    };
  });
}

/** What a run says of each requirement that it did not find to pass. */
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
