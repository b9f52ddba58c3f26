import { type RequirementId, requirement } from '../spec/ledger.js';
import { makeReason, type Reason } from '../spec/reasons.js';
import type { Target } from '../targets/target.js';
import { type AttemptSpec, attempt, attemptShared, type RunContext } from './attempt.js';
import {
  assertDeclared,
  type Check,
  findWorst,
  type Judgement,
  makeJudgement,
  makeTroubleOutcome,
  type RowOutcome,
  type WrittenCheck,
} from './check.js';
import { confirm } from './confirmation.js';
import { ConfirmationHistory, isClean } from './confirmation-history.js';
import type { Attempt } from './finding.js';
import { PassiveJudge } from './passive.js';
import type { PositiveControls } from './positive-controls.js';

/** How often something must be seen, each time, of an operation that never succeeded. */
const attemptsOfAnExcused = 3;

/** Judges a check that is written out: one attempt, repeated where it did not hold. */
export async function runCheck(
  check: WrittenCheck,
  context: RunContext,
  controls: PositiveControls,
): Promise<Judgement> {
  const excuse = controls.excuse(check.control);
  const control = controls.findPairedControl(check);
  if (excuse === undefined && control === undefined)
    return makeJudgement(check, 'inconclusive', controls.explainFailure(check.control));
  const start = performance.now();
  const spec = specOf(check);
  if (excuse !== undefined && !controls.isWorthSending(check))
    return makeJudgement(check, 'inconclusive', excuse);
  const first = await makeFirstAttempt(spec, context);
  if (first.notShown !== undefined && first.findings.length === 0)
    return makeJudgement(check, 'skipped', first.notShown);
  if (excuse !== undefined && !(check.isControl && isClean(first)))
    return judgeExcused(check, { first, spec, excuse, start }, context, controls);
  const history = await confirm(first, spec, control ?? check.control, context, controls);
  return conclude(check, history, context.target, performance.now() - start);
}

/** What an attempt of a check that is written out is made of. */
export function specOf({
  id,
  requirement: subject,
  run,
  sideEffects,
  vaultRequests,
}: WrittenCheck): AttemptSpec {
  return {
    ...{ subject, run, vaultRequests, origin: { check: id } },
    altersSettings: sideEffects === 'settings',
    ...(sideEffects === undefined || sideEffects === 'settings' ? {} : { pool: sideEffects }),
  };
}

/** Makes the first attempt; one that met a refusal of what the target offers is made again, since it may do without. */
async function makeFirstAttempt(spec: AttemptSpec, context: RunContext): Promise<Attempt> {
  const { refused } = context.target;
  for (;;) {
    const { count } = refused;
    const made = await attemptShared(spec, context);
    if (made.notShown?.code !== 'lacking' || refused.count === count || context.signal.aborted) return made;
  }
}

interface ExcusedCase {
  readonly first: Attempt;
  readonly spec: AttemptSpec;
  /** Why the operation of the check is not judged by its failures. */
  readonly excuse: Reason;
  /** When the check began, on the clock of `performance`. */
  readonly start: number;
}

/** Judges a check of an operation that never succeeded: only what no failure of the service explains counts, if it comes each time. */
async function judgeExcused(
  check: WrittenCheck,
  { first, spec, excuse, start }: ExcusedCase,
  context: RunContext,
  controls: PositiveControls,
): Promise<Judgement> {
  const attempts = [first];
  let counting = first.findings.filter((finding) => controls.countsDespiteExcuse(finding));
  while (counting.length > 0 && attempts.length < attemptsOfAnExcused && !context.signal.aborted) {
    const again = await attempt(spec, context);
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
    ...(findWorst(rows.values()) ?? { outcome: 'inconclusive', reason: excuse }),
    rows,
    failures: violations.filter(({ requirement: violated }) => own(violated)),
    passiveFailures: violations.filter(({ requirement: violated }) => !own(violated)),
    passiveInconclusive: new Map(open.map(({ requirement: found }) => [found, excuse])),
    attempts: check.isControl || violations.length > 0 ? new ConfirmationHistory(first).reportedAttempts : [],
    cases: first.cases,
    requests: attempts.reduce((sum, { requests }) => sum + requests, 0),
    durationMs: performance.now() - start,
  };
}

/** The rows that a check decides on a target. */
export function findDecidableRows(check: Check, target: Target): readonly RequirementId[] {
  const decidesWhen = check.kind === 'written' ? check.decidesWhen : undefined;
  return decidesWhen?.((need) => target.lacks(need) === undefined) ?? check.decides;
}

function conclude(
  check: WrittenCheck,
  history: ConfirmationHistory,
  target: Target,
  durationMs: number,
): Judgement {
  assertDeclared(check, history.passedAnywhere);
  const own = (id: RequirementId) => check.decides.includes(id);
  const { confirmed, trouble, inconclusive } = history;
  const shown = findDecidableRows(check, target);
  const isSaid = (id: RequirementId) =>
    shown.includes(id) ||
    inconclusive.has(id) ||
    confirmed.some(({ requirement: violated }) => violated === id);
  const rows = new Map(
    check.decides.filter(isSaid).map((id) => [id, decideRow(id, check.requirement, history)] as const),
  );
  return {
    check,
    ...(findWorst(rows.values()) ?? { outcome: 'skipped', reason: undefined }),
    rows,
    failures: confirmed.filter(({ requirement: violated }) => own(violated)),
    passiveFailures: confirmed.filter(({ requirement: violated }) => !own(violated)),
    passiveInconclusive: new Map(
      [...inconclusive].filter((id) => !own(id)).map((id) => [id, trouble ?? makeReason('intermittent')]),
    ),
    attempts: confirmed.length > 0 || trouble !== undefined ? history.reportedAttempts : [],
    cases: history.cases,
    requests: history.requests,
    durationMs,
  };
}

function decideRow(id: RequirementId, own: RequirementId, history: ConfirmationHistory): RowOutcome {
  const { confirmed, trouble, inconclusive } = history;
  if (confirmed.some(({ requirement: violated }) => violated === id))
    return { outcome: 'fail', reason: undefined };
  // Trouble with other rows says nothing of what a rule for every response saw.
  const isOthers = inconclusive.size > 0 && !inconclusive.has(id);
  if (
    history.hasPassed(id) ||
    ((trouble === undefined || isOthers) && PassiveJudge.requirements.includes(id))
  ) {
    return { outcome: 'pass', reason: undefined };
  }
  if (trouble !== undefined && (confirmed.length === 0 || inconclusive.has(id))) {
    return inconclusive.has(id) || id === own
      ? { outcome: 'inconclusive', reason: trouble }
      : makeTroubleOutcome(id, trouble);
  }
  const silent = requirement(id).level === 'silent';
  return { outcome: 'skipped', reason: makeReason(silent ? 'reported-only' : 'ended-early') };
}
