import { describe, expect, test } from 'vitest';
import { type Comparison, compareReports } from '../../reports/comparison.js';
import { renderComparisonMarkdown, renderComparisonTerminal } from '../../reports/comparison-text.js';
import { renderComparisonPage } from '../../reports/html/comparison-page.js';
import { countColumns } from '../../reports/terminal-layout.js';
import { changes, type Stopper, stoppers } from '../../spec/comparison.js';
import type { RequirementId } from '../../spec/ledger.js';
import type { Report, Status } from '../../spec/report.js';
import { compileSchema, readSchema } from '../spec/schemas.js';
import { eventfulReport, sampleFailure, sampleReport } from './sample-report.js';

const must = 'auth.bearer';
const derived = 'key-info.usage.nested';
const advisory = 'secrecy.key-echo';

type Row = readonly [Status, string | null];

const pass: Row = ['pass', null];
const undecided: Row = ['inconclusive', 'out of time'];
const intermittent: Row = ['inconclusive', 'intermittent, 2 of 5 attempts: got 500'];
const unseen: Row = ['not-exercised', 'needs a key'];
const leftOut: Row = ['not-exercised', 'not selected'];
const hidden: Row = ['not-observable', 'no client can see it'];
const fail = 'fail';

/** A second run by its own id, so that it is not taken for the first. */
function later(report: Report): Report {
  return { ...report, run: { ...report.run, id: 'later', started_at: '2030-04-06T06:07:08Z' } };
}

function withRow(id: RequirementId, state: Row | typeof fail): Report {
  return sampleReport(state === fail ? { failures: [sampleFailure(id)] } : { rows: { [id]: state } });
}

function without(id: RequirementId, report: Report): Report {
  return { ...report, requirements: report.requirements.filter((row) => row.id !== id) };
}

function rowOf({ requirements }: Comparison, id: RequirementId) {
  return requirements.find((row) => row.id === id);
}

function compared(
  before: Row | typeof fail,
  after: Row | typeof fail,
  id: RequirementId = must,
  failOn: readonly Stopper[] = [],
): Comparison {
  return compareReports(withRow(id, before), later(withRow(id, after)), failOn);
}

test.each<readonly [Row | typeof fail, Row | typeof fail, (typeof changes)[number]]>([
  [pass, fail, 'newly-violated'],
  [undecided, fail, 'newly-violated'],
  [unseen, fail, 'newly-violated'],
  [leftOut, fail, 'newly-violated'],
  [fail, fail, 'still-violated'],
  [fail, pass, 'newly-held'],
  [pass, unseen, 'lost-coverage'],
  [fail, unseen, 'lost-coverage'],
  [pass, hidden, 'lost-coverage'],
  [pass, undecided, 'undecided'],
  [fail, undecided, 'undecided'],
  [undecided, pass, 'gained-coverage'],
  [unseen, pass, 'gained-coverage'],
  [unseen, undecided, 'still-unproven'],
  [undecided, unseen, 'still-unproven'],
  [pass, leftOut, 'not-comparable'],
  [fail, leftOut, 'not-comparable'],
  [leftOut, pass, 'not-comparable'],
  [leftOut, leftOut, 'not-comparable'],
])('two states are one change: %j, then %j: %s', (before, after, change) => {
  const comparison = compared(before, after);
  expect(rowOf(comparison, must)?.change).toBe(change);
  expect(comparison.totals[change]).toBe(1);
});

test('every requirement is counted once, and what is the same is not listed', () => {
  const { totals } = compareReports(sampleReport(), later(eventfulReport()));
  expect(changes.reduce((all, change) => all + totals[change], 0)).toBe(sampleReport().requirements.length);
  expect(compareReports(sampleReport(), later(sampleReport())).requirements).toEqual([]);
});

test('a requirement that one report does not know is only in the other', () => {
  const [whole, less] = [sampleReport(), without(must, sampleReport())];
  const changeOf = (before: Report, after: Report) => rowOf(compareReports(before, later(after)), must);
  expect(changeOf(whole, less)).toMatchObject({ change: 'only-in-old', new: null });
  expect(changeOf(less, whole)).toMatchObject({ change: 'only-in-new', old: null });
  expect(changeOf(less, withRow(must, fail))).toMatchObject({ change: 'newly-violated', old: null });
  expect(compareReports(less, later(withRow(must, fail))).gate.exit_code).toBe(1);
});

test.each<readonly [string, Comparison, readonly Stopper[]]>([
  ['a must newly failed', compared(pass, fail), ['new-violation']],
  ['a derived newly failed', compared(pass, fail, derived), ['new-violation']],
  ['a must failed that had no result', compared(unseen, fail), ['new-violation']],
  ['an advisory requirement newly failed', compared(pass, fail, advisory), []],
  ['still failed', compared(fail, fail), []],
  ['lost coverage', compared(pass, unseen), []],
  ['lost coverage, asked for', compared(pass, unseen, must, ['lost-coverage']), ['lost-coverage']],
  ['lost advisory coverage, asked for', compared(pass, unseen, advisory, ['lost-coverage']), []],
  ['an inconclusive result is not lost coverage', compared(pass, undecided, must, ['lost-coverage']), []],
  ['left out is not lost coverage', compared(pass, leftOut, must, ['lost-coverage']), []],
  ['flaky, asked for', compared(pass, intermittent, must, ['flaky']), ['flaky']],
  ['flaky before, asked for', compared(intermittent, pass, must, ['flaky']), []],
])('what ends a comparison with 1: %s', (_name, { gate }, stoppedBy) => {
  expect(gate.stopped_by).toEqual(stoppedBy);
  expect(gate.exit_code).toBe(stoppedBy.length > 0 ? 1 : 0);
});

