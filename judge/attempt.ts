import type { RequirementId } from '../spec/ledger.js';
import type { Need } from '../spec/need.js';
import { makeReason, type Reason } from '../spec/reasons.js';
import type { ReportedOrigin } from '../spec/report.js';
import { ControlContradiction, ControlError } from '../targets/control-client.js';
import { StoreError } from '../targets/store-recipes.js';
import type { Target } from '../targets/target.js';
import { FreshNames, NotShown, type World } from '../targets/world.js';
import { Api, type CheckContext } from './api.js';
import type { ConfirmedRows } from './confirmation-history.js';
import { collectEvidence, exchangesKept, lineKept, reportOnce } from './evidence.js';
import {
  type ArrangementKind,
  type Attempt,
  AttemptEnded,
  Disturbed,
  isRefusal,
  type Replay,
} from './finding.js';
import type { PassiveJudge } from './passive.js';
import type { RateLimits } from './rate-limits.js';
import { type AttemptConditions, type AttemptLimits, Recorder } from './recorder.js';
import { worldsPerAttempt } from './run-limits.js';
import type { SharedLock } from './shared-lock.js';
import type { TrafficLog } from './traffic-log.js';
import type { WorldAudit } from './world-audit.js';
import type { Lease, WorldPool, WorldRequest } from './world-pool.js';

/** What all attempts of a run share. */
export interface RunContext extends AttemptConditions {
  readonly target: Target;
  readonly passive: PassiveJudge;
  readonly signal: AbortSignal;
  /** The worlds that attempts use one after another. */
  readonly worlds: Pick<WorldPool<AttemptSpec>, 'lease' | 'hasFewWorlds' | 'closeUnused'>;
  /** What the opening of the plan has confirmed so far; absent after it. Until then the budget is low. */
  readonly opening?: ConfirmedRows | undefined;
  /** Compares what the worlds of the run hold with what they should hold. */
  readonly audit?: WorldAudit<AttemptSpec> | undefined;
  readonly trafficLog?: Pick<TrafficLog, 'add' | 'addFailed'> | undefined;
  /** Whether claims of the control protocol are verified by other means, where there are any. */
  readonly verifiesClaims?: boolean;
  /** Milliseconds to wait after each setting, once so many requests were made; none where absent. */
  readonly settingWait?: { readonly ms: number; readonly from: number } | undefined;
  readonly rateLimits: RateLimits<AttemptSpec>;
  /** Kinds of arrangements that the target still ignored after a second, or applied late, within it. */
  readonly arrangements: Map<ArrangementKind, 'ignored' | 'late'>;
  /** Cases that were wrong in one world and right in others, one for each requirement. */
  readonly wrongInOneWorld: Map<RequirementId, AttemptSpec>;
  /** Lets attempts share the target; absent where this attempt has it exclusively. */
  readonly lock?: SharedLock | undefined;
  /** A token that attempts share: if one of them has precedence, all of them have. Each has its own where absent. */
  readonly precedence?: object | undefined;
}

/** One attempt: its subject, and the code that arranges, sends and asserts. */
export interface AttemptSpec
  extends AttemptLimits,
    Pick<WorldRequest, 'isOneOfMany' | 'pool' | 'vaultRequests'> {
  readonly subject: RequirementId;
  readonly run: (context: CheckContext) => Promise<unknown>;
  /** The check, and the case, that make it again. */
  readonly origin?: ReportedOrigin;
  /** The names that an earlier attempt made up, to be used again; new ones where absent. */
  readonly freshNames?: Attempt['freshNames'] | undefined;
  /** The one requirement to ask for; all of the check's where absent. */
  readonly only?: RequirementId | undefined;
  /** Shrinks the generated case that it sends while it still fails. */
  readonly shrink?: (fails: (smaller: AttemptSpec) => Promise<boolean>) => Promise<ShrunkAttempt>;
}

/** The attempt of the smallest case that still fails, and what runs the case again. */
interface ShrunkAttempt {
  readonly spec: AttemptSpec;
  readonly value: unknown;
  readonly replay: Replay;
}

/** Makes one attempt in a fresh world. */
export async function attempt(spec: AttemptSpec, context: RunContext): Promise<Attempt> {
  return attemptIn({ names: spec.pool === 'names' ? 'any' : 'own' }, spec, context);
}

