import type { HistoryEntry, RunEnd } from '../spec/history.js';
import type { Status } from '../spec/report.js';
import type { History } from './history.js';
import { truncate } from './sanitize.js';
import {
  formatCount,
  formatDuration,
  formatInstant,
  formatNumber,
  listSelectionFlags,
  shortList,
  statusWords,
} from './wording.js';

/** A run with its place in the history, counted from 1. */
export interface NumberedRun extends HistoryEntry {
  readonly number: number;
}

/** What a run says of a requirement. */
export type Mark = 'violated' | 'undecided' | 'not-judged' | 'held';

/** Where a violation stands, in the order in which they are listed: in the last run, without a result since, or passed since. */
const standingWords = {
  there: 'still failed',
  'not-judged-since': 'no result since',
  gone: 'passed',
} as const;
type Standing = keyof typeof standingWords;

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
  readonly now: Standing;
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
  const ofDepth = ({ depth, runs: shown }: DepthRuns) =>
    listViolationHistories(
      numbered.filter((run) => run.depth === depth),
      shown.length,
    );
  const all = groupByDepth(runs).flatMap(ofDepth).sort(compareStanding);
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
  const order = Object.keys(standingWords);
  const byStanding = order.indexOf(one.now) - order.indexOf(other.now);
  return byStanding || Date.parse(other.first_seen) - Date.parse(one.first_seen);
}