describe('a further violation of a requirement that failed before', () => {
  const inSituation = (...situations: readonly string[]) =>
    sampleReport({ failures: situations.map((situation) => sampleFailure(must, { situation })) });
  const changeFrom = (before: Report, after: Report) => compareReports(before, later(after));

  test('in another situation stops, and only that one is shown', () => {
    const comparison = changeFrom(inSituation('expired'), inSituation('expired', 'disabled'));
    const shown = { change: 'further-violation', failures: [{ situation: 'disabled' }] };
    expect(rowOf(comparison, must)).toMatchObject(shown);
    expect(comparison.gate.exit_code).toBe(1);
  });

  test.each([
    ['the same', inSituation('expired'), inSituation('expired')],
    ['fewer', inSituation('expired', 'disabled'), inSituation('disabled')],
    ['named only now', inSituation(''), inSituation('expired')],
    ['named in part', inSituation('expired', ''), inSituation('disabled')],
    ['named only before', inSituation('expired'), inSituation('')],
    ['of a drawn case', inSituation('expired'), inSituation('expired', '404 answered 204 in a drawn case')],
  ])('%s is none', (_name, before, after) => {
    expect(rowOf(changeFrom(before, after), must)?.change).toBe('still-violated');
  });
});

describe('flaky', () => {
  const withAttempts = (state: Row | typeof fail, numbers: readonly number[]): Report => {
    const { checks, ...report } = withRow(must, state);
    const attempts = numbers.map((attempt) => ({ attempt, came: 'got 500', exchanges: [] }));
    return { ...report, checks: checks.map((one) => (one.id === must ? { ...one, attempts } : one)) };
  };
  test.each<readonly [string, Report, isFlaky: boolean]>([
    ['by its reason', withRow(must, intermittent), true],
    ['not by another reason', withRow(must, undecided), false],
    ['by attempts that passed between those that did not', withAttempts(undecided, [1, 3]), true],
    ['not where every attempt was alike', withAttempts(undecided, [1, 2]), false],
    ['where it failed in the end', withAttempts(fail, [1, 2, 4]), true],
    ['not where it failed each time', withAttempts(fail, [1, 2, 3, 4]), false],
  ])('%s', (_how, report, isFlaky) => {
    const { flaky = [] } = rowOf(compareReports(sampleReport(), later(report)), must) ?? {};
    expect(flaky.map(({ report: which }) => which)).toEqual(isFlaky ? ['new'] : []);
  });

  test('in both reports, though nothing changed', () => {
    const flaky = withRow(must, intermittent);
    const comparison = compareReports(flaky, later(flaky));
    const signs = [{ report: 'old' }, { report: 'new' }];
    expect(rowOf(comparison, must)).toMatchObject({ change: 'unchanged', flaky: signs });
    expect(comparison.totals.flaky).toBe(1);
  });
});

test('warns of all in which two runs differ', () => {
  const other = later(sampleReport());
  const warningsOf = (after: Report) => compareReports(sampleReport(), after).warnings;
  const run = { seed: 8, depth: 'quick', selection: { only: ['auth.*'], skip: [] }, shard: '1/3' } as const;
  const changed = {
    ...{ ...other, target: { base_url: 'http://x/v1', control: false } },
    run: { ...other.run, ...run, complete: false, started_at: '2029-01-01T00:00:00Z' },
    tool: { ...other.tool, version: '9.0.0' },
  };
  const words = [
    ...['may be swapped', 'new run stopped early', 'targets differ', 'means of control differ'],
    ...['seeds differ: -77 before, 8 now', 'depths differ', 'everything before, --only auth.*'],
    ...['shards differ', '0.1.0 before, 9.0.0 now'],
  ];
  expect(warningsOf(changed)).toEqual(words.map((text) => expect.stringContaining(text)));
  expect(warningsOf(other)).toEqual([]);
  expect(warningsOf(sampleReport())).toEqual(['Both reports are from the same run.']);
  expect(warningsOf({ ...other, gate: { ...other.gate, exit_code: 5 } })).toEqual([
    'The suite itself failed in the new run; do not rely on it.',
  ]);
  const refused = { ...other.run, notes: ['refused'] };
  expect(warningsOf({ ...other, run: refused, verdict: 'unjudged' })).toEqual([
    'The new run judged nothing: refused.',
  ]);
});

