import type { BrokenLine, History } from '../history/read-history.js';
import type { NumberedRun } from './numbered-run.js';
import { type ViolationCourse, violationCourses } from './violation-course.js';

/** The last runs of a history, and the course of every violation that they know of. */
export interface Trend {
  readonly format: 'plumbline-trend/1';
  readonly runs_in_all: number;
  readonly runs: readonly NumberedRun[];
  /** What is still there first, then what was not judged since, then what is gone; the youngest first. */
  readonly violations: readonly ViolationCourse[];
  /** How many violations were gone before the first of these runs. */
  readonly gone_before: number;
  /** Every address that these runs judged. */
  readonly targets: readonly string[];
  readonly broken_lines: readonly BrokenLine[];
}

/** @param last how many runs are told; a violation counts from its first appearance in the whole history */
export function trendOf({ entries, broken }: History, last: number): Trend {
  const numbered = entries.map((entry, at) => ({ ...entry, number: at + 1 }));
  const runs = numbered.slice(-last);
  const courses = violationCourses(numbered, runs.length);
  const told = courses.filter(({ now, marks }) => now !== 'gone' || marks.includes('violated'));
  return {
    format: 'plumbline-trend/1',
    runs_in_all: entries.length,
    runs,
    violations: told,
    gone_before: courses.length - told.length,
    targets: [...new Set(runs.flatMap(({ target }) => target ?? []))],
    broken_lines: broken,
  };
}
