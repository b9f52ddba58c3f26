import type { Change, Stopper } from '../spec/comparison.js';
import { groupBy } from '../spec/maps.js';
import { isLeftOut, type Verdict } from '../spec/report.js';
import type { ComparedRequirement, Comparison } from './comparison.js';
import { sortByLevel } from './failed-requirements.js';
import { sanitizeTexts, truncate } from './sanitize.js';
import { formatConfirmed, formatCount, formatInstant, formatNumber, statusWords } from './wording.js';

/** A text and its label: `expected` and `404`. */
type Fact = readonly [label: string, text: string];

// Texts from a server can have any length.
const longestText = 300;
const failuresShown = 3;

/** Puts a comparison into words for every format. Text is sanitized and cut, except for commands, which stay whole. */
export function describeComparison(original: Comparison) {
  const comparison = sanitizeTexts(original);
  const { old, new: now, warnings, requirements, totals, gate } = comparison;
  const isWorse = totals['lost-coverage'] + totals.undecided + totals.flaky > 0;
  const passed: Verdict = isWorse ? 'incomplete' : 'conformant';
  const tone: Verdict = gate.exit_code !== 0 ? 'non-conformant' : passed;
  return {
    title: describeChange(comparison),
    /** The verdict in whose colour it is shown. */
    tone,
    runs: [
      ['old', describeRun(old)],
      ['new', describeRun(now)],
    ] satisfies readonly Fact[],
    warnings,
    /** The newly failed requirements and those that failed in further situations, `must` first. */
    failed: sortByLevel(
      requirements.filter(({ change }) => change === 'newly-violated' || change === 'further-violation'),
    ).map(describeFailed),
    /** Everything but new violations, by how it changed. */
    sections: sections.flatMap((section) => describeSection(section, requirements)),
    closing: [`Unchanged: ${formatCount(totals.unchanged, 'requirement')}.`, explainExitCode(comparison)],
  };
}

const totalWords: readonly (readonly [keyof Comparison['totals'], string])[] = [
  ['newly-violated', 'newly failed'],
  ['further-violation', 'failed in further situations'],
  ['newly-held', 'newly passed'],
  ['lost-coverage', 'lost'],
  ['undecided', 'inconclusive now'],
  ['gained-coverage', 'gained'],
  ['flaky', 'flaky'],
];

function describeChange({ old, new: now, totals }: Comparison): string {
  const counts = totalWords
    .filter(([change]) => totals[change] > 0)
    .map(([change, word]) => `${formatNumber(totals[change])} ${word}`);
  return `${old.verdict} → ${now.verdict}: ${counts.length === 0 ? 'nothing changed' : counts.join(', ')}`;
}

function describeRun(run: Comparison['old']): string {
  const { started_at, base_url, seed, depth, requests, tool_version, verdict, exit_code } = run;
  const how = `seed ${seed}, ${depth}, ${formatCount(requests, 'request')}, version ${tool_version}`;
  return `${verdict} (exit ${exit_code}), ${formatInstant(started_at)} UTC, ${base_url ?? 'address unknown'}, ${how}`;
}

const stopperWords: Readonly<Record<Stopper, string>> = {
  'new-violation': 'new violation',
  'lost-coverage': 'lost coverage',
  flaky: 'flaky requirement',
};

function explainExitCode({ gate }: Comparison): string {
  const words = (some: readonly Stopper[]) => some.map((stopper) => stopperWords[stopper]);
  return gate.exit_code === 0
    ? `No deciding ${words(gate.fail_on).join(', no ')}: exit code 0.`
    : `Stopped by ${words(gate.stopped_by).join(' and ')}: exit code 1.`;
}

function describeFailed(row: ComparedRequirement) {
  const { id, level, section, statement, old, change, failures } = row;
  const isAdvisory = level === 'advisory';
  return {
    id,
    rank: `${level}, §${section}${isAdvisory ? ', not part of the verdict' : ''}`,
    isAdvisory,
    statement,
    before: change === 'further-violation' ? 'failed in other situations only' : describeState(old),
    failures: failures.slice(0, failuresShown).map(({ situation, expected, actual, confirmed, command }) => ({
      facts: [
        ...(situation === null ? [] : [['situation', truncate(situation, longestText)] as const]),
        ['expected', truncate(expected, longestText)],
        ['got', truncate(actual, longestText)],
        ['confirmed', formatConfirmed(confirmed)],
      ] satisfies readonly Fact[],
      command,
    })),
    more: Math.max(0, failures.length - failuresShown),
  };
}

function describeState(state: ComparedRequirement['old']): string {
  if (state === null) return 'unknown to this report';
  if (isLeftOut(state)) return 'not selected';
  const { status, reason } = state;
  return reason === null ? statusWords[status] : `${statusWords[status]}, ${truncate(reason, longestText)}`;
}

type Section = readonly [which: Change | 'flaky', heading: string, meaning: string];

const sections: readonly Section[] = [
  ['newly-held', 'Newly passed', 'failed before, passed now'],
  ['lost-coverage', 'Lost coverage', 'had a result before, not exercised now'],
  ['undecided', 'Inconclusive now', 'had a result before; probably a passing disturbance, not lost coverage'],
  ['gained-coverage', 'Gained coverage', 'no result before, passed now'],
  ['flaky', 'Flaky', 'passed and failed within one run'],
  ['still-violated', 'Still failed', 'failed before and now'],
  [
    'still-unproven',
    'Still without a result',
    'inconclusive or not exercised, for another reason than before',
  ],
  ['not-comparable', 'Not comparable', 'left out by the selection of one run or both'],
  ['only-in-old', 'Only in the old report', 'unknown to the new one'],
  ['only-in-new', 'Only in the new report', 'unknown to the old one'],
];

function describeSection([which, heading, meaning]: Section, requirements: readonly ComparedRequirement[]) {
  const rows = requirements.filter(({ change, flaky }) =>
    which === 'flaky' ? flaky.length > 0 : change === which,
  );
  if (rows.length === 0) return [];
  const groups = groupBy(sortByLevel(rows), (row) => explainChange(row, which));
  return [
    {
      heading: `${heading} (${rows.length})`,
      meaning,
      groups: [...groups]
        .map(([reason, alike]) => ({ reason, ids: alike.map(({ id }) => id) }))
        .sort((one, other) => other.ids.length - one.ids.length),
    },
  ];
}

/** Why a requirement is what it is now, where there is a reason; the section says what it was before. */
function explainChange({ new: now, flaky }: ComparedRequirement, which: Section[0]): string | null {
  if (which === 'flaky')
    return flaky.map(({ report, sign }) => `${report === 'old' ? 'before' : 'now'}: ${sign}`).join('; ');
  return typeof now?.reason === 'string' ? truncate(now.reason, longestText) : null;
}
