import type {
  Change,
  ComparedRequirement,
  ComparedRun,
  ComparedState,
  Comparison,
  Stopper,
} from '../spec/comparison.js';
import { isLeftOut } from '../spec/report.js';
import { codeSpan, prose, table } from './markdown-text.js';
import { sanitizeTexts, truncate } from './sanitize.js';
import { joinParts, type LayoutOptions, type Painter, TerminalLayout } from './terminal-layout.js';
import {
  formatConfirmed,
  formatCount,
  formatInstant,
  formatNumber,
  shortList,
  statusWords,
} from './wording.js';

const totalWords: readonly (readonly [keyof Comparison['totals'], string])[] = [
  ['newly-violated', 'newly failed'],
  ['further-violation', 'failed in further situations'],
  ['newly-held', 'newly passed'],
  ['lost-coverage', 'lost'],
  ['undecided', 'inconclusive now'],
  ['gained-coverage', 'gained'],
  ['flaky', 'flaky'],
];

/** Describes what changed in one line. */
export function describeChange({ old, new: now, totals }: Comparison): string {
  const counts = totalWords
    .filter(([change]) => totals[change] > 0)
    .map(([change, word]) => `${formatNumber(totals[change])} ${word}`);
  return `${old.verdict} → ${now.verdict}: ${counts.length === 0 ? 'nothing changed' : counts.join(', ')}`;
}

/** Describes one of the two runs. */
export function describeRun(run: ComparedRun): string {
  const { started_at, base_url, seed, depth, requests, tool_version, verdict, exit_code } = run;
  const how = `seed ${seed}, ${depth}, ${formatCount(requests, 'request')}, version ${tool_version}`;
  return `${verdict} (exit ${exit_code}), ${formatInstant(started_at)} UTC, ${base_url ?? 'address unknown'}, ${how}`;
}

const stopperWords: Readonly<Record<Stopper, string>> = {
  'new-violation': 'new violation',
  'lost-coverage': 'lost coverage',
  flaky: 'flaky requirement',
};

/** Describes the exit code. */
export function describeGate({ gate }: Comparison): string {
  const words = (some: readonly Stopper[]) => some.map((stopper) => stopperWords[stopper]);
  return gate.exit_code === 0
    ? `No deciding ${words(gate.fail_on).join(', no ')}: exit code 0.`
    : `Stopped by ${words(gate.stopped_by).join(' and ')}: exit code 1.`;
}

/** Counts what is as it was. */
export function describeUnchanged({ totals }: Comparison): string {
  return `Unchanged: ${formatCount(totals.unchanged, 'requirement')}.`;
}

/** Lists the newly failed requirements and those that failed in further situations, `must` first. */
export function listNewlyFailed({ requirements }: Comparison): readonly ComparedRequirement[] {
  return sortByLevel(
    requirements.filter(({ change }) => change === 'newly-violated' || change === 'further-violation'),
  );
}

function describeState(state: ComparedState | null): string {
  if (state === null) return 'unknown to this report';
  if (isLeftOut(state)) return 'not selected';
  return state.reason === null ? statusWords[state.status] : `${statusWords[state.status]}, ${state.reason}`;
}

/** Describes what a newly failed requirement was before. */
export function describeBefore({ old, change }: ComparedRequirement): string {
  return change === 'further-violation' ? 'failed in other situations only' : describeState(old);
}

/** Requirements that share a reason; null where there is none to give. */
interface ReasonedRows {
  readonly reason: string | null;
  /** Every `must` first. */
  readonly rows: readonly ComparedRequirement[];
}

/** Requirements that changed alike. */
export interface Section {
  readonly heading: string;
  readonly meaning: string;
  readonly groups: readonly ReasonedRows[];
}

type SectionRule = readonly [
  which: Change | 'flaky',
  heading: string,
  meaning: string,
  reason: (row: ComparedRequirement) => string | null,
];

const noReason = () => null;
const reasonBefore = ({ old }: ComparedRequirement) => `before: ${describeState(old)}`;
// That a violation cannot be seen any more does not mean that it is gone.
const reasonNow = ({ old, new: now }: ComparedRequirement) =>
  `${old?.status === 'fail' ? 'failed before, and nothing shows that it is fixed; ' : ''}${describeState(now)}`;

