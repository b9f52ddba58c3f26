import { listSelectionFlags, type Status } from '../spec/report.js';
import type { RunEnd } from './history.js';
import { sanitizeTexts, truncate } from './sanitize.js';
import type { Mark, NumberedRun, Trend, ViolationHistory } from './trend.js';
import {
  formatCount,
  formatDuration,
  formatInstant,
  formatNumber,
  shortList,
  statusWords,
} from './wording.js';

/** Puts a trend into the words that every format shows. All text is sanitized. */
export function describeTrend(original: Trend) {
  const trend = sanitizeTexts(original);
  const { runs, gone_before: gone } = trend;
  const last = runs.at(-1);
  // The depth of the last run comes first.
  const depths = [...new Set(runs.toReversed().map(({ depth }) => depth))];
  return {
    /** That of the last run; undefined where there is none yet. */
    verdict: last?.verdict,
    title:
      last === undefined
        ? 'This history has no run yet.'
        : `${last.verdict}: ${formatNumber(last.totals.pass)} passed, ${formatNumber(last.violated.length)} failed`,
    range: describeRange(trend),
    warnings: listWarnings(trend),
    runs: runs.map(describeRun),
    /** Runs of different depths send and find different things. */
    depths: depths.map((depth) => describeDepth(depth, runs)),
    violations: trend.violations.map((violation) => describeViolation(violation, depths.length > 1)),
    gone: gone === 0 ? [] : [`Not listed: ${formatCount(gone, 'violation')} of earlier runs only.`],
  };
}

/** A trend in words. */
export type TrendView = ReturnType<typeof describeTrend>;

function describeRange({ runs, runs_in_all: all, targets }: Trend): string {
  const [first, last] = [runs[0], runs.at(-1)];
  if (first === undefined || last === undefined) return '';
  const amount =
    runs.length === all
      ? formatCount(all, 'run')
      : `The last ${formatNumber(runs.length)} of ${formatCount(all, 'run')}`;
  const target = targets.length === 1 ? `, of ${targets[0]}` : '';
  return `${amount}, ${formatInstant(first.started_at)} to ${formatInstant(last.started_at)} UTC${target}`;
}

function listWarnings({ targets, broken_lines: broken }: Trend): readonly string[] {
  const lines = broken.map(({ line }) => String(line));
  const several = `These runs judged ${targets.length} addresses, possibly of different servers: ${shortList(targets, 3)}.`;
  const unread = `${formatCount(lines.length, 'line')} of the history could not be read: ${shortList(lines, 10)}.`;
  return [...(targets.length > 1 ? [several] : []), ...(lines.length > 0 ? [unread] : [])];
}

function describeRun(run: NumberedRun) {
  const { number, started_at, depth, verdict, label = '', link } = run;
  return {
    ...{ number, depth, verdict, link, label, remark: remarkOn(run) },
    started: formatInstant(started_at),
    // The first ten digits of a commit are enough.
    shortLabel: truncate(/^[0-9a-f]{12,64}$/i.test(label) ? label.slice(0, 10) : label, 30),
    /** Its figures, in the order of `figureNames`. */
    figures: series.map(({ of, format }) => format(of(run))),
  };
}

const endWords: Readonly<Record<RunEnd, string | null>> = {
  complete: null,
  interrupted: 'was interrupted',
  'cut-short': 'stopped early',
  'suite-failed': 'is unreliable: the suite itself failed',
};

/** Returns what to know about a run before reading its figures; empty for one of everything that ended normally. */
function remarkOn({ ended, shard, selection, verdict }: NumberedRun): string {
  const flags = listSelectionFlags(selection);
  return [
    endWords[ended],
    verdict === 'unjudged' ? 'judged nothing' : null,
    shard === '1/1' ? null : `judged only shard ${shard}`,
    flags.length === 0 ? null : `ran with ${flags.join(' ')}`,
  ]
    .filter((remark) => remark !== null)
    .join(', ');
}

