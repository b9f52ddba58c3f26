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
import { findWorst } from './check.js';
import { decideGate, defaultPolicy, explainExcuses, renderGround } from './gate.js';
import { PassiveJudge } from './passive.js';
import { Selection, wholeRun, writeShard } from './plan.js';
import {
  countStatuses,
  decideVerdict,
  findDecidingVote,
  makeNotExercised,
  passiveCheckId,
  type RequirementResult,
  statusOfOutcome,
  type Vote,
} from './requirement-results.js';
import { readShardOf } from './shard-set.js';
import { observationsKept } from './unspecified-behaviour.js';
import { applyWaivers } from './waivers.js';

/**
 * The report that one machine would have given, from those of all shards of one run (`faultsAmong` says whether they
 * are). Throws where there is none.
 * @param order the ids of all checks as one run tells them
 */
export function mergeReports(reports: readonly Report[], order: readonly string[]): Report {
  const shards = [...reports].sort((one, other) => readShardOf(one).index - readShardOf(other).index);
  const [first] = shards;
  if (first === undefined) throw new Error('There is no report to merge.');
  const unjudged = isUnjudged(shards);
  const checks = mergeChecks(shards, order);
  const selection = new Selection(first.run.selection);
  const requirements = mergeRequirements(shards, checks, { selection, unjudged });
  return {
    ...first,
    target: shards.find(({ target }) => target.base_url !== null)?.target ?? first.target,
    run: mergeRuns(first, shards),
    verdict: decideVerdict(requirements, unjudged),
    gate: mergeGates(shards, { requirements, checks }, unjudged),
    totals: countStatuses(requirements),
    requirements,
    checks,
    silences: first.silences.map((silence) => mergeSilence(silence, shards)),
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
function mergeGates(
  shards: readonly Report[],
  { requirements, checks }: Pick<Report, 'requirements' | 'checks'>,
  unjudged: boolean,
): Report['gate'] {
  const policy = shards[0]?.gate.policy ?? defaultPolicy;
  const waived = requirements
    .filter(({ id, status }) => status === 'fail' && isWaived(id, shards))
    .map(({ id }) => id);
  const newer = new Set(shards.flatMap(({ gate }) => gate.newer as readonly RequirementId[]));
  const decision = decideGate(requirements, policy, { waived, newer });
  const depth = shards[0]?.run.depth ?? 'standard';
  const { faults } = applyWaivers(collectWaivers(shards), { requirements, checks, depth });
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
function collectWaivers(shards: readonly Report[]): readonly ReportedWaiver[] {
  const waivers = shards.flatMap(({ gate }) => gate.waivers ?? []);
  return [...new Map(waivers.map((waiver) => [JSON.stringify(waiver), waiver])).values()];
}

function listOtherNotes({ gate, requirements }: Report): readonly string[] {
  // Version 0.1 wrote no grounds.
  const grounds = gate.grounds ?? explainExcuses(decideGate(requirements, gate.policy ?? defaultPolicy));
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

function mergeSilence(silence: ReportedSilence, shards: readonly Report[]): ReportedSilence {
  const observed = shards.flatMap(
    ({ silences }) => silences.find(({ id }) => id === silence.id)?.observed ?? [],
  );
  return { ...silence, observed: [...new Set(observed)].slice(0, observationsKept) };
}

/**
 * Every requirement with the status that one run of all checks gives it.
 * @param unjudged whether no shard judged anything
 */
function mergeRequirements(
  shards: readonly Report[],
  checks: readonly ReportedCheck[],
  { selection, unjudged }: { readonly selection: Selection; readonly unjudged: boolean },
): readonly ReportedRequirement[] {
  const says = groupVotes(checks);
  const rows = groupRows(shards);
  return [...rows.values()].flatMap((told) => {
    const [first] = told;
    if (first === undefined) return [];
    const said = says.get(first.id) ?? [];
    const {
      status,
      reason,
      reason_code = null,
    } = selection.has(first.id)
      ? decideMergedRow(told, said, unjudged)
      : makeNotExercised(makeReason('not-selected'));
    return [{ ...first, status, reason, reason_code, checks: said.map(({ check }) => check) }];
  });
}

function groupVotes(checks: readonly ReportedCheck[]): ReadonlyMap<RequirementId, readonly Vote[]> {
  const says = new Map<RequirementId, Vote[]>();
  for (const check of checks) {
    for (const { requirement, outcome, ...reason } of listVotes(check)) {
      const said = { check: check.id, status: statusOfOutcome[outcome], ...reason };
      says.set(requirement, [...(says.get(requirement) ?? []), said]);
    }
  }
  return says;
}

function groupRows(shards: readonly Report[]): ReadonlyMap<RequirementId, readonly ReportedRequirement[]> {
  const rows = new Map<RequirementId, ReportedRequirement[]>();
  for (const row of shards.flatMap(({ requirements }) => requirements))
    rows.set(row.id, [...(rows.get(row.id) ?? []), row]);
  return rows;
}

function decideMergedRow(
  told: readonly ReportedRequirement[],
  said: readonly Vote[],
  unjudged: boolean,
): RequirementResult {
  // A row that a shard was not to decide says so, and nothing else.
  const here = told.filter((row) => !isLeftOut(row));
  const [first] = here;
  const hidden = here.find(({ status }) => status === 'not-observable');
  if (hidden !== undefined) return hidden;
  if (unjudged && first !== undefined) return first;
  const fromUnjudged = said.length === 0 ? [] : here.filter(isWordless).map(makeOpenVote);
  return findDecidingVote([...said, ...fromUnjudged]) ?? first ?? makeNotExercised(makeReason('not-shown'));
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
function makeOpenVote(row: ReportedRequirement): Vote {
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
function mergeChecks(shards: readonly Report[], order: readonly string[]): readonly ReportedCheck[] {
  const places = new Map([...order, ...passiveIds].map((id, at) => [id, at]));
  const placeOf = ({ id }: ReportedCheck) => places.get(id) ?? places.size;
  const byId = new Map<string, ReportedCheck[]>();
  for (const check of shards.flatMap(({ checks }) => checks))
    byId.set(check.id, [...(byId.get(check.id) ?? []), check]);
  return [...byId.values()].flatMap(mergeCheck).sort((one, other) => placeOf(one) - placeOf(other));
}

/** What a check says of its requirements; one that does not tell them apart says the same of each. */
function listVotes({
  says,
  requirements,
  outcome,
  reason,
  reason_code = null,
}: ReportedCheck): readonly ReportedSay[] {
  return says ?? requirements.map((requirement) => ({ requirement, outcome, reason, reason_code }));
}

/** One check as several shards saw it. Those that saw nothing of it have no say beside one that did. */
function mergeCheck(parts: readonly ReportedCheck[]): readonly ReportedCheck[] {
  const [first, ...others] = parts;
  if (first === undefined || others.length === 0) return parts;
  const seeing = parts.filter(({ outcome }) => outcome !== 'skipped');
  const telling = seeing.length > 0 ? seeing : parts;
  const { outcome, reason, reason_code = null } = findWorst(telling) ?? first;
  const [failure = null, ...further] = deduplicateFailures(parts.flatMap(listFailures));
  return [
    {
      ...first,
      outcome,
      reason,
      reason_code,
      cases: sum(parts, ({ cases }) => cases),
      classes: mergeClasses(parts),
      requests: sum(parts, ({ requests }) => requests),
      started_ms: Math.min(...parts.map(({ started_ms }) => started_ms)),
      duration_ms: Math.max(...parts.map(({ duration_ms }) => duration_ms)),
      failure,
      further_failures: further,
      attempts: parts.flatMap(({ attempts }) => attempts),
      says: first.requirements.flatMap((id) => mergeVote(telling.flatMap(listVotes), id)),
    },
  ];
}

function mergeVote(says: readonly ReportedSay[], id: ReportedSay['requirement']): readonly ReportedSay[] {
  const say = findWorst(says.filter(({ requirement }) => requirement === id));
  return say === undefined ? [] : [say];
}

function listFailures({ failure, further_failures: further }: ReportedCheck): readonly Failure[] {
  return failure === null ? further : [failure, ...further];
}

/** One of each operation and status: the same fault in every shard is one fault. */
function deduplicateFailures(failures: readonly Failure[]): readonly Failure[] {
  const subject = ({ requirement, counterexample: { operation, status }, message }: Failure) =>
    operation === undefined ? `${requirement} ${message}` : `${requirement} ${operation}.${status}`;
  const bySubject = new Map<string, Failure>();
  for (const failure of failures) {
    if (!bySubject.has(subject(failure))) bySubject.set(subject(failure), failure);
  }
  return [...bySubject.values()];
}

function mergeClasses(parts: readonly ReportedCheck[]): ReportedCheck['classes'] {
  const counts = new Map<string, number>();
  for (const [word, count] of parts.flatMap(({ classes }) => Object.entries(classes ?? {})))
    counts.set(word, (counts.get(word) ?? 0) + count);
  return parts.every(({ classes }) => classes === null) ? null : Object.fromEntries(counts);
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
