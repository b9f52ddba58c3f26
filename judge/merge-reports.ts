import { randomUUID } from 'node:crypto';
import { exitCodes, strongestExitCode } from '../spec/exit-codes.js';
import type { RequirementId } from '../spec/ledger.js';
import { makeReason } from '../spec/reasons.js';
import {
  type Failure,
  type GateGround,
  isLeftOut,
  type Report,
  type ReportedCheck,
  type ReportedRequirement,
  type ReportedSay,
  type ReportedSilence,
  type ReportedWaiver,
} from '../spec/report.js';
import { worst } from './check.js';
import { decided, explainExcuses, renderGround, usualPolicy } from './gate.js';
import { PassiveJudge } from './passive.js';
import { Selection, wholeRun, writeShard } from './plan.js';
import {
  makeNotExercised,
  passiveCheckId,
  type Say,
  type Standing,
  statusOfOutcome,
  totalsOf,
  verdictOf,
  worstSay,
} from './requirement-results.js';
import { shardOf } from './shard-set.js';
import { observationsKept } from './unspecified-behaviour.js';
import { weighed } from './waivers.js';

/**
 * The report that one machine would have given, from those of all shards of one run (`faultsAmong` says whether they
 * are). Throws where there is none.
 * @param order the ids of all checks as one run tells them
 */
export function mergedReport(reports: readonly Report[], order: readonly string[]): Report {
  const shards = [...reports].sort((one, other) => shardOf(one).index - shardOf(other).index);
  const [first] = shards;
  if (first === undefined) throw new Error('There is no report to merge.');
  const unjudged = isUnjudged(shards);
  const checks = unitedChecks(shards, order);
  const selection = new Selection(first.run.selection);
  const requirements = mergedRows(shards, checks, { selection, unjudged });
  return {
    ...first,
    target: shards.find(({ target }) => target.base_url !== null)?.target ?? first.target,
    run: mergedRun(first, shards),
    verdict: verdictOf(requirements, unjudged),
    gate: mergedGate(shards, { requirements, checks }, unjudged),
    totals: totalsOf(requirements),
    requirements,
    checks,
    silences: first.silences.map((silence) => unitedSilence(silence, shards)),
  };
}

function mergedRun({ run }: Report, shards: readonly Report[]): Report['run'] {
  const runs = shards.map((report) => report.run);
  const slowed = runs.flatMap(({ slowed_down = [] }) => slowed_down);
  const starts = runs.map(({ started_at }) => started_at);
  return {
    ...run,
    id: randomUUID(),
    started_at: starts.reduce((one, other) => (Date.parse(other) < Date.parse(one) ? other : one)),
    duration_ms: Math.max(...runs.map(({ duration_ms }) => duration_ms)),
    complete: runs.every(({ complete }) => complete),
    requests: runs.reduce((sum, { requests }) => sum + requests, 0),
    cases: runs.reduce((sum, { cases }) => sum + cases, 0),
    shard: writeShard(wholeRun),
    notes: [...new Set(runs.flatMap(({ notes }) => notes))],
    ...(slowed.length === 0 ? {} : { slowed_down: slowed }),
    left_behind: runs.flatMap(({ left_behind }) => left_behind),
  };
}

/** Whether nothing was judged: no shard that had checks could judge one. */
function isUnjudged(shards: readonly Report[]): boolean {
  const anyCheck = shards.some(({ checks }) => checks.some((check) => !isPassiveCheck(check)));
  const unjudged = shards.filter(({ verdict }) => verdict === 'unjudged');
  return unjudged.length === shards.length || (!anyCheck && unjudged.length > 0);
}

/** The gate over all rows, by the policy of the run; what a shard did not decide may be unproven in all of them. */
function mergedGate(
  shards: readonly Report[],
  { requirements, checks }: Pick<Report, 'requirements' | 'checks'>,
  unjudged: boolean,
): Report['gate'] {
  const policy = shards[0]?.gate.policy ?? usualPolicy;
  const waived = requirements
    .filter(({ id, status }) => status === 'fail' && isWaived(id, shards))
    .map(({ id }) => id);
  const newer = new Set(shards.flatMap(({ gate }) => gate.newer as readonly RequirementId[]));
  const decision = decided(requirements, policy, { waived, newer });
  const depth = shards[0]?.run.depth ?? 'standard';
  const { faults } = weighed(waiversOf(shards), { requirements, checks, depth });
  // What is excused is decided anew over all rows, and so told anew.
  const excuses = explainExcuses(decision);
  return {
    exit_code: strongestExitCode([
      decision.exitCode,
      ...shards.map((shard) => shard.gate.exit_code).filter(isOfWholeRun),
      ...(faults.length > 0 ? [exitCodes.usage] : []),
      ...(unjudged ? [exitCodes.unjudged] : []),
    ]),
    waived,
    excused: decision.excused.map(({ id }) => id),
    newer: decision.newer,
    notes: [...faults, ...new Set(shards.flatMap(listOtherNotes)), ...excuses.map(renderGround)],
    grounds: [...listOtherGrounds(shards), ...excuses],
    policy,
  };
}

