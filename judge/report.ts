import { randomUUID } from 'node:crypto';
import { quoteForShell, typedCommand } from '../spec/command-line.js';
import { exitCodes, strongestExitCode } from '../spec/exit-codes.js';
import { openapiSha256 } from '../spec/generated/openapi.js';
import { findNewerIds, ledger, type RequirementId, requirement } from '../spec/ledger.js';
import { makeReason, type Reason, reportReason } from '../spec/reasons.js';
import {
  countStatuses,
  type Failure,
  type Policy,
  type Report,
  type ReportedCheck,
  type ReportedVote,
} from '../spec/report.js';
import { reportSituation, type ViolationIdentity } from '../spec/situation.js';
import { toolVersion } from '../spec/version.js';
import type { Target } from '../targets/target.js';
import type { Check, Judgement, RowOutcome } from './check.js';
import type { Violation } from './finding.js';
import { decideGate, defaultPolicy, explainGate, renderGround } from './gate.js';
import { PassiveJudge } from './passive.js';
import { type Plan, wholeRun, writeShard } from './plan.js';
import { decideRequirements, decideVerdict, makePassiveCheckId } from './requirement-results.js';
import type { RunRecord } from './run-record.js';
import type { RunScope } from './shard-plan.js';
import { makeSituationNamer } from './situation-names.js';
import { applyWaivers, type Waiver } from './waivers.js';

/** What a report says of a run beyond its findings. */
export interface RunFacts
  extends Pick<RunScope, 'selection' | 'shard'>,
    Pick<Plan, 'seed' | 'cases'>,
    Partial<Pick<Plan, 'depth'>> {
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly complete: boolean;
  readonly interrupted: boolean;
  /** The address that was given, where the target could not be opened. */
  readonly baseUrl?: string | undefined;
  readonly controlUrl?: string | undefined;
  /** Whether the embedded reference server is judged. */
  readonly embedded?: boolean;
  /** Whether the server runs in the process that judges it, where no command reaches it. */
  readonly isInProcess?: boolean;
  /** Whether any certificate was accepted, where no target was opened. */
  readonly insecure?: boolean;
  readonly targetFlags?: string;
  readonly profilePath?: string | undefined;
  readonly runId?: string;
  /** The ID shared by all shards of a run. */
  readonly group?: string | undefined;
  /** The policy of the gate; the default one where absent. */
  readonly policy?: Policy;
  readonly waivers?: readonly Waiver[];
  /** The release whose ledger the gate uses; the newest where absent. */
  readonly ledger?: string;
}

export function makeReport(record: RunRecord, target: Target | undefined, facts: RunFacts): Report {
  const { judgements, controlViolations, observed } = record;
  const reporter = makeFailureReporter(facts, [
    ...judgements.flatMap(({ failures, passiveFailures }) => [...failures, ...passiveFailures]),
    ...controlViolations,
  ]);
  const own = judgements.map((judgement) => reportCheck(judgement, reporter));
  // Recordings report what they show of each rule themselves.
  const ruled = observed?.isOnly === true ? [] : PassiveJudge.requirements;
  const sent = [...own, ...ruled.map((id) => reportPassiveCheck(id, record, reporter))];
  const requirements = decideRequirements(record, sent, target, facts.selection);
  const checks = [...sent, ...(observed?.checks ?? [])];
  return {
    format: 'plumbline-report/1',
    tool: { name: 'plumbline-conformance', version: toolVersion },
    document: { version: '1.0.0', openapi_sha256: openapiSha256 },
    target: reportTarget(target, facts),
    run: reportRun(record, target, facts),
    verdict: decideVerdict(requirements, record.unjudged !== undefined),
    gate: makeGate({ requirements, checks }, record, facts),
    totals: countStatuses(requirements),
    requirements,
    checks,
    silences: ledger
      .filter(({ level }) => level === 'silent')
      .map(({ id, section, statement }) => {
        return { id, section, statement, observed: record.passive.silences.listObserved(id) };
      }),
  };
}

function reportTarget(target: Target | undefined, facts: RunFacts): Report['target'] {
  const { controlUrl, profilePath } = facts;
  return {
    base_url: target?.baseUrl ?? facts.baseUrl ?? null,
    control: target?.controlled ?? controlUrl !== undefined,
    ...(controlUrl === undefined ? {} : { control_url: controlUrl }),
    ...(profilePath === undefined ? {} : { profile: profilePath }),
    ...(facts.embedded === true ? { embedded: true } : {}),
    ...((target?.client.agents.isInsecure ?? facts.insecure) === true ? { insecure: true } : {}),
  };
}

