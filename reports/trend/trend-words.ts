import type { RunEnd } from '../../spec/history.js';
import { counted, numberText } from '../amount-text.js';
import type { NumberedRun } from './numbered-run.js';
import type { Trend } from './trend.js';
import type { Mark, ViolationCourse } from './violation-course.js';

/** A sign and a word for what a run had to say about a requirement. */
export const markSigns: Readonly<Record<Mark, { readonly sign: string; readonly word: string }>> = {
  violated: { sign: '✗', word: 'violated' },
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
export function nowText({ runs }: Trend): string {
  const last = runs.at(-1);
  if (last === undefined) return '';
  const { verdict, totals, violated } = last;
  const bad = violated.length === 0 ? 'nothing violated' : `${numberText(violated.length)} violated`;
  return `${verdict}: ${numberText(totals.pass)} held, ${bad}`;
}

const endWords: Readonly<Record<RunEnd, string | null>> = {
  complete: null,
  interrupted: 'was interrupted',
  'cut-short': 'did not reach its end',
  'suite-failed': 'failed by the suite itself: do not rely on it',
};

/** What is to be known about a run before its figures are read; undefined for a whole run that came to its end. */
export function remarkOn({ ended, shard, selection, verdict }: NumberedRun): string | undefined {
  const patterns = [
    ...selection.only.map((glob) => `--only ${glob}`),
    ...selection.skip.map((glob) => `--skip ${glob}`),
  ];
  const remarks = [
    endWords[ended],
    verdict === 'unjudged' ? 'judged nothing' : null,
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

const standings: Readonly<Record<ViolationCourse['now'], string>> = {
  there: 'still there',
  'not-judged-since': 'not judged since',
  gone: 'gone',
};

/** Where a violation stands, in words. */
export function standing({ now }: ViolationCourse): string {
  return standings[now];
}

/** How often it was violated again after it had held; empty where it never was. */
export function returnsText({ returns }: ViolationCourse): string {
  if (returns === 0) return '';
  return returns === 1 ? 'came back once' : `came back ${numberText(returns)} times`;
}
