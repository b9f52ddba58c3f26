import { type RequirementId, requirement } from '../spec/ledger.js';
import { makeReason, type Reason } from '../spec/reasons.js';
import type { Target } from '../targets/target.js';
import { type AttemptSpec, attempt, attemptShared, type RunContext } from './attempt.js';
import {
  assertDeclared,
  type Check,
  conclude,
  type Judgement,
  type JudgingContext,
  makeHinderedOutcome,
  makeJudgement,
  type RowOutcome,
  type WrittenCheck,
} from './check.js';
import { confirm } from './confirmation.js';
import {
  type ConfirmationHistory,
  hasFinding,
  isClean,
  leavesAlone,
  reportAttempts,
  sumRequests,
} from './confirmation-history.js';
import type { Attempt, Evidence } from './finding.js';
import { PassiveJudge } from './passive.js';

/** How often something must be seen, each time, of an operation that never succeeded. */
const attemptsOfAnExcused = 3;

/** Judges a check that is written out: one attempt, repeated where it did not pass. */
export async function runCheck(check: WrittenCheck, means: JudgingContext): Promise<Judgement> {
  const { context, controls } = means;
  const excuse = controls.excuse(check.control);
  const control = controls.findPairedControl(check);
  if (excuse === undefined && control === undefined)
    return makeJudgement(check, 'inconclusive', controls.explainFailure(check.control));
  const spec = makeSpec(check);
  if (excuse !== undefined && !controls.isWorthSending(check))
    return makeJudgement(check, 'inconclusive', excuse);
  const first = await makeFirstAttempt(spec, context);
  if (first.notShown !== undefined && first.findings.length === 0)
    return judgeNotShown(check, first, first.notShown, context.target);
  if (excuse !== undefined && !(check.isControl && isClean(first)))
    return judgeExcused(check, first, excuse, means);
  const history = await confirm(first, spec, { control: control ?? check.control, controls, context });
  return concludeHistory(check, history, context.target);
}

/** Judges a check that could not go on. Other requirements that it passed before that count; its own does not. */
function judgeNotShown(
  check: WrittenCheck,
  { passed, cases, requests }: Attempt,
  reason: Reason,
  target: Target,
): Judgement {
  assertDeclared(check, passed);
  const shown = findDecidableRows(check, target);
  const decide = (id: RequirementId): RowOutcome | undefined => {
    if (id !== check.requirement && passed.has(id)) return { outcome: 'pass' };
    return id === check.requirement || shown.includes(id) ? { outcome: 'skipped', reason } : undefined;
  };
  return conclude(check, { decide, cases, requests });
}

/** What an attempt of a check that is written out is made of. */
export function makeSpec({ id, requirement, run, sideEffects, vaultRequests }: WrittenCheck): AttemptSpec {
  return { subject: requirement, run, vaultRequests, pool: sideEffects, origin: { check: id } };
}

/** Makes the first attempt. Makes it again if the target refused what it offers, since the check may not need that. */
async function makeFirstAttempt(spec: AttemptSpec, context: RunContext): Promise<Attempt> {
  const { refused } = context.target;
  for (;;) {
    const { count } = refused;
    const made = await attemptShared(spec, context);
    if (made.notShown?.code !== 'lacking' || refused.count === count || context.signal.aborted) return made;
  }
}

/**
 * Judges a check of an operation that never succeeded: only what no failure of the service explains counts, if it recurs
 * each time.
 * @param excuse why the operation is not judged by its failures
 */
async function judgeExcused(
  check: WrittenCheck,
  first: Attempt,
  excuse: Reason,
  { context, controls }: JudgingContext,
): Promise<Judgement> {
  const spec = makeSpec(check);
  const attempts = [first];
  let counting: readonly Evidence[] = first.findings.filter((finding) =>
    controls.countsDespiteExcuse(finding),
  );
  const claims = await Promise.all(counting.map((finding) => controls.findWrongClaim(finding)));
  counting = counting.filter((_, at) => claims[at] === undefined);
  while (counting.length > 0 && attempts.length < attemptsOfAnExcused && !context.signal.aborted) {
    const again = await attempt(spec, context);
    attempts.push(again);
    counting = counting.filter(({ key }) => hasFinding(again, key));
  }
  const { length } = attempts;
  const violations = (length === attemptsOfAnExcused ? counting : []).map((finding) => ({
    ...finding,
    confirmed: `${length}/${length}`,
  }));
  const inconclusive = attempts
    .flatMap(({ findings }) => findings.map((finding) => finding.requirement))
    .filter((found) => !violations.some((violation) => violation.requirement === found));
  return conclude(check, {
    violations,
    inconclusive: new Map(inconclusive.map((id) => [id, excuse])),
    decide: () => ({ outcome: 'inconclusive', reason: excuse }),
    attempts: check.isControl || violations.length > 0 ? reportAttempts([first]) : [],
    cases: first.cases,
    requests: sumRequests(attempts),
  });
}

/** The rows that a check decides on a target. */
export function findDecidableRows({ decides, decidableOn }: Check, target: Target): readonly RequirementId[] {
  return decidableOn?.((need) => target.lacks(need) === undefined) ?? decides;
}

function concludeHistory(check: WrittenCheck, history: ConfirmationHistory, target: Target): Judgement {
  const { attempts, confirmed, inconclusiveReason: reason, inconclusive } = history;
  assertDeclared(
    check,
    attempts.flatMap(({ passed }) => [...passed]),
  );
  const shown = findDecidableRows(check, target);
  return conclude(check, {
    violations: confirmed,
    inconclusive: new Map([...inconclusive].map((id) => [id, reason ?? makeReason('intermittent')])),
    decide: (id) =>
      shown.includes(id) || inconclusive.has(id) ? decideRow(id, check.requirement, history) : undefined,
    attempts: confirmed.length > 0 || reason !== undefined ? reportAttempts(attempts) : [],
    // An attempt that ended early saw fewer.
    cases: Math.max(...attempts.map(({ cases }) => cases)),
    requests: sumRequests(attempts),
  });
}

function decideRow(id: RequirementId, own: RequirementId, history: ConfirmationHistory): RowOutcome {
  const { attempts, confirmed, inconclusiveReason: reason, inconclusive } = history;
  // A rule for every response passes where only other rows of the check are inconclusive.
  const isOthers = inconclusive.size > 0 && !inconclusive.has(id);
  const isRulePassed = (reason === undefined || isOthers) && PassiveJudge.requirements.includes(id);
  if (history.hasPassed(id) || isRulePassed) return { outcome: 'pass' };
  const isFound = inconclusive.has(id);
  // A proxy's page leaves two rows inconclusive: the check's own, and the one that the answer was to decide.
  const isLeftAlone = leavesAlone(attempts.at(-1)?.foreign, id);
  const isConcerned = confirmed.length === 0 && (id === own || !isLeftAlone);
  if (reason !== undefined && (isFound || isConcerned))
    return isFound || id === own ? { outcome: 'inconclusive', reason } : makeHinderedOutcome(id, reason);
  if (requirement(id).level === 'silent') return { outcome: 'skipped', reason: makeReason('reported-only') };
  const intercepted = attempts.findLast((made) => made.intercepted !== undefined)?.intercepted;
  return { outcome: 'skipped', reason: intercepted ?? makeReason('ended-early') };
}
