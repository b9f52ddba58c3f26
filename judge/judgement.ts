import { setTimeout as sleep } from 'node:timers/promises';
import { type RequirementId, requirement } from '../spec/ledger.js';
import type { Outcome } from '../spec/report.js';
import type { Operation } from '../spec/vocabulary.js';
import { type AttemptMeans, attempt } from './attempt.js';
import type { Check } from './check.js';
import type { Controls } from './controls.js';
import { type Confirmed, Course } from './course.js';
import { PassiveJudge } from './passive.js';

/** What a check says of one requirement. */
interface RowOutcome {
  readonly outcome: Outcome;
  /** Why it was not decided, or what would unlock it. */
  readonly reason: string | undefined;
}

/** What became of a check. */
export interface Judgement {
  readonly check: Check;
  readonly outcome: Outcome;
  readonly reason: string | undefined;
  readonly rows: ReadonlyMap<RequirementId, RowOutcome>;
  /** Confirmed violations of the check's own requirements. */
  readonly failures: readonly Confirmed[];
  /** Confirmed violations that the passive rules saw in its exchanges. */
  readonly passiveFailures: readonly Confirmed[];
  /** Passive requirements that something was seen against, but not confirmed. */
  readonly passiveUnsettled: ReadonlyMap<RequirementId, string>;
  readonly cases: number;
  readonly requests: number;
  readonly durationMs: number;
}

const pauseAtMostMs = 10_000;

/** Judges one check: arranges, asks, confirms. Throws only what is the suite's own fault. */
export async function judge(check: Check, means: AttemptMeans, controls: Controls): Promise<Judgement> {
  const lacking = check.needs.flatMap((need) => means.target.lacks(need) ?? []);
  if (lacking.length > 0) return undecided(check, 'skipped', `would take ${lacking.join('; ')}`);
  const control = controlBeside(check, controls);
  if (control === undefined) {
    return undecided(
      check,
      'inconclusive',
      controls.reason(check.control) ?? 'its positive control could not be tried',
    );
  }
  const start = performance.now();
  const first = await attempt(check.requirement, check.run, means);
  if (first.notShown !== undefined && first.findings.length === 0)
    return undecided(check, 'skipped', first.notShown);
  const course = new Course(first);
  while (!course.settled && !means.signal.aborted) {
    await pause(course, means.signal);
    const { succeeded } = await controls.try(control);
    course.add(succeeded, await attempt(check.requirement, check.run, means));
  }
  const judgement = concluded(check, course, performance.now() - start);
  for (const { key } of judgement.passiveFailures) means.passive.confirm(key);
  return judgement;
}

/** The operation that stands beside a check: its own, or, where its subject is just that one's success, another. */
function controlBeside(check: Check, controls: Controls): Operation | undefined {
  if (controls.held(check.control)) return check.control;
  return check.isControl ? controls.possible.find((operation) => controls.held(operation)) : undefined;
}

/** Waits after a disturbance: what the server asked for, or a little longer each time. */
async function pause(course: Course, signal: AbortSignal): Promise<void> {
  if (!course.disturbed) return;
  const backoffMs = 25 * 2 ** course.length * (0.5 + Math.random());
  await sleep(Math.min(Math.max(course.retryAfterMs, backoffMs), pauseAtMostMs), undefined, { signal }).catch(
    () => undefined,
  );
}

function undecided(check: Check, outcome: 'skipped' | 'inconclusive', reason: string): Judgement {
  return {
    check,
    outcome,
    reason,
    rows: new Map(check.decides.map((id) => [id, { outcome, reason }])),
    failures: [],
    passiveFailures: [],
    passiveUnsettled: new Map(),
    cases: 0,
    requests: 0,
    durationMs: 0,
  };
}

function concluded(check: Check, course: Course, durationMs: number): Judgement {
  const own = (id: RequirementId) => check.decides.includes(id);
  const undeclared = course.heldAnywhere.filter((id) => !own(id));
  if (undeclared.length > 0) throw new Error(`it decides ${undeclared.join(', ')} without saying so`);
  const { confirmed, trouble } = course;
  const rows = new Map(check.decides.map((id) => [id, rowOutcome(id, course)] as const));
  const { outcome, reason } = worst([...rows.values()]);
  return {
    check,
    outcome,
    reason,
    rows,
    failures: confirmed.filter(({ requirement }) => own(requirement)),
    passiveFailures: confirmed.filter(({ requirement }) => !own(requirement)),
    passiveUnsettled: new Map(
      [...course.unsettled].filter((id) => !own(id)).map((id) => [id, trouble ?? 'intermittent']),
    ),
    cases: course.cases,
    requests: course.requests,
    durationMs,
  };
}

function rowOutcome(id: RequirementId, course: Course): RowOutcome {
  const { confirmed, trouble, unsettled } = course;
  if (confirmed.some(({ requirement: violated }) => violated === id))
    return { outcome: 'fail', reason: undefined };
  if (course.held(id) || (trouble === undefined && PassiveJudge.requirements.includes(id))) {
    return { outcome: 'pass', reason: undefined };
  }
  if (trouble !== undefined && (confirmed.length === 0 || unsettled.has(id))) {
    return { outcome: 'inconclusive', reason: trouble };
  }
  const silent = requirement(id).level === 'silent';
  return {
    outcome: 'skipped',
    reason: silent
      ? 'nothing is asserted; what was seen is reported'
      : 'the check ended before it came to this',
  };
}

/** The row that tells most: a check that was partly skipped and otherwise held has passed. */
function worst(rows: readonly RowOutcome[]): RowOutcome {
  const order: readonly Outcome[] = ['fail', 'inconclusive', 'pass', 'skipped'];
  const [first] = order.flatMap((outcome) => rows.find((row) => row.outcome === outcome) ?? []);
  return first ?? { outcome: 'skipped', reason: undefined };
}
