import {
  type Change,
  type ComparedFailure,
  type ComparedRequirement,
  type ComparedRun,
  type ComparedState,
  type Comparison,
  changes,
  type Stopper,
  stoppers,
} from '../../spec/comparison.js';
import type { Failure, Report, ReportedRequirement } from '../../spec/report.js';
import { isOfDrawnCases } from '../../spec/situation.js';
import { toolVersion } from '../../spec/version.js';
import { flakySigns } from './flaky-signs.js';
import { changeOf, type Side } from './row-change.js';
import { runDifferences } from './run-differences.js';

/**
 * Compares two reports, requirement by requirement.
 * @param failOn what is to end with 1 beside a new violation, which always does
 */
export function comparisonOf(before: Report, after: Report, failOn: readonly Stopper[] = []): Comparison {
  const rows = comparedRequirements(before, after);
  const wanted = stoppers.filter((stopper) => stopper === 'new-violation' || failOn.includes(stopper));
  const stoppedBy = wanted.filter((stopper) => rows.some((row) => decides(row) && stops[stopper](row)));
  return {
    format: 'plumbline-comparison/1',
    tool: { name: 'plumbline-conformance', version: toolVersion },
    old: comparedRun(before),
    new: comparedRun(after),
    warnings: runDifferences(before, after),
    totals: {
      ...(Object.fromEntries(
        changes.map((change) => [change, rows.filter((row) => row.change === change).length]),
      ) as Record<Change, number>),
      flaky: rows.filter(({ flaky }) => flaky.length > 0).length,
    },
    requirements: rows.filter(({ change, flaky }) => change !== 'unchanged' || flaky.length > 0),
    gate: { fail_on: wanted, stopped_by: stoppedBy, exit_code: stoppedBy.length > 0 ? 1 : 0 },
  };
}

/** Whether a requirement decides: good practice that the document does not state never does. */
function decides({ level }: ComparedRequirement): boolean {
  return level === 'must' || level === 'derived';
}

const stops: Readonly<Record<Stopper, (row: ComparedRequirement) => boolean>> = {
  'new-violation': ({ change }) => change === 'newly-violated' || change === 'further-violation',
  'lost-coverage': ({ change }) => change === 'lost-coverage',
  // What was flaky before and has settled is no trouble any more.
  flaky: ({ flaky }) => flaky.some(({ report }) => report === 'new'),
};

/** In the order of the new report; what only the old one knows comes last. */
function comparedRequirements(before: Report, after: Report): readonly ComparedRequirement[] {
  const old = new Map(before.requirements.map((row) => [row.id, row]));
  const now = new Map(after.requirements.map((row) => [row.id, row]));
  const failures = { before: failuresById(before), after: failuresById(after) };
  return [...new Set([...now.keys(), ...old.keys()])].flatMap((id) => {
    const [was, is] = [old.get(id), now.get(id)];
    const known = is ?? was;
    if (known === undefined) return [];
    const shown = { before: failures.before.get(id) ?? [], after: failures.after.get(id) ?? [] };
    return {
      ...{ id, section: known.section, level: known.level, statement: known.statement },
      ...{ old: stateOf(was), new: stateOf(is) },
      ...changeWithEvidence(was, is, shown),
      flaky: [...flakySigns(was, before, 'old'), ...flakySigns(is, after, 'new')],
    };
  });
}

interface Shown {
  readonly before: readonly Failure[];
  readonly after: readonly Failure[];
}

function changeWithEvidence(
  was: Side,
  is: Side,
  shown: Shown,
): Pick<ComparedRequirement, 'change' | 'failures'> {
  const change = changeOf(was, is);
  if (change === 'newly-violated') return { change, failures: shown.after.map(comparedFailure) };
  const further = change === 'still-violated' ? furtherFailures(shown) : [];
  if (further.length === 0) return { change, failures: [] };
  return { change: 'further-violation', failures: further.map(comparedFailure) };
}

/** Violations in situations that the old report does not name; none where either does not name its own. */
function furtherFailures({ before, after }: Shown): readonly Failure[] {
  const known = before.map(situationOf);
  if (known.length === 0 || known.includes(null)) return [];
  return after.filter((failure) => {
    const situation = situationOf(failure);
    // What only a drawn case showed another seed may not meet: that it is new says nothing.
    return situation !== null && !known.includes(situation) && !isOfDrawnCases(failure);
  });
}

function failuresById({ checks }: Report): ReadonlyMap<string, readonly Failure[]> {
  const byId = new Map<string, Failure[]>();
  for (const { failure, further_failures } of checks) {
    for (const one of failure === null ? further_failures : [failure, ...further_failures])
      byId.set(one.requirement, [...(byId.get(one.requirement) ?? []), one]);
  }
  return byId;
}

function comparedFailure(failure: Failure): ComparedFailure {
  const { expected, actual, confirmed, reproduce } = failure;
  return { situation: situationOf(failure), expected, actual, confirmed, command: reproduce.command };
}

// Reports of other versions may name the situation of a violation, or not.
function situationOf({ situation }: Failure): string | null {
  return situation === '' ? null : situation;
}

function stateOf(row: ReportedRequirement | undefined): ComparedState | null {
  if (row === undefined) return null;
  const { status, reason, reason_code = null } = row;
  return { status, reason, reason_code };
}

function comparedRun({ tool, target, run, verdict, gate }: Report): ComparedRun {
  const { id, started_at, seed, depth, requests, complete } = run;
  return {
    ...{ id, started_at, tool_version: tool.version, base_url: target.base_url },
    ...{ seed, depth, requests, complete, verdict, exit_code: gate.exit_code },
  };
}
