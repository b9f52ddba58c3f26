import { type RequirementId, requirement } from '../spec/ledger.js';
import { makeReason, type Reason } from '../spec/reasons.js';
import type { Target } from '../targets/target.js';
import { type AttemptMeans, attempt, attemptShared, type Trial } from './attempt.js';
import {
  assertDeclared,
  type Check,
  type Judgement,
  type RowOutcome,
  troubled,
  undecided,
  type WrittenCheck,
  worst,
} from './check.js';
import { confirm } from './confirmation.js';
import { Course, isClean } from './confirmation-history.js';
import type { Attempt } from './finding.js';
import { PassiveJudge } from './passive.js';
import type { Controls } from './positive-controls.js';

/** How often something must be seen, each time, of an operation that never succeeded. */
const attemptsOfAnExcused = 3;

/** Judges a check that is written out: one attempt, repeated where it did not hold. */
export async function runCheck(
  check: WrittenCheck,
  means: AttemptMeans,
  controls: Controls,
): Promise<Judgement> {
  const excuse = controls.excuse(check.control);
  const beside = controls.beside(check);
  if (excuse === undefined && beside === undefined)
    return undecided(check, 'inconclusive', controls.reason(check.control));
  const start = performance.now();
  const { sideEffects } = check;
  const trial: Trial = {
    subject: check.requirement,
    run: check.run,
    altersSettings: sideEffects === 'settings',
    vaultRequests: check.vaultRequests,
    ...(sideEffects === undefined || sideEffects === 'settings' ? {} : { pool: sideEffects }),
  };
  if (excuse !== undefined && !controls.isWorthSending(check))
    return undecided(check, 'inconclusive', excuse);
  const first = await firstAttempt(trial, means);
  if (first.notShown !== undefined && first.findings.length === 0)
    return undecided(check, 'skipped', first.notShown);
  if (excuse !== undefined && !(check.isControl && isClean(first)))
    return judgeExcused(check, { first, trial, excuse, start }, means, controls);
  const course = await confirm(first, trial, beside ?? check.control, means, controls);
  return concluded(check, course, means.target, performance.now() - start);
}

/** Makes the first attempt; one that met a refusal of what the target offers is made again, since it may do without. */
async function firstAttempt(trial: Trial, means: AttemptMeans): Promise<Attempt> {
  const { refused } = means.target;
  for (;;) {
    const { count } = refused;
    const made = await attemptShared(trial, means);
    if (made.notShown?.code !== 'lacking' || refused.count === count || means.signal.aborted) return made;
  }
}

interface ExcusedCase {
  readonly first: Attempt;
  readonly trial: Trial;
  /** Why the operation of the check is not judged by its failures. */
  readonly excuse: Reason;
  /** When the check began, on the clock of `performance`. */
  readonly start: number;
}

/** Judges a check of an operation that never succeeded: only what no failure of the service explains counts, if it comes each time. */
async function judgeExcused(
  check: WrittenCheck,
  { first, trial, excuse, start }: ExcusedCase,
  means: AttemptMeans,
  controls: Controls,
): Promise<Judgement> {
  const attempts = [first];
  let counting = first.findings.filter((finding) => controls.countsThough(finding));
  while (counting.length > 0 && attempts.length < attemptsOfAnExcused && !means.signal.aborted) {
    const again = await attempt(trial, means);
    attempts.push(again);
    counting = counting.filter(({ key }) => again.findings.some((finding) => finding.key === key));
  }
  const isSettled = attempts.length === attemptsOfAnExcused;
  const violations = (isSettled ? counting : []).map((finding) => ({
    ...finding,
    confirmed: `${attempts.length}/${attempts.length}`,
  }));
  const own = (id: RequirementId) => check.decides.includes(id);
  const open = attempts
    .flatMap(({ findings }) => findings)
    .filter(({ requirement: found }) => !own(found) && !violations.some((one) => one.requirement === found));
  const rows = new Map(
    check.decides.map((id): readonly [RequirementId, RowOutcome] => [
      id,
      violations.some(({ requirement: violated }) => violated === id)
        ? { outcome: 'fail', reason: undefined }
        : { outcome: 'inconclusive', reason: excuse },
    ]),
  );
  return {
    check,
    ...(worst(rows.values()) ?? { outcome: 'inconclusive', reason: excuse }),
    rows,
    failures: violations.filter(({ requirement: violated }) => own(violated)),
    passiveFailures: violations.filter(({ requirement: violated }) => !own(violated)),
    passiveUnsettled: new Map(open.map(({ requirement: found }) => [found, excuse])),
    attempts: check.isControl || violations.length > 0 ? new Course(first).attemptsTold : [],
    cases: first.cases,
    requests: attempts.reduce((sum, { requests }) => sum + requests, 0),
    durationMs: performance.now() - start,
  };
}

/** The rows that a check decides on a target. */
export function shownBy(check: Check, target: Target): readonly RequirementId[] {
  const decidesWhen = check.kind === 'written' ? check.decidesWhen : undefined;
  return decidesWhen?.((need) => target.lacks(need) === undefined) ?? check.decides;
}

function concluded(check: WrittenCheck, course: Course, target: Target, durationMs: number): Judgement {
  assertDeclared(check, course.heldAnywhere);
  const own = (id: RequirementId) => check.decides.includes(id);
  const { confirmed, trouble, unsettled } = course;
  const shown = shownBy(check, target);
  const isSaid = (id: RequirementId) =>
    shown.includes(id) || unsettled.has(id) || confirmed.some(({ requirement: violated }) => violated === id);
  const rows = new Map(
    check.decides.filter(isSaid).map((id) => [id, rowOutcome(id, check.requirement, course)] as const),
  );
  return {
    check,
    ...(worst(rows.values()) ?? { outcome: 'skipped', reason: undefined }),
    rows,
    failures: confirmed.filter(({ requirement: violated }) => own(violated)),
    passiveFailures: confirmed.filter(({ requirement: violated }) => !own(violated)),
    passiveUnsettled: new Map(
      [...unsettled].filter((id) => !own(id)).map((id) => [id, trouble ?? makeReason('intermittent')]),
    ),
    attempts: confirmed.length > 0 || trouble !== undefined ? course.attemptsTold : [],
    cases: course.cases,
    requests: course.requests,
    durationMs,
  };
}

function rowOutcome(id: RequirementId, own: RequirementId, course: Course): RowOutcome {
  const { confirmed, trouble, unsettled } = course;
  if (confirmed.some(({ requirement: violated }) => violated === id))
    return { outcome: 'fail', reason: undefined };
  // Trouble with other rows says nothing of what a rule for every response saw.
  const isOthers = unsettled.size > 0 && !unsettled.has(id);
  if (course.held(id) || ((trouble === undefined || isOthers) && PassiveJudge.requirements.includes(id))) {
    return { outcome: 'pass', reason: undefined };
  }
  if (trouble !== undefined && (confirmed.length === 0 || unsettled.has(id))) {
    return unsettled.has(id) || id === own
      ? { outcome: 'inconclusive', reason: trouble }
      : troubled(id, trouble);
  }
  const silent = requirement(id).level === 'silent';
  return { outcome: 'skipped', reason: makeReason(silent ? 'reported-only' : 'ended-early') };
}
