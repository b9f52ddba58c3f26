import { randomUUID } from 'node:crypto';
import { exitCodes, strongestExitCode } from '../spec/exit-codes.js';
import { openapiSha256 } from '../spec/generated/openapi.js';
import { ledger, type RequirementId } from '../spec/ledger.js';
import { newerThan } from '../spec/ledger-version.js';
import type { Report, ReportedSilence, ReportedWaiver } from '../spec/report.js';
import { toolVersion } from '../spec/version.js';
import type { Target } from '../targets/target.js';
import { closeLedger } from './close-ledger.js';
import { decided, type Policy, usualPolicy } from './gate.js';
import { explainGate, renderGround } from './gate-notes.js';
import { PassiveJudge } from './passive.js';
import type { Depth } from './plan.js';
import { reportedCheck, reportedPassiveCheck } from './reported-check.js';
import type { RunRecord } from './run.js';
import type { Selection } from './selection.js';
import { type Shard, wholeRun, writeShard } from './shard.js';
import { situationsOf } from './situation.js';
import { totalsOf } from './totals.js';
import { verdictOf } from './verdict.js';
import type { Waiver } from './waivers/waiver.js';
import { weighed } from './waivers/weigh.js';

/** What a report says of the run beyond what the run found. */
export interface RunFacts {
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly complete: boolean;
  readonly interrupted: boolean;
  readonly selection: Selection;
  /** The address that was asked for, where the target could not be opened. */
  readonly baseUrl: string | undefined;
  readonly controlUrl: string | undefined;
  /** Whether the command's own reference server is judged. */
  readonly embedded?: boolean;
  /** The flags about TLS that the command was given, to be given again. */
  readonly tlsFlags?: string;
  /** The profile that the command was given. */
  readonly profilePath?: string | undefined;
  readonly seed: number;
  /** One of its own where absent. */
  readonly runId?: string;
  readonly depth?: Depth;
  /** Generated cases per property, where they were asked for. */
  readonly cases?: number | undefined;
  /** Which part of the run it was; the whole where absent. */
  readonly shard?: Shard;
  /** What the shards of one run have in common. */
  readonly group?: string | undefined;
  /** What the gate is decided by; the usual where absent. */
  readonly policy?: Policy;
  /** Known violations that the gate lets through. */
  readonly waivers?: readonly Waiver[];
  /** The release whose ledger the gate holds to; the newest where absent. */
  readonly ledger?: string;
}

/** Sums a run up: every requirement with one status, the verdict, the gate. */
export function reportOf(record: RunRecord, target: Target | undefined, facts: RunFacts): Report {
  const requirements = closeLedger(record, target, facts.selection);
  const verdict = verdictOf(requirements, record.unjudged !== undefined);
  const { shard = wholeRun } = facts;
  const { judgements, controlViolations } = record;
  const situation = situationsOf([
    ...judgements.flatMap(({ failures, passiveFailures }) => [...failures, ...passiveFailures]),
    ...controlViolations,
  ]);
  const checks = [
    ...judgements.map((judgement) => reportedCheck(judgement, facts, situation)),
    ...(record.observed?.alone === true
      ? []
      : PassiveJudge.requirements.map((id) => reportedPassiveCheck(id, record, facts, situation))),
    ...(record.observed?.checks ?? []),
  ];
  const gate = gateOf({ requirements, checks, record, facts });
  return {
    format: 'plumbline-report/1',
    tool: { name: 'plumbline-conformance', version: toolVersion },
    document: { version: '1.0.0', openapi_sha256: openapiSha256 },
    target: {
      base_url: target?.baseUrl ?? facts.baseUrl ?? null,
      control: target?.controlled ?? facts.controlUrl !== undefined,
      ...(facts.embedded === true ? { embedded: true } : {}),
      ...(target?.client.agents.isInsecure === true ? { insecure: true } : {}),
    },
    run: {
      id: facts.runId ?? randomUUID(),
      ...(facts.group === undefined ? {} : { group: facts.group }),
      started_at: facts.startedAt.toISOString(),
      duration_ms: Math.round(facts.durationMs),
      complete: facts.complete && record.faults.length === 0,
      seed: facts.seed,
      depth: facts.depth ?? 'standard',
      ...(facts.cases === undefined ? {} : { cases_per_property: facts.cases }),
      requests: target?.client.sent ?? 0,
      cases: record.observed?.alone
        ? record.observed.recording.judged
        : judgements.reduce((sum, { cases }) => sum + cases, 0),
      shard: writeShard(shard),
      selection: facts.selection.patterns,
      notes: [
        ...(record.unjudged === undefined ? [] : [record.unjudged]),
        ...(record.notes ?? []),
        ...record.faults,
        ...(record.observed?.notes ?? []),
      ],
      ...(record.observed === undefined ? {} : { recording: record.observed.recording }),
      ...slowedDown(target),
      left_behind: target?.leftBehind ?? [],
    },
    verdict,
    gate,
    totals: totalsOf(requirements),
    requirements,
    checks,
    silences: silences(record),
  };
}

/** What slowed the run down; nothing is said where nothing did. */
function slowedDown(target: Target | undefined): Pick<Report['run'], 'slowed_down'> {
  const slowDowns = target?.client.pacing.slowDowns ?? [];
  return slowDowns.length === 0 ? {} : { slowed_down: slowDowns };
}

interface GateMeans extends Pick<Report, 'requirements' | 'checks'> {
  readonly record: RunRecord;
  readonly facts: RunFacts;
}

/** What follows from the run once waivers and policy are applied. */
function gateOf({ requirements, checks, record, facts }: GateMeans): Report['gate'] {
  const { policy = usualPolicy, waivers = [], ledger: release, depth = 'standard' } = facts;
  const isShard = facts.shard !== undefined && facts.shard.of > 1;
  const { waived, faults } = weighed(waivers, { requirements, checks, depth, isShard });
  const newer = release === undefined ? new Set<RequirementId>() : newerThan(release);
  const decision = decided(requirements, policy, { waived, newer });
  const grounds = explainGate({ waived, waivers, decision, ledger: release });
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
    ...(isShard ? { waivers: waivers.map(reportedWaiver) } : {}),
    policy,
  };
}

function reportedWaiver({ id, case: code, situation, at }: Waiver): ReportedWaiver {
  return {
    ...{ id, at },
    ...(code === undefined ? {} : { case: code }),
    ...(situation === undefined ? {} : { situation }),
  };
}

function silences({ passive }: RunRecord): readonly ReportedSilence[] {
  return ledger
    .filter(({ level }) => level === 'silent')
    .map(({ id, section, statement }) => ({
      id,
      section,
      statement,
      observed: passive.silences.observed(id),
    }));
}