test('its schema accepts what is made, and knows the same words', () => {
  const schema = readSchema('comparison');
  const validate = compileSchema('comparison');
  const less = without(must, sampleReport({ baseUrl: null }));
  const comparisons = [
    compareReports(sampleReport(), later(eventfulReport()), stoppers),
    compareReports(eventfulReport(), later(less), stoppers),
  ];
  for (const comparison of comparisons)
    expect(validate(structuredClone(comparison)), JSON.stringify(validate.errors)).toBe(true);
  expect(schema.$defs.requirement.properties.change.enum).toEqual(changes);
  expect(schema.properties.totals.required).toEqual([...changes, 'flaky']);
  expect(schema.$defs.stoppers.items.enum).toEqual(stoppers);
});

const eventful = { ...eventfulReport(), run: { ...eventfulReport().run, id: 'later', seed: 5 } };
const worse = compareReports(sampleReport(), eventful, ['lost-coverage']);

function onTerminal(comparison: Comparison, width = 100): string {
  return renderComparisonTerminal(comparison, { color: false, width });
}

test('on a terminal the verdicts and what changed come first, the exit code last, each kind of change apart', () => {
  const text = onTerminal(worse);
  for (const words of [
    /^conformant → non-conformant: 4 newly failed, \d+ lost, 3 inconclusive now/,
    /^Lost coverage \(\d+\): had a result before, not exercised now$/m,
    /^Inconclusive now \(3\): .*a passing disturbance/m,
    /^Not comparable \(2\):/m,
    /both\s+not\s+selected\s+guardrail-read\.200\.read/,
    /Stopped by new violation and lost coverage: exit code 1\.\n$/,
    // What it takes to reproduce a new violation.
    /^vault-delete\.404\.other-intern \(must, §7\.1\)$/m,
    /before +passed\n +situation +vault-delete answered 204 [^§]* expected +404\n +got +204\n +confirmed +in 3 of 3 attempts/,
    /^ {2}plumbline run .*--only vault-delete\.404\.other-intern --seed -77$/m,
  ])
    expect(text).toMatch(words);
});

test('on a terminal improvements are shown too, and that there was no result before', () => {
  const better = onTerminal(compareReports(eventful, sampleReport()));
  expect(better).toMatch(/^Newly passed \(4\): failed before, passed now$/m);
  expect(better).toMatch(/^Gained coverage \(\d+\):/m);
  expect(better).toMatch(/No deciding new violation: exit code 0\.\n$/);
  const before = sampleReport({ rows: { 'auth.bearer': ['inconclusive', 'out of time'] } });
  const after = sampleReport({ failures: [sampleFailure('auth.bearer')] });
  expect(onTerminal(compareReports(before, after))).toContain('before     inconclusive, out of time');
});

test('on a terminal it fits 60 columns but for commands, which stand whole, and colour is asked for or absent', () => {
  const lines = onTerminal(worse, 60).split('\n');
  const wide = lines.filter((line) => countColumns(line) > 60);
  expect(wide.filter((line) => !line.startsWith('  plumbline run'))).toEqual([]);
  expect(onTerminal(worse)).not.toContain('\u001b');
  expect(renderComparisonTerminal(worse, { color: true, width: 80 })).toContain('\u001b[31m');
});

test('a requirement that failed before in other situations counts among new violations, not as newly failed', () => {
  const inSituations = (...situations: readonly string[]) =>
    sampleReport({ failures: situations.map((situation) => sampleFailure('auth.bearer', { situation })) });
  const after = inSituations('expired', 'disabled');
  const later = { ...after, run: { ...after.run, id: 'later' } };
  const comparison = compareReports(inSituations('expired'), later);
  const heading = 'New violations: 1 requirement';
  expect(onTerminal(comparison)).toContain(`\n${heading}\n`);
  expect(renderComparisonMarkdown(comparison)).toContain(`\n### ${heading}\n`);
  expect(renderComparisonPage(comparison)).toContain(`<h2>${heading}</h2>`);
});

test('in Markdown each new violation stands open, the rest folded', () => {
  const page = renderComparisonMarkdown(worse);
  expect(page).toMatch(/^## conformant → non-conformant: 4 newly failed/);
  expect(page.match(/^#### `.*`/gm)).toHaveLength(4);
  expect(page).toContain('<summary><b>Lost coverage (');
});

test('hostile text acts neither on a terminal nor in Markdown', () => {
  const actual = 'a | b `c` <img src=x> [l](http://x) @you **b**\n# top\u202e\u001b[2J';
  const after = sampleReport({
    baseUrl: actual,
    failures: [sampleFailure('auth.bearer', { actual })],
    rows: { 'auth.missing-key': ['inconclusive', actual] },
  });
  const comparison = compareReports(sampleReport(), after);
  const [text, page] = [onTerminal(comparison), renderComparisonMarkdown(comparison)];
  // Control and format characters, line ends aside.
  expect(text + page).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
  expect(text).toContain('\\u202e\\u001b[2J');
  const line = page.split('\n').find((one) => one.startsWith('- got '));
  expect(line).toContain('``a | b `c` <img');
  const outsideCode = line?.replace(/(`+)(?!`).*?(?<!`)\1(?!`)/g, '');
  expect(outsideCode).not.toMatch(/[`*[\]]|@y|<img|http:/);
  expect(page).not.toMatch(/^# top/m);
});
