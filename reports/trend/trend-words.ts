import type { RunEnd } from '../../spec/history.js';
import { counted, numberText } from '../amount-text.js';
import type { NumberedRun } from './numbered-run.js';
import type { Trend } from './trend.js';
import type { Mark, ViolationCourse } from './violation-course.js';

/** A sign and a word for what a run had to say about a requirement. */
export const markSigns: Readonly<Record<Mark, { readonly sign: string; readonly word: string }>> = {
  violated: { sign: '×', word: 'violated' },
  undecided: { sign: '?', word: 'undecided' },
  'not-judged': { sign: '·', word: 'not judged' },
  held: { sign: '✓', word: 'held' },
};

/** An instant as a person reads it: `2030-04-05 06:07`, in UTC. */
export function instantText(instant: string): string {
  return instant.slice(0, 16).replace('T', ' ');
}

/** Which runs are told, in a line. */
export function rangeText({ runs, runs_in_all }: Trend): string {
  const [first, last] = [runs[0], runs.at(-1)];
  if (first === undefined || last === undefined) return 'No run is in this history yet.';
  const amount =
    runs.length === runs_in_all
      ? counted(runs_in_all, 'run')
      : `The last ${numberText(runs.length)} of ${counted(runs_in_all, 'run')}`;
  return `${amount}, ${instantText(first.started_at)} to ${instantText(last.started_at)} UTC`;
}

/** What the last run came to. */
export function nowText({ runs, violations }: Trend): string {
  const last = runs.at(-1);
  if (last === undefined) return '';
  const since = violations
    .filter(({ now, decides }) => now === 'there' && decides)
    .map(({ first_seen }) => first_seen);
  const oldest = since.sort()[0];
  const violated =
    last.violated.length === 0 ? 'nothing violated' : `${numberText(last.violated.length)} violated`;
  const first = oldest === undefined ? '' : `, the oldest first seen ${instantText(oldest)}`;
  return `${last.verdict}: ${numberText(last.totals.pass)} held, ${violated}${first}`;
}

const endWords: Readonly<Record<RunEnd, string | null>> = {
  complete: null,
  interrupted: 'was interrupted',
  'cut-short': 'did not reach its end',
  'suite-failed': 'failed by the suite itself: do not rely on it',
};

/** What is to be known about a run before its figures are read; undefined for a whole run that came to its end. */
export function remarkOn({ ended, shard, selection }: NumberedRun): string | undefined {
  const patterns = [
    ...selection.only.map((glob) => `--only ${glob}`),
    ...selection.skip.map((glob) => `--skip ${glob}`),
  ];
  const remarks = [
    endWords[ended],
    shard === '1/1' ? null : `judged shard ${shard} only`,
    patterns.length === 0 ? null : `judged ${patterns.join(' ')}`,
  ].filter((remark) => remark !== null);
  return remarks.length === 0 ? undefined : remarks.join(', ');
}

const targetsTold = 3;

/** That the runs are of more than one server, which makes their comparison doubtful. */
export function targetsRemark({ targets }: Trend): string | undefined {
  if (targets.length < 2) return undefined;
  const more = targets.length - targetsTold;
  const list = `${targets.slice(0, targetsTold).join(', ')}${more > 0 ? `, and ${numberText(more)} more` : ''}`;
  return `These runs are of ${targets.length} addresses, which may be different servers: ${list}.`;
}

/** Where a violation stands, in words. */
export function standing({ now, gone_since: goneSince, returns }: ViolationCourse): string {
  const again = returns === 0 ? '' : `, came back ${returns === 1 ? 'once' : `${numberText(returns)} times`}`;
  if (now === 'there') return `still there${again}`;
  if (now === 'not-judged-since') return `not judged since${again}`;
  return `gone${goneSince === null ? '' : ` since ${instantText(goneSince)}`}${again}`;
}