/** Makes one attempt in a world shared with other attempts, where the target can open worlds. */
export async function attemptShared(spec: AttemptSpec, context: RunContext): Promise<Attempt> {
  // Without the control protocol a world is only a name prefix, which costs nothing.
  return context.target.controlled ? attemptPooled(spec, context) : attempt(spec, context);
}

/** Makes one attempt in a shared world; without the control protocol attempts share a name prefix too. */
export async function attemptPooled(spec: AttemptSpec, context: RunContext): Promise<Attempt> {
  const { pool = 'plain', isOneOfMany, vaultRequests } = spec;
  const isOpening = context.opening !== undefined;
  return attemptIn({ pool, isOneOfMany, vaultRequests, isOpening }, spec, context);
}

/** What an attempt asks of the first world that it leases. */
type FirstWorld = Omit<WorldRequest, 'label'>;

/** Makes an attempt while nobody has the target exclusively, and repeats it where a rate limit refused it. */
async function attemptIn(first: FirstWorld, spec: AttemptSpec, context: RunContext): Promise<Attempt> {
  const { lock, isExclusive, rateLimits, signal } = context;
  const make = () => attemptOnce(first, spec, context);
  const shared = () => (lock === undefined ? make() : lock.runShared(make));
  let made = await shared();
  for (let tries = 1; isExclusive !== true && made.refusal !== undefined && !signal.aborted; tries++) {
    if (!(await rateLimits.wait(made.refusal, tries, signal))) break;
    made = await shared();
  }
  // The rate limit may have refused where the case expected a refusal of the service.
  const mayBeLimited = isExclusive !== true && rateLimits.isAtWork;
  if (mayBeLimited && made.findings.length > 0 && made.findings.every(isRefusal)) made = await shared();
  const { refusal, findings, disturbed } = made;
  // Nothing was asserted of the refused request, so that nothing else says that the attempt proves nothing.
  const assertedNothing = refusal !== undefined && findings.length === 0 && disturbed === undefined;
  return assertedNothing && rateLimits.isAtWork ? { ...made, disturbed: refusal.got } : made;
}

async function attemptOnce(first: FirstWorld, spec: AttemptSpec, context: RunContext): Promise<Attempt> {
  const { target, signal, trafficLog, precedence = {} } = context;
  // Without the control protocol an attempt may wait for the names that another one holds.
  const lock = context.opening !== undefined && target.controlled ? context.lock : undefined;
  const leases: Lease[] = [];
  const recorder = new Recorder({
    ...context,
    ...spec,
    lastSetAt: () => Math.max(...leases.map(({ world: { lastSetAt } }) => lastSetAt ?? performance.now())),
    onExchange: (exchange) => trafficLog?.add(exchange, spec.subject),
    giveWay: async () => lock?.giveWay(precedence),
    // In the opening, confirming what was found goes before looking for more.
    onFinding: ({ trouble }) => (trouble === undefined ? lock?.takePrecedence(precedence) : undefined),
  });
  const freshNames: (readonly string[])[] = [];
  const openWorld = async (): Promise<Pick<CheckContext, 'world' | 'api'>> => {
    if (leases.length >= worldsPerAttempt)
      throw new RangeError(`a check opens more than ${worldsPerAttempt} worlds`);
    const names = new FreshNames(spec.freshNames?.[leases.length]);
    // What is repeated in a fresh world, or compared after each request, needs no audit at the end.
    const isAudited = first.pool !== undefined && context.auditEach === undefined;
    const request = { label: spec.subject, user: isAudited ? { ...spec, freshNames } : undefined };
    // One of many needs its second world only to be another one, with as much room as it wants in its first.
    const { pool, vaultRequests } = spec.isOneOfMany === true ? first : {};
    const asked = leases.length === 0 ? first : { isSecond: true, pool, vaultRequests };
    const lease = () => context.worlds.lease({ ...asked, ...request });
    const leased = await (context.worlds.hasFewWorlds && lock !== undefined
      ? lock.waitWithoutPrecedence(precedence, lease)
      : lease());
    leases.push(leased);
    freshNames.push(names.made);
    const { world } = leased;
    world.names = names;
    if (context.verifiesClaims === true) world.verifyClaims();
    const { settingWait } = context;
    if (settingWait !== undefined)
      world.waitAfterSettings(() => (recorder.ordinals >= settingWait.from ? settingWait.ms : 0));
    if (context.auditEach !== undefined && world.state !== undefined) {
      await world.state.takeBaseline();
      recorder.audited.push(world.state);
    }
    return { world, api: new Api(target, world, recorder, signal) };
  };
  let made: Attempt | undefined;
  try {
    const offers = (need: Need) => target.lacks(need) === undefined;
    const isWanted = (ids: readonly RequirementId[]) => spec.only === undefined || ids.includes(spec.only);
    const ended = await runToEnd(
      async () => spec.run({ ...(await openWorld()), signal, offers, isWanted, openWorld }),
      signal,
    ).finally(() => {
      if (context.precedence === undefined) lock?.dropPrecedence(precedence);
    });
    const worlds = leases.map(({ world }) => world);
    made = concludeAttempt({ ...ended, freshNames }, recorder, worlds, spec, context);
    return made;
  } finally {
    await Promise.all(leases.map(({ release }) => release(made)));
  }
}

