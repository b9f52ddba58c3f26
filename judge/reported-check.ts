import { type RequirementId, requirement } from '../spec/ledger.js';
import { makeReason, type Reason, reportReason } from '../spec/reasons.js';
import type { Failure, Outcome, ReportedCheck, ReportedSay } from '../spec/report.js';
import type { Judgement, RowOutcome } from './check.js';
import {
  type AskingCheck,
  passiveCheckId,
  passiveOutcomes,
  passiveUnsettled,
  passiveViolations,
  type SeenByRules,
} from './close-ledger.js';
import type { Violation } from './finding.js';
import { type SituationNamer, situationsOf } from './situation.js';
import { toldFailure } from './told-failure.js';

/** The addresses that were given to the command, and so must be given again. */
export interface JudgedAddress {
  readonly baseUrl: string | undefined;
  readonly controlUrl: string | undefined;
  readonly profilePath?: string | undefined;
  /** Whether the command's own reference server is judged. */
  readonly embedded?: boolean;
  /** The flags about TLS that the command was given. */
  readonly tlsFlags?: string;
}

/** A check as the report tells it; the address goes into the command that shows a violation again. */
export function reportedCheck(
  judgement: Judgement,
  address: JudgedAddress,
  situation: SituationNamer = situationsOf([]),
): ReportedCheck {
  const { check, outcome, reason, failures, cases, classes, requests, durationMs, startedMs = 0 } = judgement;
  const [failure = null, ...further] = failures.map((confirmed) =>
    failureOf(confirmed, check, address, situation),
  );
  return {
    id: check.id,
    title: check.title,
    requirements: check.decides,
    outcome,
    ...reportReason(reason),
    cases,
    classes: classes ?? null,
    ...(judgement.coverage === undefined ? {} : { coverage: judgement.coverage }),
    requests,
    started_ms: Math.round(startedMs),
    duration_ms: Math.round(durationMs),
    failure,
    further_failures: further,
    attempts: judgement.attempts,
    says: [...judgement.rows].map(([id, row]) => said(id, row)),
  };
}

/** What the rule for every response says of a requirement, as the report tells it. */
export function reportedPassiveCheck(
  id: RequirementId,
  record: SeenByRules,
  address: JudgedAddress,
  situation: SituationNamer = situationsOf([]),
): ReportedCheck {
  const { passive } = record;
  const [failure = null, ...further] = distinct(passiveViolations(id, record)).map(({ violation, by }) =>
    failureOf(violation, by, address, situation),
  );
  const unsettled = passiveUnsettled(id, record);
  const cases = [...passive.tally(id).values()].reduce((sum, count) => sum + count, 0);
  const undecided = unsettled ?? (cases === 0 ? makeReason('not-shown') : undefined);
  return {
    id: passiveCheckId(id),
    title: `${requirement(id).statement} (every response)`,
    requirements: [id],
    outcome: failure === null ? passiveOutcome(cases, unsettled) : 'fail',
    ...reportReason(failure === null ? undecided : undefined),
    cases,
    classes: Object.fromEntries(passive.tally(id)),
    requests: 0,
    started_ms: 0,
    duration_ms: 0,
    failure,
    further_failures: further,
    attempts: [],
    says: passiveOutcomes(id, record).map((row) => said(id, row)),
  };
}

function said(id: RequirementId, { outcome, reason }: RowOutcome): ReportedSay {
  return { requirement: id, outcome, ...reportReason(reason) };
}

function passiveOutcome(cases: number, unsettled: Reason | undefined): Outcome {
  if (unsettled !== undefined) return 'inconclusive';
  return cases === 0 ? 'skipped' : 'pass';
}

/** One of each operation and status: the same fault in forty checks is one fault. */
function distinct<Seen extends { readonly violation: Violation }>(seen: readonly Seen[]): readonly Seen[] {
  return [...new Map(seen.map((one) => [one.violation.subject, one])).values()];
}

function failureOf(
  confirmed: Violation,
  by: AskingCheck,
  address: JudgedAddress,
  situation: SituationNamer,
): Failure {
  return toldFailure(confirmed, situation(confirmed), command(confirmed, by, address));
}

/** The command that shows a violation again; a passive one needs the check whose requests showed it. */
function command(violation: Violation, by: AskingCheck, address: JudgedAddress): string {
  const { requirement: violated, replay } = violation;
  const { baseUrl, controlUrl, profilePath, embedded, tlsFlags = '' } = address;
  const reference = embedded === true ? ' --reference' : '';
  const target = baseUrl === undefined ? '' : ` --target ${baseUrl}`;
  const control = controlUrl === undefined ? '' : ` --control ${controlUrl}`;
  const profile = profilePath === undefined ? '' : ` --profile ${profilePath}`;
  const wanted = by.decides.includes(violated) ? [violated] : [violated, by.requirement];
  const only = wanted.map((id) => ` --only ${id}`).join('');
  const case_ = replay === undefined ? '' : ` --seed ${replay.seed} --path ${replay.path}`;
  return `plumbline run${reference}${target}${control}${profile}${tlsFlags}${only}${case_}`;
}
