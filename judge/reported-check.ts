import { type RequirementId, requirement } from '../spec/ledger.js';
import type { Failure, Outcome, ReportedCheck } from '../spec/report.js';
import { passiveCheckId } from './close-ledger.js';
import type { Confirmed } from './course.js';
import type { Judgement } from './judgement.js';
import type { PassiveJudge } from './passive.js';

/** A check as the report tells it. The control URL, where there is one, goes into the command that replays it. */
export function reportedCheck(judgement: Judgement, controlUrl: string | undefined): ReportedCheck {
  const { check, outcome, reason, failures, cases, requests, durationMs } = judgement;
  const [failure = null, ...further] = failures.map((confirmed) =>
    failureOf(confirmed, check.requirement, controlUrl),
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

/** What the rule for every response says of a requirement, as the report tells it. */
export function reportedPassiveCheck(
  id: RequirementId,
  passive: PassiveJudge,
  judgements: readonly Judgement[],
  controlUrl: string | undefined,
): ReportedCheck {
  const [failure = null, ...further] = distinct(passiveFailures(id, judgements)).map(({ confirmed, by }) =>
    failureOf(confirmed, by, controlUrl),
  );
  const unsettled = judgements.flatMap(({ passiveUnsettled }) => passiveUnsettled.get(id) ?? [])[0];
  const cases = [...passive.tally(id).values()].reduce((sum, count) => sum + count, 0);
  const undecided = unsettled ?? (cases === 0 ? 'no answer of this run showed it' : null);
  return {
    id: passiveCheckId(id),
    title: `${requirement(id).statement} (every response)`,
    requirements: [id],
    outcome: failure === null ? passiveOutcome(cases, unsettled) : 'fail',
    reason: failure === null ? undecided : null,
    cases,
    requests: 0,
    duration_ms: 0,
    failure,
    further_failures: further,
  };
}

function passiveOutcome(cases: number, unsettled: string | undefined): Outcome {
  if (unsettled !== undefined) return 'inconclusive';
  return cases === 0 ? 'skipped' : 'pass';
}

function passiveFailures(id: RequirementId, judgements: readonly Judgement[]): readonly PassiveFailure[] {
  return judgements.flatMap(({ check, passiveFailures: failures }) =>
    failures
      .filter(({ requirement: violated }) => violated === id)
      .map((confirmed) => ({ confirmed, by: check.requirement })),
  );
}

interface PassiveFailure {
  readonly confirmed: Confirmed;
  readonly by: RequirementId;
}

/** One of each operation and status: the same fault in forty checks is one fault. */
function distinct(failures: readonly PassiveFailure[]): readonly PassiveFailure[] {
  return [...new Map(failures.map((failure) => [failure.confirmed.key, failure])).values()];
}

function failureOf(confirmed: Confirmed, by: RequirementId, controlUrl: string | undefined): Failure {
  const { requirement: violated, message, expected, actual, counterexample, exchanges, curl } = confirmed;
  return {
    requirement: violated,
    message,
    expected,
    actual,
    counterexample,
    confirmed: confirmed.confirmed,
    exchanges,
    reproduce: { curl, command: command(violated, by, controlUrl) },
  };
}

/** The command that shows a violation again; a passive one needs the check whose requests showed it. */
function command(violated: RequirementId, by: RequirementId, controlUrl: string | undefined): string {
  const address = controlUrl === undefined ? '' : ` --control ${controlUrl}`;
  const only = [...new Set([violated, by])].map((id) => ` --only ${id}`).join('');
  return `plumbline run${address}${only}`;
}
