import { randomUUID } from 'node:crypto';
import { openapiSha256 } from '../spec/generated/openapi.js';
import { ledger, type RequirementId, requirement } from '../spec/ledger.js';
import {
  type Failure,
  type Report,
  type ReportedCheck,
  type ReportedSilence,
  type Status,
  statuses,
} from '../spec/report.js';
import { toolVersion } from '../spec/version.js';
import type { Target } from '../targets/target.js';
import { closeLedger, passiveCheckId } from './close-ledger.js';
import type { Confirmed } from './course.js';
import type { Judgement } from './judgement.js';
import type { RunRecord } from './run.js';
import type { Selection } from './selection.js';
import { exitCodes, verdictOf } from './verdict.js';

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
  readonly seed: number;
}

/** Sums a run up: every requirement with one status, the verdict, the gate. */
export function reportOf(record: RunRecord, target: Target | undefined, facts: RunFacts): Report {
  const requirements = closeLedger(record, target, facts.selection);
  const verdict = verdictOf(requirements, record.unjudged !== undefined);
  const checks = [
    ...record.judgements.map((judgement) => activeCheck(judgement, facts)),
    ...passiveChecks(record, facts),
  ];
  return {
    format: 'plumbline-report/1',
    tool: { name: 'plumbline-conformance', version: toolVersion },
    document: { version: '1.0.0', openapi_sha256: openapiSha256 },
    target: {
      base_url: target?.baseUrl ?? facts.baseUrl ?? null,
      control: target?.controlled ?? facts.controlUrl !== undefined,
    },
    run: {
      id: randomUUID(),
      started_at: facts.startedAt.toISOString(),
      duration_ms: Math.round(facts.durationMs),
      complete: facts.complete && record.faults.length === 0,
      seed: facts.seed,
      depth: 'standard',
      requests: target?.client.sent ?? 0,
      cases: checks.reduce((sum, { cases }) => sum + cases, 0),
      shard: '1/1',
      selection: facts.selection.patterns,
      notes: [...(record.unjudged === undefined ? [] : [record.unjudged]), ...record.faults],
    },
    verdict,
    gate: { exit_code: exitCode(record, verdict, facts), waived: [], excused: [] },
    totals: Object.fromEntries(
      statuses.map((status) => [status, requirements.filter((row) => row.status === status).length]),
    ) as Record<Status, number>,
    requirements,
    checks,
    silences: silences(record, target),
  };
}

function exitCode(record: RunRecord, verdict: Report['verdict'], facts: RunFacts): number {
  if (record.faults.length > 0) return exitCodes.suiteFault;
  if (facts.interrupted) return exitCodes.interrupted;
  return exitCodes[verdict];
}

function activeCheck(judgement: Judgement, facts: RunFacts): ReportedCheck {
  const { check, outcome, reason, failures, cases, requests, durationMs } = judgement;
  const [failure = null, ...further] = failures.map((confirmed) =>
    failureOf(confirmed, check.requirement, facts),
  );
  return {
    id: check.id,
    title: check.title,
    requirements: check.decides,
    outcome,
    reason: reason ?? null,
    cases,
    requests,
    duration_ms: Math.round(durationMs),
    failure,
    further_failures: further,
  };
}

function passiveChecks({ passive, judgements }: RunRecord, facts: RunFacts): readonly ReportedCheck[] {
  return passive.requirements.map((id) => {
    const failures = distinct(
      judgements.flatMap(({ check, passiveFailures }) =>
        passiveFailures
          .filter((confirmed) => confirmed.requirement === id)
          .map((confirmed) => ({ confirmed, by: check.requirement })),
      ),
    ).map(({ confirmed, by }) => failureOf(confirmed, by, facts));
    const unsettled = judgements.flatMap(({ passiveUnsettled }) => passiveUnsettled.get(id) ?? [])[0];
    const cases = [...passive.tally(id).values()].reduce((sum, count) => sum + count, 0);
    const [failure = null, ...further] = failures;
    const undecided = unsettled === undefined ? (cases === 0 ? 'skipped' : 'pass') : 'inconclusive';
    return {
      id: passiveCheckId(id),
      title: `${requirement(id).statement} (every response)`,
      requirements: [id],
      outcome: failure === null ? undecided : 'fail',
      reason:
        failure === null ? (unsettled ?? (cases === 0 ? 'no answer of this run showed it' : null)) : null,
      cases,
      requests: 0,
      duration_ms: 0,
      failure,
      further_failures: further,
    };
  });
}

interface PassiveFailure {
  readonly confirmed: Confirmed;
  readonly by: RequirementId;
}

/** One of each operation and status: the same fault in forty checks is one fault. */
function distinct(failures: readonly PassiveFailure[]): readonly PassiveFailure[] {
  return [...new Map(failures.map((failure) => [failure.confirmed.key, failure])).values()];
}

function failureOf(confirmed: Confirmed, by: RequirementId, facts: RunFacts): Failure {
  const { requirement: violated, message, expected, actual, counterexample, exchanges, curl } = confirmed;
  return {
    requirement: violated,
    message,
    expected,
    actual,
    counterexample,
    confirmed: confirmed.confirmed,
    exchanges,
    reproduce: { curl, command: command(violated, by, facts) },
  };
}

/** The command that shows a violation again; a passive one needs the check whose requests showed it. */
function command(violated: RequirementId, by: RequirementId, facts: RunFacts): string {
  const address = facts.controlUrl === undefined ? '' : ` --control ${facts.controlUrl}`;
  const only = [...new Set([violated, by])].map((id) => ` --only ${id}`).join('');
  return `plumbline run${address}${only}`;
}

function silences({ passive }: RunRecord, target: Target | undefined): readonly ReportedSilence[] {
  return ledger
    .filter(({ level }) => level === 'silent')
    .map(({ id, section, statement }) => ({
      id,
      section,
      statement,
      observed: passive.silences.observed(id).map((seen) => target?.redactor.redact(seen) ?? seen),
    }));
}