function reportRun(record: RunRecord, target: Target | undefined, facts: RunFacts): Report['run'] {
  const { shard = wholeRun } = facts;
  const { judgements, observed } = record;
  const slowDowns = target?.client.pacing.slowDowns ?? [];
  return {
    id: facts.runId ?? randomUUID(),
    ...(facts.group === undefined ? {} : { group: facts.group }),
    started_at: facts.startedAt.toISOString(),
    duration_ms: Math.round(facts.durationMs),
    complete: facts.complete && record.faults.length === 0,
    seed: facts.seed,
    depth: facts.depth ?? 'standard',
    ...(facts.cases === undefined ? {} : { cases_per_property: facts.cases }),
    requests: target?.client.sent ?? 0,
    cases: observed?.isOnly
      ? observed.recording.judged
      : judgements.reduce((sum, { cases }) => sum + cases, 0),
    shard: writeShard(shard),
    selection: facts.selection.patterns,
    notes: [
      ...(record.unjudged === undefined ? [] : [record.unjudged]),
      ...(record.notes ?? []),
      ...record.faults,
      ...(observed?.notes ?? []),
    ],
    ...(observed === undefined ? {} : { recording: observed.recording }),
    ...(slowDowns.length === 0 ? {} : { slowed_down: slowDowns }),
    left_behind: target?.leftBehind ?? [],
  };
}

function makeGate(
  { requirements, checks }: Pick<Report, 'requirements' | 'checks'>,
  record: RunRecord,
  facts: RunFacts,
): Report['gate'] {
  const { policy = defaultPolicy, waivers = [], ledger: release, depth = 'standard' } = facts;
  const isShard = facts.shard !== undefined && facts.shard.of > 1;
  const { waived, faults } = applyWaivers(waivers, { requirements, checks, depth, isShard });
  const newer = release === undefined ? new Set<RequirementId>() : findNewerIds(release);
  const decision = decideGate(requirements, policy, { waived, newer });
  const grounds = explainGate(decision, waived, waivers, release);
  return {
    exit_code: strongestExitCode([
      decision.exitCode,
      ...(record.faults.length > 0 ? [exitCodes.suiteFault] : []),
      ...(facts.interrupted ? [exitCodes.interrupted] : []),
      ...(faults.length > 0 ? [exitCodes.usage] : []),
      ...(record.unjudged === undefined ? [] : [exitCodes.unjudged]),
    ]),
    waived,
    excused: decision.excused.map(({ id }) => id),
    newer: decision.newer,
    notes: [...faults, ...grounds.map(renderGround)],
    grounds,
    ...(isShard ? { waivers: waivers.map(({ reason, owner, expires, ...waiver }) => waiver) } : {}),
    policy,
  };
}

export function reportCheck(judgement: Judgement, report: FailureReporter): ReportedCheck {
  const { check, outcome, reason, cases, classes = null, requests, attempts, coverage } = judgement;
  const { startedMs = 0, durationMs = 0 } = judgement;
  const [failure = null, ...further] = judgement.failures.map((violation) => report(violation, check));
  return {
    id: check.id,
    title: check.title,
    requirements: check.decides,
    outcome,
    ...reportReason(reason),
    cases,
    classes,
    ...(coverage === undefined ? {} : { coverage }),
    requests,
    started_ms: Math.round(startedMs),
    duration_ms: Math.round(durationMs),
    failure,
    further_failures: further,
    attempts,
    says: [...judgement.rows].map(([id, row]) => reportVote(id, row)),
  };
}

