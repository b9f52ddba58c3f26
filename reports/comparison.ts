import { type Change, changes, type Stopper, stoppers } from '../spec/comparison.js';
import { exitCodes } from '../spec/exit-codes.js';
import {
  type Failure,
  isLeftOut,
  listFailures,
  listSelectionFlags,
  type Report,
  type ReportedCheck,
  type ReportedRequirement,
} from '../spec/report.js';
import { isDeciding } from '../spec/requirement.js';
import { isOfDrawnCases } from '../spec/situation.js';
import { toolVersion } from '../spec/version.js';
import { groupFailures } from './failed-requirements.js';

/** What two reports differ in, described by comparison.schema.json. */
export type Comparison = ReturnType<typeof compareReports>;

/** A requirement in two reports. */
export type ComparedRequirement = ReturnType<typeof compareRequirements>[number];

/**
 * Compares two reports, requirement by requirement.
 * @param failOn what leads to exit code 1 besides a new violation
 */
export function compareReports(before: Report, after: Report, failOn: readonly Stopper[] = []) {
  const rows = compareRequirements(before, after);
  const wanted = stoppers.filter((stopper) => stopper === 'new-violation' || failOn.includes(stopper));
  const stoppedBy = wanted.filter((stopper) => rows.some((row) => isDeciding(row) && stops[stopper](row)));
  const isFlaky = ({ flaky }: ComparedRequirement) => flaky.length > 0;
  const count = (change: Change) => rows.filter((row) => row.change === change).length;
  const counts = Object.fromEntries(changes.map((change) => [change, count(change)]));
  return {
    format: 'plumbline-comparison/1',
    tool: { name: 'plumbline-conformance', version: toolVersion },
    old: describeRun(before),
    new: describeRun(after),
    /** Why differences may come from the runs and not from the server. */
    warnings: listDifferences(before, after),
    totals: { ...(counts as Record<Change, number>), flaky: rows.filter(isFlaky).length },
    /** Every requirement that changed, failed, or is flaky, in the order of the ledger. */
    requirements: rows.filter((row) => row.change !== 'unchanged' || isFlaky(row)),
    gate: { fail_on: wanted, stopped_by: stoppedBy, exit_code: stoppedBy.length > 0 ? 1 : 0 },
  };
}

const stops: Readonly<Record<Stopper, (row: ComparedRequirement) => boolean>> = {
  'new-violation': ({ change }) => change === 'newly-violated' || change === 'further-violation',
  'lost-coverage': ({ change }) => change === 'lost-coverage',
  // What was flaky only in the old run is no longer a problem.
  flaky: ({ flaky }) => flaky.some(({ report }) => report === 'new'),
};

/** In the order of the new report; what only the old one knows comes last. */
function compareRequirements(before: Report, after: Report) {
  const old = new Map(before.requirements.map((row) => [row.id, row]));
  const now = new Map(after.requirements.map((row) => [row.id, row]));
  const failures = { before: groupFailures(before), after: groupFailures(after) };
  return [...new Map([...now, ...old])].map(([id, known]) => {
    const [was, is] = [old.get(id), now.get(id)];
    const { section, level, statement } = is ?? known;
    return {
      ...{ id, section, level, statement },
      /** Null where the report does not know the requirement. */
      old: describeState(was),
      new: describeState(is),
      ...withEvidence(findChange(was, is), failures.before.get(id) ?? [], failures.after.get(id) ?? []),
      flaky: [...listFlakySigns(was, before, 'old'), ...listFlakySigns(is, after, 'new')],
    };
  });
}

type Row = ReportedRequirement | undefined;

/** Whether a violation is a further one shows only in its evidence. */
function findChange(before: Row, after: Row): Change {
  if (after === undefined) return 'only-in-old';
  // This comes first: nothing about the old run excuses a violation.
  if (after.status === 'fail') return before?.status === 'fail' ? 'still-violated' : 'newly-violated';
  if (before === undefined) return 'only-in-new';
  if (isLeftOut(before) || isLeftOut(after)) return 'not-comparable';
  if (before.status === after.status) return 'unchanged';
  if (after.status === 'pass') return before.status === 'fail' ? 'newly-held' : 'gained-coverage';
  if (before.status !== 'pass' && before.status !== 'fail') return 'still-unproven';
  return after.status === 'inconclusive' ? 'undecided' : 'lost-coverage';
}

/** Adds the violations that are new: all where the requirement passed before, those of new situations where it failed. */
function withEvidence(change: Change, before: readonly Failure[], after: readonly Failure[]) {
  if (change === 'newly-violated') return { change, failures: after.map(describeFailure) };
  const further = change === 'still-violated' ? findFurther(before, after).map(describeFailure) : [];
  return { change: further.length > 0 ? ('further-violation' as const) : change, failures: further };
}