/** The waivers that the shards were given, each once. */
function waiversOf(shards: readonly Report[]): readonly ReportedWaiver[] {
  const waivers = shards.flatMap(({ gate }) => gate.waivers ?? []);
  return [...new Map(waivers.map((waiver) => [JSON.stringify(waiver), waiver])).values()];
}

function listOtherNotes({ gate, requirements }: Report): readonly string[] {
  // Version 0.1 wrote no grounds.
  const grounds = gate.grounds ?? explainExcuses(decided(requirements, gate.policy ?? usualPolicy));
  const excuses = grounds.filter(isExcuse).map(renderGround);
  return gate.notes.filter((note) => !excuses.includes(note));
}

function listOtherGrounds(shards: readonly Report[]): readonly GateGround[] {
  const grounds = shards.flatMap(({ gate }) => gate.grounds ?? []).filter((ground) => !isExcuse(ground));
  return [...new Map(grounds.map((ground) => [JSON.stringify(ground), ground])).values()];
}

function isExcuse({ code }: GateGround): boolean {
  return code === 'excused';
}

/** Whether every shard that saw a requirement violated had a waiver for it. */
function isWaived(id: string, shards: readonly Report[]): boolean {
  return shards.every(
    ({ requirements, gate }) =>
      gate.waived.includes(id) || !requirements.some((row) => row.id === id && row.status === 'fail'),
  );
}

/** Whether what ended a shard ends the whole run too; the other codes are decided over all rows. */
function isOfWholeRun(code: number): boolean {
  return code === exitCodes.suiteFault || code === exitCodes.interrupted || code === exitCodes.usage;
}

function unitedSilence(silence: ReportedSilence, shards: readonly Report[]): ReportedSilence {
  const observed = shards.flatMap(
    ({ silences }) => silences.find(({ id }) => id === silence.id)?.observed ?? [],
  );
  return { ...silence, observed: [...new Set(observed)].slice(0, observationsKept) };
}

/**
 * Every requirement with the status that one run of all checks gives it.
 * @param unjudged whether no shard judged anything
 */
function mergedRows(
  shards: readonly Report[],
  checks: readonly ReportedCheck[],
  { selection, unjudged }: { readonly selection: Selection; readonly unjudged: boolean },
): readonly ReportedRequirement[] {
  const says = saysByRow(checks);
  const rows = rowsById(shards);
  return [...rows.values()].flatMap((told) => {
    const [first] = told;
    if (first === undefined) return [];
    const said = says.get(first.id) ?? [];
    const {
      status,
      reason,
      reason_code = null,
    } = selection.has(first.id)
      ? standing(told, said, unjudged)
      : makeNotExercised(makeReason('not-selected'));
    return [{ ...first, status, reason, reason_code, checks: said.map(({ check }) => check) }];
  });
}

function saysByRow(checks: readonly ReportedCheck[]): ReadonlyMap<RequirementId, readonly Say[]> {
  const says = new Map<RequirementId, Say[]>();
  for (const check of checks) {
    for (const { requirement, outcome, ...reason } of saysOf(check)) {
      const said = { check: check.id, status: statusOfOutcome[outcome], ...reason };
      says.set(requirement, [...(says.get(requirement) ?? []), said]);
    }
  }
  return says;
}

function rowsById(shards: readonly Report[]): ReadonlyMap<RequirementId, readonly ReportedRequirement[]> {
  const rows = new Map<RequirementId, ReportedRequirement[]>();
  for (const row of shards.flatMap(({ requirements }) => requirements))
    rows.set(row.id, [...(rows.get(row.id) ?? []), row]);
  return rows;
}

function standing(told: readonly ReportedRequirement[], said: readonly Say[], unjudged: boolean): Standing {
  // A row that a shard was not to decide says so, and nothing else.
  const here = told.filter((row) => !isLeftOut(row));
  const [first] = here;
  const hidden = here.find(({ status }) => status === 'not-observable');
  if (hidden !== undefined) return hidden;
  if (unjudged && first !== undefined) return first;
  const fromUnjudged = said.length === 0 ? [] : here.filter(isWordless).map(leftOpen);
  return worstSay([...said, ...fromUnjudged]) ?? first ?? makeNotExercised(makeReason('not-shown'));
}