interface Series {
  readonly name: string;
  readonly of: (run: NumberedRun) => number;
  readonly format: (value: number) => string;
}

/** The figures of every run, the most important first. */
const series: readonly Series[] = [
  { name: 'passed', of: ({ totals }) => totals.pass, format: formatNumber },
  { name: 'failed', of: ({ violated }) => violated.length, format: formatNumber },
  { name: 'no result', of: ({ unproven }) => unproven, format: formatNumber },
  { name: 'requests', of: ({ requests }) => requests, format: formatNumber },
  { name: 'duration', of: ({ duration_ms }) => duration_ms, format: formatDuration },
];

/** The names of the figures of every run. */
export const figureNames: readonly string[] = series.map(({ name }) => name);

function describeDepth(depth: NumberedRun['depth'], runs: readonly NumberedRun[]) {
  const own = runs.filter((run) => run.depth === depth);
  // The figures of a run that judged only a part cannot be compared with those of the others.
  const whole = own.filter((run) => remarkOn(run) === '');
  const charted = whole.length === 0 ? own : whole;
  const measured = Object.keys(charted.at(-1)?.figures ?? {}).map((name) =>
    describeChart(
      { name, of: ({ figures }) => figures?.[name] ?? 0, format: formatNumber },
      charted.filter(({ figures }) => figures?.[name] !== undefined),
    ),
  );
  return {
    heading: `Depth ${depth}, ${formatCount(own.length, 'run')}`,
    isPartial: charted.length < own.length,
    charts: [...series.map((figure) => describeChart(figure, charted)), ...measured],
  };
}

const blocks = '▁▂▃▄▅▆▇█';

/** A figure over some runs: a block for each run, from the lowest value to the highest, and `1 now, 0 to 3`. */
function describeChart({ name, of, format }: Series, runs: readonly NumberedRun[]) {
  const values = runs.map(of);
  const [lowest, highest, now] = [Math.min(...values), Math.max(...values), format(values.at(-1) ?? 0)];
  const step = (blocks.length - 1) / (highest - lowest || 1);
  return {
    name,
    line: values.map((value) => blocks.charAt(Math.round((value - lowest) * step))).join(''),
    range: lowest === highest ? now : `${now} now, ${format(lowest)} to ${format(highest)}`,
  };
}

const markSigns: Readonly<Record<Mark, readonly [sign: string, status: Status]>> = {
  violated: ['✗', 'fail'],
  undecided: ['?', 'inconclusive'],
  'not-judged': ['·', 'not-exercised'],
  held: ['✓', 'pass'],
};

/** The signs of all marks with their words. */
export const markLegend = Object.values(markSigns)
  .map(([sign, status]) => `${sign} ${statusWords[status]}`)
  .join(', ');

const standingWords = {
  there: 'still failed',
  'not-judged-since': 'no result since',
  gone: 'passed',
} as const;

function describeViolation(violation: ViolationHistory, hasSeveralDepths: boolean) {
  const { id, depth, decides, first_seen, times_seen, now, gone_since: since, returns, marks } = violation;
  const words = [...(decides ? [] : ['advisory']), ...(hasSeveralDepths ? [`depth ${depth}`] : [])];
  const times = returns === 1 ? 'once' : `${formatNumber(returns)} times`;
  const status: Status = decides ? 'fail' : 'inconclusive';
  return {
    id,
    /** What the id does not show. */
    qualifier: words.length === 0 ? '' : ` (${words.join(', ')})`,
    /** Which status it is as good or bad as. */
    tone: now === 'gone' ? 'pass' : status,
    firstSeen: formatInstant(first_seen),
    seen: `in ${formatCount(times_seen, 'run')}`,
    standing: `${standingWords[now]}${since === null ? '' : ` since ${formatInstant(since)}`}${returns === 0 ? '' : `, came back ${times}`}`,
    /** Its result in each run, oldest first. */
    marks: marks.map((mark) => {
      const [sign, of] = markSigns[mark];
      return { sign, status: of, word: statusWords[of] };
    }),
  };
}
