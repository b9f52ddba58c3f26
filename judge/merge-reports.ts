import { randomUUID } from 'node:crypto';
import { exitCodes, strongestExitCode } from '../spec/exit-codes.js';
import type { RequirementId } from '../spec/ledger.js';
import { groupBy } from '../spec/maps.js';
import { makeReason } from '../spec/reasons.js';
import {
  countStatuses,
  type Failure,
  type GateGround,
  isLeftOut,
  listFailures,
  type Report,
  type ReportedCheck,
  type ReportedRequirement,
  type ReportedWaiver,
  sumCoverage,
} from '../spec/report.js';
import { findWorst } from './check.js';
import { decideGate, defaultPolicy, explainExcuses, renderGround } from './gate.js';
import { PassiveJudge } from './passive.js';
import { wholeRun, writeShard } from './plan.js';
import {
  collectVotes,
  decideVerdict,
  listVotes,
  makeNotExercised,
  makePassiveCheckId,
  type RequirementResult,
  readVote,
  type Vote,
} from './requirement-results.js';
import { Selection } from './selection.js';
import { readReportShard } from './shard-set.js';
import { observationsKept } from './unspecified-behaviour.js';
import { applyWaivers } from './waivers.js';

/**
 * Merges the reports of all shards of one run into the report that one machine would have written. Throws where there is
 * none; `findShardFaults` finds out whether they belong together.
 * @param order the ids of all checks in the order of one run
 */
export function mergeReports(reports: readonly Report[], order: readonly string[]): Report {
  const shards = [...reports].sort((one, other) => readReportShard(one).index - readReportShard(other).index);
  const [first] = shards;
  if (first === undefined) throw new Error('There is no report to merge.');
  const unjudged = isUnjudged(shards);
  const checks = mergeChecks(shards, order);
  const requirements = mergeRequirements(shards, checks, unjudged);
  return {
    ...first,
    target: shards.find(({ target }) => target.base_url !== null)?.target ?? first.target,
    run: mergeRuns(first, shards),
    verdict: decideVerdict(requirements, unjudged),
    gate: mergeGates(shards, { requirements, checks }, unjudged),
    totals: countStatuses(requirements),
    requirements,
    checks,
    silences: first.silences.map((silence) => {
      const same = shards.flatMap(({ silences }) => silences.find(({ id }) => id === silence.id) ?? []);
      const observed = new Set(same.flatMap(({ observed: seen }) => seen));
      return { ...silence, observed: [...observed].slice(0, observationsKept) };
    }),
  };
}

function mergeRuns({ run }: Report, shards: readonly Report[]): Report['run'] {
  const runs = shards.map((report) => report.run);
  const slowed = runs.flatMap(({ slowed_down = [] }) => slowed_down);
  const starts = runs.map(({ started_at }) => started_at);
  return {
    ...run,
    id: randomUUID(),
    started_at: starts.reduce((one, other) => (Date.parse(other) < Date.parse(one) ? other : one)),
    duration_ms: Math.max(...runs.map(({ duration_ms }) => duration_ms)),
    complete: runs.every(({ complete }) => complete),
    requests: sum(runs, ({ requests }) => requests),
    cases: sum(runs, ({ cases }) => cases),
    shard: writeShard(wholeRun),
    notes: [...new Set(runs.flatMap(({ notes }) => notes))],
    ...(slowed.length === 0 ? {} : { slowed_down: slowed }),
    left_behind: runs.flatMap(({ left_behind }) => left_behind),
  };
}

/** Whether no shard that had checks could judge one. */
function isUnjudged(shards: readonly Report[]): boolean {
  const anyCheck = shards.some(({ checks }) => checks.some(({ id }) => !passiveIds.includes(id)));
  const unjudged = shards.filter(({ verdict }) => verdict === 'unjudged');
  return unjudged.length === shards.length || (!anyCheck && unjudged.length > 0);
}

// ── The gate ──