/**
 * Whether a shard was to decide a row and no check of it said a word: it could not be judged. Where the target lacks what
 * the row needs, a check that was skipped need not have spoken of it.
 */
function isWordless({ id, status, checks, reason_code: code }: ReportedRequirement): boolean {
  const isUnsaid = status === 'not-exercised' && checks.length === 0 && code !== 'lacking';
  return isUnsaid && !PassiveJudge.requirements.includes(id);
}

/** What another shard saw does not make up for the checks of one that was not judged. */
function leftOpen(row: ReportedRequirement): Say {
  return { check: '', ...row, status: 'inconclusive' };
}

const passiveIds = PassiveJudge.requirements.map(passiveCheckId);

/** Whether a check is a rule for every response, which every shard sees. */
function isPassiveCheck({ id }: ReportedCheck): boolean {
  return passiveIds.includes(id);
}

/**
 * The checks of all shards, each once, in the order of one run.
 * @param order the ids of all checks as one run tells them; the rules for every response follow
 */
function unitedChecks(shards: readonly Report[], order: readonly string[]): readonly ReportedCheck[] {
  const places = new Map([...order, ...passiveIds].map((id, at) => [id, at]));
  const placeOf = ({ id }: ReportedCheck) => places.get(id) ?? places.size;
  const byId = new Map<string, ReportedCheck[]>();
  for (const check of shards.flatMap(({ checks }) => checks))
    byId.set(check.id, [...(byId.get(check.id) ?? []), check]);
  return [...byId.values()].flatMap(united).sort((one, other) => placeOf(one) - placeOf(other));
}

/** What a check says of its requirements; one that does not tell them apart says the same of each. */
function saysOf({
  says,
  requirements,
  outcome,
  reason,
  reason_code = null,
}: ReportedCheck): readonly ReportedSay[] {
  return says ?? requirements.map((requirement) => ({ requirement, outcome, reason, reason_code }));
}

/** One check as several shards saw it. Those that saw nothing of it have no say beside one that did. */
function united(parts: readonly ReportedCheck[]): readonly ReportedCheck[] {
  const [first, ...others] = parts;
  if (first === undefined || others.length === 0) return parts;
  const seeing = parts.filter(({ outcome }) => outcome !== 'skipped');
  const telling = seeing.length > 0 ? seeing : parts;
  const { outcome, reason, reason_code = null } = worst(telling) ?? first;
  const [failure = null, ...further] = distinct(parts.flatMap(failuresOf));
  return [
    {
      ...first,
      outcome,
      reason,
      reason_code,
      cases: sum(parts, ({ cases }) => cases),
      classes: unitedClasses(parts),
      requests: sum(parts, ({ requests }) => requests),
      started_ms: Math.min(...parts.map(({ started_ms }) => started_ms)),
      duration_ms: Math.max(...parts.map(({ duration_ms }) => duration_ms)),
      failure,
      further_failures: further,
      attempts: parts.flatMap(({ attempts }) => attempts),
      says: first.requirements.flatMap((id) => unitedSay(telling.flatMap(saysOf), id)),
    },
  ];
}

function unitedSay(says: readonly ReportedSay[], id: ReportedSay['requirement']): readonly ReportedSay[] {
  const say = worst(says.filter(({ requirement }) => requirement === id));
  return say === undefined ? [] : [say];
}

function failuresOf({ failure, further_failures: further }: ReportedCheck): readonly Failure[] {
  return failure === null ? further : [failure, ...further];
}

/** One of each operation and status: the same fault in every shard is one fault. */
function distinct(failures: readonly Failure[]): readonly Failure[] {
  const subject = ({ requirement, counterexample: { operation, status }, message }: Failure) =>
    operation === undefined ? `${requirement} ${message}` : `${requirement} ${operation}.${status}`;
  const bySubject = new Map<string, Failure>();
  for (const failure of failures) {
    if (!bySubject.has(subject(failure))) bySubject.set(subject(failure), failure);
  }
  return [...bySubject.values()];
}

function unitedClasses(parts: readonly ReportedCheck[]): ReportedCheck['classes'] {
  const counts = new Map<string, number>();
  for (const [word, count] of parts.flatMap(({ classes }) => Object.entries(classes ?? {})))
    counts.set(word, (counts.get(word) ?? 0) + count);
  return parts.every(({ classes }) => classes === null) ? null : Object.fromEntries(counts);
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