type Ending = Pick<Attempt, 'disturbed' | 'notShown' | 'foreign' | 'isCutShort' | 'contradicted'>;

/** Makes the result of an attempt, redacted, and notes what it says of rate limits. */
function concludeAttempt(
  { freshNames, ...ended }: Ending & Pick<Attempt, 'freshNames'>,
  recorder: Recorder,
  worlds: readonly World[],
  spec: AttemptSpec,
  { target: { redactor }, rateLimits, trafficLog }: RunContext,
): Attempt {
  const { exchanges, findings, answered, refusal, intercepted } = recorder;
  const { disturbed, notShown } = ended;
  const last = exchanges.slice(-exchangesKept);
  if (disturbed === undefined && findings.length === 0) rateLimits.keepExample(spec, answered);
  else trafficLog?.addFailed(last, spec.subject);
  // A server or a control may have worded these texts.
  const redact = (text: string) => redactor.redactBeginning(text, lineKept);
  const redactReason = (reason: Reason | undefined) =>
    reason && { ...reason, details: (reason.details ?? []).map(redact) };
  return {
    ...ended,
    disturbed: disturbed && redact(disturbed),
    notShown: redactReason(notShown),
    intercepted: redactReason(intercepted),
    findings: collectEvidence(recorder, redactor, worlds).map((one) => ({ ...one, freshNames })),
    freshNames,
    exchanges: disturbed === undefined ? [] : last.map((one) => reportOnce(one, redactor)),
    passed: recorder.passed,
    cases: Math.max(1, recorder.cases),
    requests: exchanges.length,
    vaultRequests: exchanges.filter(({ operation }) => operation === 'vault-delete').length,
    isInference: exchanges.some(({ operation }) => operation === 'inference'),
    retryAfterMs: recorder.retryAfterMs,
    refusal: refusal && { ...refusal, got: redact(refusal.got) },
  };
}

/** Runs the code and says how it ended. Rethrows errors of the suite itself. */
async function runToEnd(run: () => Promise<unknown>, signal: AbortSignal): Promise<Ending> {
  try {
    await run();
    return {};
  } catch (error) {
    if (signal.aborted) return { disturbed: explainAbort(signal), isCutShort: true };
    if (error instanceof AttemptEnded) return {};
    if (error instanceof NotShown) return { notShown: error.reason };
    if (error instanceof ControlContradiction) {
      const { message, about } = error;
      return { disturbed: message, contradicted: { ...makeReason('control-contradicted', message), about } };
    }
    if (error instanceof Disturbed) return { disturbed: error.message, foreign: error.foreign };
    if (error instanceof ControlError || error instanceof StoreError) return { disturbed: error.message };
    throw error;
  }
}

/** Waits for all, so that nothing is in flight afterwards, then throws the first error. */
export async function awaitAll(pending: readonly Promise<unknown>[]): Promise<void> {
  const ended = await Promise.allSettled(pending);
  const failed = ended.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/** Does something that the end of the run may cut short; undefined where it did. */
export async function unlessAborted<T>(signal: AbortSignal, run: () => Promise<T>): Promise<T | undefined> {
  try {
    return await run();
  } catch (error) {
    if (!signal.aborted) throw error;
    return undefined;
  }
}

export function explainAbort(signal: AbortSignal): string {
  return typeof signal.reason === 'string' ? signal.reason : 'the run was stopped';
}