/** Finds violations in situations that the old report does not name; none where either does not name its own. */
function findFurther(before: readonly Failure[], after: readonly Failure[]): readonly Failure[] {
  const known = before.map(({ situation }) => situation);
  if (known.length === 0 || known.includes('')) return [];
  // A violation that only a generated case showed need not be new: another seed may not meet it.
  return after.filter(
    (failure) => failure.situation !== '' && !known.includes(failure.situation) && !isOfDrawnCases(failure),
  );
}

function describeFailure({ situation, expected, actual, confirmed, reproduce }: Failure) {
  // Reports of other versions may not name the situation.
  const named = situation === '' ? null : situation;
  return { situation: named, expected, actual, confirmed, command: reproduce.command };
}

function describeState(row: Row) {
  if (row === undefined) return null;
  const { status, reason, reason_code = null } = row;
  return { status, reason, reason_code };
}

function describeRun({ tool, target, run, verdict, gate }: Report) {
  const { id, started_at, seed, depth, requests, complete } = run;
  return {
    ...{ id, started_at, tool_version: tool.version, base_url: target.base_url },
    ...{ seed, depth, requests, complete, verdict, exit_code: gate.exit_code },
  };
}

/** Lists the signs that a requirement both passed and failed within one run. */
function listFlakySigns(row: Row, { checks }: Report, report: 'old' | 'new') {
  if (row === undefined) return [];
  const { id, status, reason, reason_code: code } = row;
  if (status === 'inconclusive' && code === 'intermittent' && reason !== null)
    return [{ report, sign: reason }];
  const isConcerned = (check: ReportedCheck) =>
    status === 'inconclusive'
      ? check.outcome === 'inconclusive'
      : status === 'fail' && listFailures(check).some(({ requirement }) => requirement === id);
  const own = checks.filter((check) => row.checks.includes(check.id) && isConcerned(check));
  return own.flatMap(({ id: check, attempts }) => {
    // Attempts that passed are not recorded: a gap in the numbers is one of them.
    const last = attempts.at(-1)?.attempt ?? 0;
    const passed = last - attempts.length;
    return passed > 0 ? [{ report, sign: `${passed} of the first ${last} attempts of ${check} passed` }] : [];
  });
}

/** Lists why two reports may differ although the server did not change. */
function listDifferences(before: Report, after: Report): readonly string[] {
  if (before.run.id === after.run.id) return ['Both reports are from the same run.'];
  const isSwapped = Date.parse(after.run.started_at) < Date.parse(before.run.started_at);
  return [
    ...(isSwapped ? ['The new run started before the old one; the reports may be swapped.'] : []),
    ...warnOfEnd(before, 'old'),
    ...warnOfEnd(after, 'new'),
    ...facts.flatMap(([what, of, consequence]) => {
      const [old, now] = [of(before), of(after)];
      const so = consequence === '' ? '' : `; ${consequence}`;
      return old === now ? [] : [`The ${what} differ: ${old} before, ${now} now${so}.`];
    }),
  ];
}

type Fact = readonly [what: string, of: (report: Report) => string, consequence: string];

const facts: readonly Fact[] = [
  ['targets', ({ target }) => target.base_url ?? 'unknown', 'they may be different servers'],
  [
    'means of control',
    ({ target }) => (target.control ? 'a control protocol' : 'no control protocol'),
    'what can be exercised depends on it',
  ],
  ['seeds', ({ run }) => String(run.seed), 'other generated cases were sent'],
  ['depths', ({ run }) => run.depth, 'a greater depth sends more'],
  ['selections', ({ run }) => listSelectionFlags(run.selection).toSorted().join(' ') || 'everything', ''],
  ['shards', ({ run }) => run.shard, 'each shard judges other requirements'],
  [
    'versions of the suite',
    ({ tool }) => tool.version,
    'a newer one may have more requirements and stricter checks',
  ],
  ['interface descriptions', ({ document }) => document.openapi_sha256.slice(0, 12), ''],
];

function warnOfEnd({ run, gate, verdict }: Report, which: string): readonly string[] {
  if (gate.exit_code === exitCodes.suiteFault)
    return [`The suite itself failed in the ${which} run; do not rely on it.`];
  if (verdict === 'unjudged')
    return [`The ${which} run judged nothing: ${run.notes[0] ?? 'it gives no reason'}.`];
  return run.complete ? [] : [`The ${which} run stopped early.`];
}