function mergeGates(
  shards: readonly Report[],
  { requirements, checks }: Pick<Report, 'requirements' | 'checks'>,
  unjudged: boolean,
): Report['gate'] {
  const gates = shards.map(({ gate }) => gate);
  const policy = gates[0]?.policy ?? defaultPolicy;
  const waived = requirements
    .filter(({ id, status }) => status === 'fail' && isWaived(id, shards))
    .map(({ id }) => id);
  const newer = new Set(gates.flatMap((gate) => gate.newer as readonly RequirementId[]));
  const decision = decideGate(requirements, policy, { waived, newer });
  const waivers = deduplicate<ReportedWaiver>(gates.flatMap((gate) => gate.waivers ?? []));
  const depth = shards[0]?.run.depth ?? 'standard';
  const { faults } = applyWaivers(waivers, { requirements, checks, depth });
  // Excuses are decided anew over all rows.
  const excuses = explainExcuses(decision);
  const grounds = gates.flatMap((gate) => gate.grounds ?? []).filter((ground) => !isExcuse(ground));
  return {
    exit_code: strongestExitCode([
      decision.exitCode,
      ...gates.map(({ exit_code }) => exit_code).filter((code) => endingCodes.includes(code)),
      ...(faults.length > 0 ? [exitCodes.usage] : []),
      ...(unjudged ? [exitCodes.unjudged] : []),
    ]),
    waived,
    excused: decision.excused.map(({ id }) => id),
    newer: decision.newer,
    notes: [...faults, ...new Set(shards.flatMap(listNotesOfOthers)), ...excuses.map(renderGround)],
    grounds: [...deduplicate(grounds), ...excuses],
    policy,
  };
}

/** The codes of what ends the whole run where it ends one shard; all others are decided over all rows. */
const endingCodes: readonly number[] = [exitCodes.suiteFault, exitCodes.interrupted, exitCodes.usage];

function listNotesOfOthers({ gate, requirements }: Report): readonly string[] {
  // Version 0.1 wrote no grounds.
  const grounds = gate.grounds ?? explainExcuses(decideGate(requirements, gate.policy ?? defaultPolicy));
  const excuses = grounds.filter(isExcuse).map(renderGround);
  return gate.notes.filter((note) => !excuses.includes(note));
}

function isExcuse({ code }: GateGround): boolean {
  return code === 'excused';
}

/** Whether every shard in which a requirement failed had a waiver for it. */
function isWaived(id: string, shards: readonly Report[]): boolean {
  return shards.every(
    ({ requirements, gate }) =>
      gate.waived.includes(id) || !requirements.some((row) => row.id === id && row.status === 'fail'),
  );
}

// ── Requirements ──

function mergeRequirements(
  shards: readonly Report[],
  checks: readonly ReportedCheck[],
  unjudged: boolean,
): readonly ReportedRequirement[] {
  const selection = new Selection(shards[0]?.run.selection ?? { only: [], skip: [] });
  const votesOf = collectVotes(checks);
  const rows = groupBy(
    shards.flatMap(({ requirements }) => requirements),
    ({ id }) => id,
  );
  return [...rows.values()].flatMap((ofShards) => {
    const [first] = ofShards;
    if (first === undefined) return [];
    const votes = votesOf(first.id);
    const {
      status,
      reason,
      reason_code = null,
    } = selection.has(first.id)
      ? decideMergedRow(ofShards, votes, unjudged)
      : makeNotExercised(makeReason('not-selected'));
    return [{ ...first, status, reason, reason_code, checks: votes.map(({ check }) => check) }];
  });
}