/** Everything but new violations, in the order in which it is shown. */
const sectionRules: readonly SectionRule[] = [
  ['newly-held', 'Newly passed', 'failed before, passed now', noReason],
  ['lost-coverage', 'Lost coverage', 'had a result before, not exercised now', reasonNow],
  [
    'undecided',
    'Inconclusive now',
    'had a result before, none now: a disturbance rather than lost coverage',
    reasonNow,
  ],
  ['gained-coverage', 'Gained coverage', 'no result before, passed now', reasonBefore],
  [
    'flaky',
    'Flaky',
    'passed and failed within one run',
    ({ flaky }) =>
      flaky.map(({ report, sign }) => `${report === 'old' ? 'before' : 'now'}: ${sign}`).join('; '),
  ],
  ['still-violated', 'Still failed', 'failed before and now', noReason],
  [
    'still-unproven',
    'Still without a result',
    'inconclusive or not exercised, for another reason than before',
    ({ old, new: now }) => `before: ${describeState(old)}; now: ${describeState(now)}`,
  ],
  [
    'not-comparable',
    'Not comparable',
    'left out by the selection of one run or both',
    ({ old, new: now }) => `before: ${describeState(old)}; now: ${describeState(now)}`,
  ],
  ['only-in-old', 'Only in the old report', 'unknown to the new one', reasonBefore],
  [
    'only-in-new',
    'Only in the new report',
    'unknown to the old one',
    ({ new: now }) => `now: ${describeState(now)}`,
  ],
];

/** Lists everything but new violations, in the order in which it is shown. */
export function listSections({ requirements }: Comparison): readonly Section[] {
  return sectionRules
    .map(([which, heading, meaning, reasonOf]) => {
      const rows = requirements.filter(({ change, flaky }) =>
        which === 'flaky' ? flaky.length > 0 : change === which,
      );
      const groups = new Map<string | null, ComparedRequirement[]>();
      for (const row of rows) groups.set(reasonOf(row), [...(groups.get(reasonOf(row)) ?? []), row]);
      return {
        heading: `${heading} (${rows.length})`,
        meaning,
        groups: [...groups]
          .map(([reason, same]) => ({ reason, rows: sortByLevel(same) }))
          .sort((one, other) => other.rows.length - one.rows.length),
      };
    })
    .filter(({ groups }) => groups.length > 0);
}

function sortByLevel(rows: readonly ComparedRequirement[]): readonly ComparedRequirement[] {
  const levels = ['must', 'derived', 'advisory', 'silent'] as const;
  return levels.flatMap((level) => rows.filter((row) => row.level === level));
}

const longestText = 300;

/**
 * Renders a comparison for a terminal: what changed, the two runs, why they may differ, every new violation with its
 * evidence, then the rest as lists of ids. Ends with a line end. Text from the reports is sanitized.
 */
export function renderComparisonTerminal(original: Comparison, options: LayoutOptions): string {
  const comparison = sanitizeTexts(original);
  const layout = new TerminalLayout(options);
  const { paint } = layout;
  const failed = listNewlyFailed(comparison);
  const [first = [], ...others] = failed.map((row) => renderNewlyFailed(row, layout));
  return joinParts([
    [
      ...layout.prose(describeChange(comparison), 0, paintChange(comparison, layout)),
      ...layout.labelled('old', describeRun(comparison.old), 2),
      ...layout.labelled('new', describeRun(comparison.new), 2),
      ...comparison.warnings.flatMap((warning) => layout.prose(`Warning: ${warning}`, 0, paint.yellow)),
    ],
    failed.length === 0 ? [] : [paint.bold(`Newly failed (${failed.length})`), ...first],
    ...others,
    ...listSections(comparison).map((section) => renderSection(section, layout)),
    [...layout.prose(describeUnchanged(comparison)), ...layout.prose(describeGate(comparison))],
  ]);
}

function paintChange({ gate, totals }: Comparison, { paint }: TerminalLayout): Painter {
  const isWorse = totals['lost-coverage'] + totals.undecided + totals.flaky > 0;
  const painter = gate.exit_code !== 0 ? paint.red : isWorse ? paint.yellow : paint.green;
  return (line) => paint.bold(painter(line));
}

