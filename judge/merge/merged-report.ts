import { randomUUID } from 'node:crypto';
import { exitCodes, strongestExitCode } from '../../spec/exit-codes.js';
import type { RequirementId } from '../../spec/ledger.js';
import type { GateGround, Report, ReportedSilence, ReportedWaiver } from '../../spec/report.js';
import { decided, usualPolicy } from '../gate.js';
import { explainExcuses, renderGround } from '../gate-notes.js';
import { Selection } from '../selection.js';
import { wholeRun, writeShard } from '../shard.js';
import { observationsKept } from '../silences.js';
import { totalsOf } from '../totals.js';
import { verdictOf } from '../verdict.js';
import { weighed } from '../waivers/weigh.js';
import { mergedRows } from './merged-rows.js';
import { shardOf } from './shard-report.js';
import { isPassiveCheck, unitedChecks } from './united-checks.js';

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