/** @param shown how many of the last runs get a mark */
function listViolationHistories(runs: readonly NumberedRun[], shown: number): readonly ViolationHistory[] {
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
      marks: seen.slice(-shown).map(({ mark }) => mark),
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

/** A figure of every run. */
export interface Series {
  readonly name: string;
  readonly meaning: string;
  readonly of: (run: NumberedRun) => number;
  readonly format: (value: number) => string;
  /** It varies from run to run by itself, which must not fill a chart. */
  readonly isFromZero?: true;
  /** The least that the axis of a chart covers. */
  readonly leastSpan?: number;
}

function countOf(name: string, meaning: string, of: Series['of']): Series {
  return { name, meaning, of, format: formatNumber };
}

/** The figures of a trend, the most important first. */
export const series: readonly Series[] = [
  countOf('passed', 'requirements', ({ totals }) => totals.pass),
  countOf('failed', 'requirements that decide', ({ violated }) => violated.length),
  countOf('no result', 'musts inconclusive or not exercised', ({ unproven }) => unproven),
  { ...countOf('requests', 'sent', ({ requests }) => requests), isFromZero: true },
  {
    ...countOf('duration', 'from start to end', (run) => run.duration_ms),
    format: formatDuration,
    isFromZero: true,
  },
];

/** A figure and the runs to chart it for. */
export interface Chart {
  readonly figure: Series;
  readonly runs: readonly NumberedRun[];
}

/** Lists what to chart for some runs: the figures of every run, and what was measured with the last. */
export function listCharts(runs: readonly NumberedRun[]): readonly Chart[] {
  const measured = Object.keys(runs.at(-1)?.figures ?? {}).map((name): Chart => {
    const figure = countOf(name, 'measured', ({ figures }) => figures?.[name] ?? 0);
    const own = runs.filter(({ figures }) => figures?.[name] !== undefined);
    return { figure: { ...figure, isFromZero: true, leastSpan: 1 }, runs: own };
  });
  return [...series.map((figure) => ({ figure, runs })), ...measured];
}

/** Describes a figure over some runs: `1 now, 0 to 3`. */
export function describeSeries({ of, format }: Series, runs: readonly NumberedRun[]): string {
  const values = runs.map(of);
  const [lowest, highest, last] = [Math.min(...values), Math.max(...values), values.at(-1) ?? 0];
  return lowest === highest ? format(last) : `${format(last)} now, ${format(lowest)} to ${format(highest)}`;
}

/** The runs of one depth. */
export interface DepthRuns {
  readonly depth: HistoryEntry['depth'];
  readonly runs: readonly NumberedRun[];
  /** Those of them that judged everything, since the figures of the others cannot be compared; all where there are none. */
  readonly charted: readonly NumberedRun[];
}

/** Groups runs by their depth, since what they send and find cannot be compared; the depth of the last run first. */
export function groupByDepth(runs: readonly NumberedRun[]): readonly DepthRuns[] {
  const depths = new Set(runs.toReversed().map(({ depth }) => depth));
  return [...depths].map((depth) => {
    const own = runs.filter((run) => run.depth === depth);
    const whole = own.filter((run) => remarkOn(run) === undefined);
    return { depth, runs: own, charted: whole.length === 0 ? own : whole };
  });
}

/** Names a run: its number, and its label, a commit shortened as usual. */
export function nameRun({ number, label }: NumberedRun): string {
  return label === undefined ? `run ${number}` : `run ${number} (${shortenLabel(label)})`;
}

/** Shortens the label of a run: of a commit the first ten digits are enough. */
export function shortenLabel(label: string): string {
  return truncate(/^[0-9a-f]{12,64}$/i.test(label) ? label.slice(0, 10) : label, 30);
}

/** The status that each mark stands for, its word and a sign. */
export const markSigns: Readonly<
  Record<Mark, { readonly status: Status; readonly sign: string; readonly word: string }>
> = {
  violated: { status: 'fail', sign: '✗', word: statusWords.fail },
  undecided: { status: 'inconclusive', sign: '?', word: statusWords.inconclusive },
  'not-judged': { status: 'not-exercised', sign: '·', word: statusWords['not-exercised'] },
  held: { status: 'pass', sign: '✓', word: statusWords.pass },
};

/** The signs of all marks with their words. */
export const markLegend = Object.values(markSigns)
  .map(({ sign, word }) => `${sign} ${word}`)
  .join(', ');

/** Describes which runs a trend covers. */
export function describeRange({ runs, runs_in_all: all }: Trend): string {
  const [first, last] = [runs[0], runs.at(-1)];
  if (first === undefined || last === undefined) return 'This history has no run yet.';
  const amount =
    runs.length === all
      ? formatCount(all, 'run')
      : `The last ${formatNumber(runs.length)} of ${formatCount(all, 'run')}`;
  return `${amount}, ${formatInstant(first.started_at)} to ${formatInstant(last.started_at)} UTC`;
}

/** Describes the result of a run. */
export function describeResult({ verdict, totals, violated }: NumberedRun): string {
  return `${verdict}: ${formatNumber(totals.pass)} passed, ${formatNumber(violated.length)} failed`;
}

const endWords: Readonly<Record<RunEnd, string | null>> = {
  complete: null,
  interrupted: 'was interrupted',
  'cut-short': 'stopped early',
  'suite-failed': 'is unreliable: the suite itself failed',
};

/** Returns what to know about a run before reading its figures; undefined for one of everything that ended normally. */
export function remarkOn({ ended, shard, selection, verdict }: NumberedRun): string | undefined {
  const flags = listSelectionFlags(selection);
  const remarks = [
    endWords[ended],
    verdict === 'unjudged' ? 'judged nothing' : null,
    shard === '1/1' ? null : `judged only shard ${shard}`,
    flags.length === 0 ? null : `ran with ${flags.join(' ')}`,
  ].filter((remark) => remark !== null);
  return remarks.length === 0 ? undefined : remarks.join(', ');
}

/** Warns where the runs judged several addresses: they may not be comparable. */
export function warnOfTargets({ targets }: Trend): readonly string[] {
  if (targets.length < 2) return [];
  return [
    `These runs judged ${targets.length} addresses, possibly of different servers: ${shortList(targets, 3)}.`,
  ];
}

/** Says of a violation what its id does not: that it is advisory, and its depth where there are several. */
export function qualifyViolation({ decides, depth }: ViolationHistory, { runs }: Trend): string {
  const words = [
    ...(decides ? [] : ['advisory']),
    ...(groupByDepth(runs).length > 1 ? [`depth ${depth}`] : []),
  ];
  return words.length === 0 ? '' : ` (${words.join(', ')})`;
}

/** Describes where a violation stands. */
export function describeStanding({ now, gone_since: since, returns }: ViolationHistory): string {
  const back =
    returns === 0 ? '' : `, came back ${returns === 1 ? 'once' : `${formatNumber(returns)} times`}`;
  return `${standingWords[now]}${since === null ? '' : ` since ${formatInstant(since)}`}${back}`;
}

/** Counts the violations that were gone before the runs of a trend; nothing where there is none. */
export function describeGone({ gone_before: gone }: Trend): readonly string[] {
  return gone === 0 ? [] : [`${formatCount(gone, 'violation')} gone before these runs.`];
}