const failuresShown = 3;

function renderNewlyFailed(row: ComparedRequirement, layout: TerminalLayout): readonly string[] {
  const { level, id, section, statement, failures } = row;
  const { paint } = layout;
  const isAdvisory = level === 'advisory';
  const painter: Painter = (line) => paint.bold(isAdvisory ? paint.yellow(line) : paint.red(line));
  const more = failures.length - failuresShown;
  return [
    ...layout.prose(
      `${level}  ${id}  §${section}${isAdvisory ? ' (not part of the verdict)' : ''}`,
      0,
      painter,
    ),
    ...layout.prose(statement, 2),
    ...layout.labelled('before', describeBefore(row), 2),
    ...failures.slice(0, failuresShown).flatMap(({ situation, expected, actual, confirmed, command }) => [
      ...(situation === null ? [] : layout.labelled('situation', truncate(situation, longestText), 2)),
      ...layout.labelled('expected', truncate(expected, longestText), 2),
      ...layout.labelled('got', truncate(actual, longestText), 2),
      ...layout.labelled('confirmed', formatConfirmed(confirmed), 2),
      // Whole, on a line of its own, so that it can be copied.
      `  ${paint.cyan(command)}`,
    ]),
    ...(more > 0 ? layout.prose(`and ${formatNumber(more)} more in the new report`, 2, paint.dim) : []),
  ];
}

function renderSection({ heading, meaning, groups }: Section, layout: TerminalLayout): readonly string[] {
  const { bold, dim } = layout.paint;
  return [
    ...layout.prose(`${heading}: ${meaning}`, 0, bold),
    ...groups.flatMap(({ reason, rows }) => {
      const ids = shortList(
        rows.map(({ id }) => id),
        8,
      );
      if (reason === null) return layout.prose(ids, 2, dim);
      const size = formatCount(rows.length, 'requirement');
      return [...layout.prose(`${size}: ${truncate(reason, longestText)}`, 2), ...layout.prose(ids, 4, dim)];
    }),
  ];
}

/** Renders a comparison as Markdown, for a pull request or a job summary. Text from the reports is sanitized. */
export function renderComparisonMarkdown(comparison: Comparison): string {
  const failed = listNewlyFailed(comparison);
  const heading = ['requirement', 'level', 'section', 'before', 'got'];
  return joinParts([
    [`## ${prose(describeChange(comparison))}`],
    [describeGate(comparison)],
    [`- Old: ${codeSpan(describeRun(comparison.old))}`, `- New: ${codeSpan(describeRun(comparison.new))}`],
    comparison.warnings.map((warning) => `> Warning: ${prose(warning)}  `),
    failed.length === 0 ? [] : [`### Newly failed (${failed.length})`],
    failed.length === 0
      ? []
      : [
          table(
            [heading, ...failed.map(renderCells)],
            heading.map(() => 'left'),
          ),
        ],
    ...listSections(comparison).map(renderFolded),
    [describeUnchanged(comparison)],
  ]);
}

const longestCell = 200;

function renderCells(row: ComparedRequirement): readonly string[] {
  const { id, level, section, failures, statement } = row;
  const [first] = failures;
  const more = failures.length > 1 ? `, and ${formatNumber(failures.length - 1)} more` : '';
  const cell = (text: string) => codeSpan(truncate(text, longestCell), 'table');
  return [
    `${cell(id)}<br>${prose(statement, 'table')}`,
    level === 'advisory' ? 'advisory, not part of the verdict' : level,
    `§${section}`,
    prose(truncate(describeBefore(row), longestCell), 'table'),
    first === undefined ? '' : `${cell(first.actual)}, expected ${cell(first.expected)}${more}`,
  ];
}

/** Long lists are folded: a summary is read from its top. */
function renderFolded({ heading, meaning, groups }: Section): readonly string[] {
  const items = groups.map(({ reason, rows }) => {
    const why = reason === null ? '' : `${prose(truncate(reason, longestCell))}: `;
    const ids = rows.map(({ id }) => codeSpan(id));
    return `- ${why}${shortList(ids, 30)}`;
  });
  return ['<details>', `<summary><b>${heading}</b>: ${meaning}</summary>`, '', ...items, '', '</details>'];
}
