import { type RequirementId, requirement } from '../spec/ledger.js';
import { makeReason } from '../spec/reasons.js';
import type { Target } from '../targets/target.js';
import { type AttemptMeans, attemptShared, type Trial } from './attempt.js';
import {
  assertDeclared,
  type Check,
  type Judgement,
  type ListedCheck,
  type RowOutcome,
  troubled,
  undecided,
  worst,
} from './check.js';
import { confirm } from './confirmation.js';
import type { Controls } from './controls.js';
import type { Course } from './course.js';
import type { Attempt } from './finding.js';
import { PassiveJudge } from './passive.js';

/** Judges a check that is written out: one attempt, repeated where it did not hold. */
export async function judgeListed(
  check: ListedCheck,
  means: AttemptMeans,
  controls: Controls,
): Promise<Judgement> {
  const beside = controls.beside(check);
  if (beside === undefined) return undecided(check, 'inconclusive', controls.reason(check.control));
  const start = performance.now();
  const { altersWorld } = check;
  const trial: Trial = {
    subject: check.requirement,
    run: check.run,
    altersSettings: altersWorld === 'settings',
    vaultRequests: check.vaultRequests,
    ...(altersWorld === undefined || altersWorld === 'settings' ? {} : { pool: altersWorld }),
  };
  const first = await firstAttempt(trial, means);
  if (first.notShown !== undefined && first.findings.length === 0)
    return undecided(check, 'skipped', first.notShown);
  const course = await confirm(first, trial, beside, means, controls);
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

/** The rows that a check decides on a target. */
export function shownBy(check: Check, target: Target): readonly RequirementId[] {
  const shows = check.kind === 'listed' ? check.shows : undefined;
  return shows?.((need) => target.lacks(need) === undefined) ?? check.decides;
}

function concluded(check: ListedCheck, course: Course, target: Target, durationMs: number): Judgement {
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
  if (course.held(id) || (trouble === undefined && PassiveJudge.requirements.includes(id))) {
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
