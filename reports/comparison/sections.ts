import type { Change, ComparedRequirement, ComparedState, Comparison } from '../../spec/comparison.js';
import { isLeftOut, type Status } from '../../spec/report.js';

/** Requirements that share a fate and what there is to say about it. */
export interface ReasonedRows {
  /** Null where there is nothing to say. */
  readonly reason: string | null;
  /** Every `must` first. */
  readonly rows: readonly ComparedRequirement[];
}

/** A part of a comparison that is told as lists of ids. */
export interface ListedSection {
  readonly heading: string;
  /** What the heading means, for who reads it the first time. */
  readonly meaning: string;
  readonly groups: readonly ReasonedRows[];
}

/** The newly violated requirements and those violated in further situations, `must` before `derived` before `advisory`. */
export function violatedAnew({ requirements }: Comparison): readonly ComparedRequirement[] {
  return byLevel(
    requirements.filter(({ change }) => change === 'newly-violated' || change === 'further-violation'),
  );
}

/** What the old run had to say about a requirement that is violated now. */
export function stateBefore({ old, change }: ComparedRequirement): string {
  if (change === 'further-violation') return 'violated before in other situations only';
  if (old === null) return 'not judged before: the old report does not know it';
  if (old.status === 'pass') return 'held before';
  if (isLeftOut(old)) return 'not judged before: not selected';
  return `not judged before: ${statusWords[old.status]}${old.reason === null ? '' : `, ${old.reason}`}`;
}

/** What a status is called where a person reads it. */
const statusWords: Readonly<Record<Status, string>> = {
  pass: 'held',
  fail: 'violated',
  inconclusive: 'undecided',
  'not-exercised': 'not exercised',
  'not-observable': 'not observable',
};

/** Everything but the new violations, the empty parts left out. */
export function listedSections({ requirements }: Comparison): readonly ListedSection[] {
  const listed = sections.map(({ change, heading, meaning, reason }) => ({
    heading,
    meaning,
    groups: grouped(
      requirements.filter((row) => row.change === change),
      reason,
    ),
  }));
  const flaky: ListedSection = {
    heading: 'Flaky',
    meaning: 'held and did not hold within one run',
    groups: grouped(
      requirements.filter(({ flaky: signs }) => signs.length > 0),
      flakyReason,
    ),
  };
  const at = sections.findIndex(({ change }) => change === 'still-violated');
  return [...listed.slice(0, at), flaky, ...listed.slice(at)].filter(({ groups }) => groups.length > 0);
}

interface SectionRule {
  readonly change: Change;
  readonly heading: string;
  readonly meaning: string;
  readonly reason: (row: ComparedRequirement) => string | null;
}

const noReason = () => null;

const sections: readonly SectionRule[] = [
  {
    change: 'newly-held',
    heading: 'Newly held',
    meaning: 'violated before, held now',
    reason: noReason,
  },
  {
    change: 'lost-coverage',
    heading: 'Lost coverage',
    meaning: 'judged before, not exercised now',
    reason: (row) => `${wasViolated(row)}${told(row.new)}`,
  },
  {
    change: 'undecided',
    heading: 'Undecided now',
    meaning: 'judged before, exercised now without a result: a disturbance rather than a loss',
    reason: (row) => `${wasViolated(row)}${told(row.new)}`,
  },
  {
    change: 'gained-coverage',
    heading: 'Gained coverage',
    meaning: 'not judged before, held now',
    reason: ({ old }) => `before: ${told(old)}`,
  },
  {
    change: 'still-violated',
    heading: 'Still violated',
    meaning: 'violated before and now',
    reason: noReason,
  },
  {
    change: 'still-unproven',
    heading: 'Unproven otherwise',
    meaning: 'judged neither before nor now, for different reasons',
    reason: ({ old, new: now }) => `before: ${told(old)}; now: ${told(now)}`,
  },
  {
    change: 'not-comparable',
    heading: 'Not comparable',
    meaning: 'left out by the selection of one run or both',
    reason: leftOutIn,
  },
  {
    change: 'only-in-old',
    heading: 'Only in the old report',
    meaning: 'the new one does not know them',
    reason: ({ old }) => `before: ${told(old)}`,
  },
  {
    change: 'only-in-new',
    heading: 'Only in the new report',
    meaning: 'the old one does not know them',
    reason: ({ new: now }) => `now: ${told(now)}`,
  },
];

/** That a violation cannot be seen any more does not mean that it is gone. */
function wasViolated({ old }: ComparedRequirement): string {
  return old?.status === 'fail' ? 'was violated, and nothing shows that it is not; ' : '';
}

function told(state: ComparedState | null): string {
  if (state === null) return 'unknown';
  return state.reason === null ? statusWords[state.status] : `${statusWords[state.status]}, ${state.reason}`;
}

function leftOutIn({ old, new: now }: ComparedRequirement): string {
  if (old === null || !isLeftOut(old))
    return `not selected in the new run; ${old?.status === 'fail' ? 'violated' : 'not violated'} before`;
  return now !== null && isLeftOut(now) ? 'not selected in either run' : 'not selected in the old run';
}

function flakyReason({ flaky }: ComparedRequirement): string {
  return flaky.map(({ report, sign }) => `${report === 'old' ? 'before' : 'now'}: ${sign}`).join('; ');
}

/** The group that most requirements are in comes first. */
function grouped(
  rows: readonly ComparedRequirement[],
  reasonOf: (row: ComparedRequirement) => string | null,
): readonly ReasonedRows[] {
  const byReason = new Map<string | null, ComparedRequirement[]>();
  for (const row of rows) {
    const reason = reasonOf(row);
    byReason.set(reason, [...(byReason.get(reason) ?? []), row]);
  }
  return [...byReason]
    .map(([reason, same]) => ({ reason, rows: byLevel(same) }))
    .sort((one, other) => other.rows.length - one.rows.length);
}

const levels = ['must', 'derived', 'advisory', 'silent'] as const;

function byLevel(rows: readonly ComparedRequirement[]): readonly ComparedRequirement[] {
  return levels.flatMap((level) => rows.filter((row) => row.level === level));
}