/** Reports the passive rule of a requirement: what it says over all exchanges of the run is one thing, or nothing. */
export function reportPassiveCheck(
  id: RequirementId,
  { passive, judgements, stopped, controlViolations, controlInconclusive }: RunRecord,
  report: FailureReporter,
): ReportedCheck {
  const control: SendingCheck = { id: makePassiveCheckId(id), requirement: id, decides: [id] };
  const found = [
    ...controlViolations.map((violation) => ({ violation, by: control })),
    ...judgements.flatMap(({ check: by, passiveFailures }) =>
      passiveFailures.map((violation) => ({ violation, by })),
    ),
  ].filter(({ violation }) => violation.requirement === id);
  // One of each operation and status: the same fault in forty checks is one fault.
  const bySubject = new Map(found.map((one) => [one.violation.subject, one]));
  const [failure = null, ...further] = [...bySubject.values()].map(({ violation, by }) =>
    report(violation, by),
  );
  const open =
    judgements.flatMap(({ passiveInconclusive }) => passiveInconclusive.get(id) ?? [])[0] ??
    controlInconclusive?.get(id);
  const tally = passive.tally(id);
  const row = decideRow(failure, open, tally.size > 0);
  // What no response showed is open where the run was stopped; elsewhere nothing is said of it.
  const ifUnseen = stopped && ({ outcome: 'inconclusive', reason: stopped } as const);
  const vote = row.outcome === 'skipped' ? ifUnseen : row;
  return {
    id: makePassiveCheckId(id),
    title: `${requirement(id).statement} (every response)`,
    requirements: [id],
    outcome: row.outcome,
    ...reportReason(row.reason),
    cases: [...tally.values()].reduce((sum, count) => sum + count, 0),
    classes: Object.fromEntries(tally),
    requests: 0,
    started_ms: 0,
    duration_ms: 0,
    failure,
    further_failures: further,
    attempts: [],
    says: vote === undefined ? [] : [reportVote(id, vote)],
  };
}

function decideRow(failure: Failure | null, open: Reason | undefined, isShown: boolean): RowOutcome {
  if (failure !== null) return { outcome: 'fail' };
  if (open !== undefined) return { outcome: 'inconclusive', reason: open };
  return isShown ? { outcome: 'pass' } : { outcome: 'skipped', reason: makeReason('not-shown') };
}

/** What is known of the check whose request showed a violation. */
type SendingCheck = Pick<Check, 'requirement' | 'decides'> & { readonly id: string };

function reportVote(id: RequirementId, { outcome, reason }: RowOutcome): ReportedVote {
  return { requirement: id, outcome, ...reportReason(reason) };
}

/** Reports a violation that a request of a check showed, with what sends it again. */
type FailureReporter = (violation: Violation, by: SendingCheck) => Failure;

/**
 * Makes what reports the violations of a run.
 * @param all the violations that are known, by which those of drawn cases are named
 */
export function makeFailureReporter(facts: RunFacts, all: readonly Violation[] = []): FailureReporter {
  const nameSituation = makeSituationNamer(all);
  return (violation, by) => {
    const { origin = { check: by.id }, replay, freshNames = [] } = violation;
    return reportFailure(violation, nameSituation(violation), {
      command: renderCommand(violation, by, facts),
      origin: {
        ...origin,
        ...(replay === undefined ? {} : { path: replay.path }),
        ...(freshNames.flat().length === 0 ? {} : { fresh_names: freshNames }),
      },
    });
  };
}

/** Renders the command, or the line of a test file, that reproduces a violation; a passive one also needs its check. */
function renderCommand(violation: Violation, by: SendingCheck, facts: RunFacts): string {
  const { requirement: violated, replay } = violation;
  const { baseUrl, controlUrl, profilePath, embedded, isInProcess, targetFlags = '' } = facts;
  const wanted = by.decides.includes(violated) ? [violated] : [violated, by.requirement];
  if (isInProcess === true) {
    const only = wanted.map((id) => `'${id}'`).join(', ');
    const case_ = replay === undefined ? '' : `, seed: ${replay.seed}, path: '${replay.path}'`;
    return `conformance(test, app, { only: [${only}]${case_} });`;
  }
  const reference = embedded === true ? ' --reference' : '';
  const places = Object.entries({ target: baseUrl, control: controlUrl, profile: profilePath });
  const target = places.map(([flag, place]) =>
    place === undefined ? '' : ` --${flag} ${quoteForShell(place)}`,
  );
  const only = wanted.map((id) => ` --only ${id}`).join('');
  const case_ = replay === undefined ? '' : ` --seed ${replay.seed} --path ${replay.path}`;
  return `${typedCommand} run${reference}${target.join('')}${targetFlags}${only}${case_}`;
}

/** Reports a violation with its situation and what reproduces it. */
export function reportFailure(
  violation: Violation,
  situation: ViolationIdentity,
  again: Omit<Failure['reproduce'], 'curl'>,
): Failure {
  const { requirement: violated, message, expected, actual, counterexample } = violation;
  const { confirmed, exchanges, curl, answeredBy, mismatch } = violation;
  return {
    requirement: violated,
    ...reportSituation(situation),
    message,
    expected,
    actual,
    ...(mismatch === undefined ? {} : { mismatch }),
    ...(answeredBy === undefined ? {} : { answered_by: answeredBy }),
    counterexample,
    confirmed,
    exchanges,
    reproduce: { curl, ...again },
  };
}
