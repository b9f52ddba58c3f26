import type { NumberedRun } from './numbered-run.js';

/** What a run had to say about a requirement. */
export type Mark = 'violated' | 'undecided' | 'not-judged' | 'held';

/** Where a violation stands: in the last run, held since, or not judged since it was last seen. */
type Now = 'there' | 'not-judged-since' | 'gone';

/** A violated requirement over the runs of a history. */
export interface ViolationCourse {
  readonly id: string;
  /** Whether it makes a server non-conformant. */
  readonly decides: boolean;
  /** When the first run that found it violated started; of the whole history. */
  readonly first_seen: string;
  readonly last_seen: string;
  /** How many runs found it violated. */
  readonly times_seen: number;
  /** How often it was violated again after it had held: many times is the sign of a flaky server. */
  readonly returns: number;
  readonly now: Now;
  /** When the first run started that saw it hold again, where it is gone. */
  readonly gone_since: string | null;
  /** What each of the last runs had to say. */
  readonly marks: readonly Mark[];
}

const order: readonly Now[] = ['there', 'not-judged-since', 'gone'];

/**
 * The course of every requirement that any run found violated.
 * @param marked how many of the last runs are to be told one by one
 */
export function violationCourses(runs: readonly NumberedRun[], marked: number): readonly ViolationCourse[] {
  const looked = runs.map((run) => ({ run, markOf: markerOf(run) }));
  const ids = new Set(runs.flatMap(({ violated, advisory }) => [...violated, ...advisory]));
  const courses = [...ids].flatMap((id) => {
    const seen = looked.map(({ run, markOf }) => ({ run, mark: markOf(id) }));
    return courseOf(id, seen, marked);
  });
  return courses.sort(
    (one, other) =>
      order.indexOf(one.now) - order.indexOf(other.now) ||
      Date.parse(other.first_seen) - Date.parse(one.first_seen),
  );
}

/** Sets, since a history may have thousands of runs. */
function markerOf(run: NumberedRun): (id: string) => Mark {
  const violated = new Set([...run.violated, ...run.advisory]);
  const [undecided, unseen] = [new Set(run.inconclusive), new Set(run.not_exercised)];
  return (id) => {
    if (violated.has(id)) return 'violated';
    if (undecided.has(id)) return 'undecided';
    return unseen.has(id) ? 'not-judged' : 'held';
  };
}

interface Seen {
  readonly run: NumberedRun;
  readonly mark: Mark;
}

function courseOf(id: string, seen: readonly Seen[], marked: number): readonly ViolationCourse[] {
  const violated = seen.filter(({ mark }) => mark === 'violated');
  const [first, last] = [violated[0], violated.at(-1)];
  if (first === undefined || last === undefined) return [];
  const after = seen.slice(seen.indexOf(last) + 1);
  const held = after.find(({ mark }) => mark === 'held');
  return [
    {
      id,
      decides: last.run.violated.includes(id),
      first_seen: first.run.started_at,
      last_seen: last.run.started_at,
      times_seen: violated.length,
      returns: returnsIn(seen.map(({ mark }) => mark)),
      now: nowOf(after.length, held),
      gone_since: held?.run.started_at ?? null,
      marks: seen.slice(-marked).map(({ mark }) => mark),
    },
  ];
}

function nowOf(runsSince: number, held: Seen | undefined): Now {
  if (runsSince === 0) return 'there';
  return held === undefined ? 'not-judged-since' : 'gone';
}

/** Runs that decided nothing are no sign that it was gone in between. */
function returnsIn(marks: readonly Mark[]): number {
  const decided = marks.filter((mark) => mark === 'violated' || mark === 'held');
  const appearances = decided.filter((mark, at) => mark === 'violated' && decided[at - 1] !== 'violated');
  return appearances.length - 1;
}