function decideMergedRow(
  rows: readonly ReportedRequirement[],
  votes: readonly Vote[],
  unjudged: boolean,
): RequirementResult {
  // A shard that was not to decide the row says so, and nothing else.
  const here = rows.filter((row) => !isLeftOut(row));
  const [first] = here;
  const hidden = here.find(({ status }) => status === 'not-observable');
  if (hidden !== undefined) return hidden;
  if (unjudged && first !== undefined) return first;
  // What another shard saw does not make up for the checks of one that could not be judged.
  const open = votes.length === 0 ? [] : here.filter(isWithoutVote);
  const fromUnjudged = open.map((row): Vote => ({ check: '', ...row, outcome: 'inconclusive' }));
  const worst = findWorst([...votes, ...fromUnjudged]);
  if (worst === undefined) return first ?? makeNotExercised(makeReason('not-shown'));
  // A check of other requirements that skipped this one cannot say what the target lacks for it.
  const lacking = here.find(({ reason_code: code }) => code === 'lacking');
  return worst.outcome === 'skipped' && lacking !== undefined ? lacking : readVote(worst);
}

/** Whether a shard was to decide a row and no check of it did, although the target lacks nothing for it. */
function isWithoutVote({ id, status, checks, reason_code: code }: ReportedRequirement): boolean {
  const isUndecided = status === 'not-exercised' && checks.length === 0 && code !== 'lacking';
  return isUndecided && !PassiveJudge.requirements.includes(id);
}

// ── Checks ──

/** Every shard has the checks of the rules for every response. */
const passiveIds = PassiveJudge.requirements.map(makePassiveCheckId);

/** Lists the checks of all shards, each once, in the order of one run. */
function mergeChecks(shards: readonly Report[], order: readonly string[]): readonly ReportedCheck[] {
  const places = new Map([...order, ...passiveIds].map((id, at) => [id, at]));
  const placeOf = ({ id }: ReportedCheck) => places.get(id) ?? places.size;
  const byId = groupBy(
    shards.flatMap(({ checks }) => checks),
    ({ id }) => id,
  );
  return [...byId.values()].flatMap(mergeCheck).sort((one, other) => placeOf(one) - placeOf(other));
}

/** Merges the results of a check in several shards; those that skipped it count only if all did. */
function mergeCheck(parts: readonly ReportedCheck[]): readonly ReportedCheck[] {
  const [first, ...others] = parts;
  if (first === undefined || others.length === 0) return parts;
  const judged = parts.filter(({ outcome }) => outcome !== 'skipped');
  const counting = judged.length > 0 ? judged : parts;
  const { outcome, reason, reason_code = null } = findWorst(counting) ?? first;
  const [failure = null, ...further] = deduplicateFailures(parts.flatMap(listFailures));
  const votes = counting.flatMap(listVotes);
  const coverage = sumCoverage(parts, 2) ?? sumCoverage(parts, 3);
  return [
    {
      ...first,
      outcome,
      reason,
      reason_code,
      cases: sum(parts, ({ cases }) => cases),
      classes: mergeClasses(parts),
      ...(coverage === undefined ? {} : { coverage }),
      requests: sum(parts, ({ requests }) => requests),
      started_ms: Math.min(...parts.map(({ started_ms }) => started_ms)),
      duration_ms: Math.max(...parts.map(({ duration_ms }) => duration_ms)),
      failure,
      further_failures: further,
      attempts: parts.flatMap(({ attempts }) => attempts),
      says: first.requirements.flatMap(
        (id) => findWorst(votes.filter(({ requirement }) => requirement === id)) ?? [],
      ),
    },
  ];
}

/** Keeps one of each operation and status: the same fault in every shard is one fault. */
function deduplicateFailures(failures: readonly Failure[]): readonly Failure[] {
  const groups = groupBy(failures, ({ requirement, counterexample: { operation, status }, message }) =>
    operation === undefined ? `${requirement} ${message}` : `${requirement} ${operation}.${status}`,
  );
  return [...groups.values()].flatMap((alike) => alike.slice(0, 1));
}

function mergeClasses(parts: readonly ReportedCheck[]): ReportedCheck['classes'] {
  const counts = new Map<string, number>();
  for (const [word, count] of parts.flatMap(({ classes }) => Object.entries(classes ?? {})))
    counts.set(word, (counts.get(word) ?? 0) + count);
  return parts.every(({ classes }) => classes === null) ? null : Object.fromEntries(counts);
}

function deduplicate<Item>(items: readonly Item[]): readonly Item[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
