import type { RequirementId } from '../spec/ledger.js';
import type { Need } from '../spec/need.js';
import { makeReason } from '../spec/reasons.js';
import { ControlContradiction, ControlError } from '../targets/control-client.js';
import { StoreError } from '../targets/store-recipes.js';
import type { Target } from '../targets/target.js';
import { NotShown, type World } from '../targets/world.js';
import { Api, type CheckContext } from './api.js';
import type { ConfirmedRows } from './confirmation-history.js';
import { collectEvidence, exchangesKept, lineKept, reportLastExchanges } from './evidence.js';
import { type Attempt, AttemptEnded, Disturbed, isRefusal, type Replay } from './finding.js';
import type { PassiveJudge } from './passive.js';
import type { RateLimits } from './rate-limits.js';
import { Recorder, type TrafficLog } from './recorder.js';
import { worldsPerAttempt } from './run-limits.js';
import type { WorldAudit } from './world-audit.js';
import type { Lease, Pool, WorldPool, WorldRequest } from './world-pool.js';

/** What attempts are made with. */
export interface RunContext {
  readonly target: Target;
  readonly passive: PassiveJudge;
  readonly signal: AbortSignal;
  /** Worlds that attempts hand on to one another. */
  readonly worlds: WorldPool<AttemptSpec>;
  /**
   * What the opening of the plan has confirmed so far; absent after it. As long as it lasts a request is worth most where
   * it decides something new, so that attempts share what they can and repetitions are as few as may be.
   */
  readonly opening?: ConfirmedRows | undefined;
  /** Holds the worlds of the run against what they should hold. */
  readonly audit?: WorldAudit<AttemptSpec> | undefined;
  /**
   * Lists the worlds of an attempt after each of its requests, and holds them against what they should hold.
   * Milliseconds that a difference must last.
   */
  readonly auditsEachMs?: number | undefined;
  /** Milliseconds after a request at which that look begins, for what a server does late. */
  readonly auditsAfterMs?: number | undefined;
  /** Keeps what is sent, where somebody wants it. */
  readonly trafficLog?: TrafficLog | undefined;
  /** Whether what the control protocol says it has arranged is looked at by other means, where there are any. */
  readonly verifiesClaims?: boolean;
  readonly limits: RateLimits<AttemptSpec>;
  /** What attempts pass that may go on beside one another; absent where the target is this attempt's alone. */
  readonly lock?: SharedLock | undefined;
  /** Each attempt is to be judged as it comes, what looks like trouble or a rate limit included. */
  readonly isExclusive?: boolean;
}

/** What an attempt is made of: its subject, and the code that arranges, asks and asserts. */
export interface AttemptSpec {
  readonly subject: RequirementId;
  readonly run: (context: CheckContext) => Promise<void>;
  /** It leaves settings in its world that would mislead any other attempt. */
  readonly altersSettings?: boolean;
  /** There are many more like it. */
  readonly isOneOfMany?: boolean;
  /** With which others it may share a world, where worlds are shared; the plain ones where absent. */
  readonly pool?: Pool | undefined;
  /** Vault requests that it sends at the most, where that is more than the usual. */
  readonly vaultRequests?: number | undefined;
  /** After how many exchanges an attempt of it ends; when it is through where absent. */
  readonly exchangesAtMost?: number;
  /** Milliseconds to wait before requests, by their places. */
  readonly pauses?: ReadonlyMap<number, number>;
  /** Makes the generated case that it sends smaller, as long as it fails. */
  readonly shrink?: (fails: (smaller: AttemptSpec) => Promise<boolean>) => Promise<ShrunkAttempt>;
}

/** A trial of the smallest case that still fails, and what runs the case again. */
interface ShrunkAttempt {
  readonly spec: AttemptSpec;
  readonly value: unknown;
  readonly replay: Replay;
}

/** Makes one attempt in a fresh world, which is given back whatever happens. */
export async function attempt(spec: AttemptSpec, context: RunContext): Promise<Attempt> {
  return attemptIn({ names: spec.pool === 'names' ? 'any' : 'own' }, spec, context);
}

/** Makes one attempt in a world that other attempts have used, or will, where the run shares worlds at all. */
export async function attemptShared(spec: AttemptSpec, context: RunContext): Promise<Attempt> {
  // Where all attempts use one tenant a world is a prefix of its own, or the right to any name: it costs nothing.
  return context.target.controlled ? attemptPooled(spec, context) : attempt(spec, context);
}

/** As `attemptShared`; where all attempts use one tenant they share a prefix too. */
export async function attemptPooled(spec: AttemptSpec, context: RunContext): Promise<Attempt> {
  const { pool = 'plain', altersSettings: isLast, isOneOfMany, vaultRequests } = spec;
  const isOpening = context.opening !== undefined;
  return attemptIn({ pool, isLast, isOneOfMany, vaultRequests, isOpening }, spec, context);
}

/** Makes an attempt when nobody has the target alone, and again where a rate limit kept it from being made. */
async function attemptIn(
  first: Omit<WorldRequest, 'label'>,
  spec: AttemptSpec,
  context: RunContext,
): Promise<Attempt> {
  const { lock, isExclusive, limits, signal } = context;
  const make = () => attemptOnce(first, spec, context);
  const shared = () => (lock === undefined ? make() : lock.runShared(make));
  let made = await shared();
  for (let tries = 1; isExclusive !== true && made.refusal !== undefined && !signal.aborted; tries++) {
    if (!(await limits.wait(made.refusal, tries, signal))) break;
    made = await shared();
  }
  // A refusal that the case asked for may have come from the rate limit in place of the service.
  if (isExclusive !== true && limits.isAtWork && made.findings.length > 0 && made.findings.every(isRefusal))
    made = await shared();
  const { refusal, findings, disturbed } = made;
  // Nothing was asserted of what was refused, so that nothing else would tell that it proves nothing.
  const isSilent = refusal !== undefined && findings.length === 0 && disturbed === undefined;
  return isSilent && limits.isAtWork ? { ...made, disturbed: refusal.came } : made;
}

/** Makes one attempt in the worlds that it leases, the first as asked for, the second a fresh one. */
async function attemptOnce(
  first: Omit<WorldRequest, 'label'>,
  spec: AttemptSpec,
  context: RunContext,
): Promise<Attempt> {
  const label = spec.subject;
  const leases: Lease[] = [];
  const lease = async (): Promise<World> => {
    if (leases.length >= worldsPerAttempt)
      throw new RangeError(`a check opens more than ${worldsPerAttempt} worlds`);
    // One of many asks nothing of its second world but that it is another one.
    const second = { isSecond: true, pool: spec.isOneOfMany === true ? first.pool : undefined };
    const place = leases.length === 0 ? first : second;
    // What is repeated in a fresh world, or looked at after each request, needs no look at the end.
    const user = first.pool === undefined || context.auditsEachMs !== undefined ? undefined : spec;
    const request = { ...place, label, user };
    const leased = await context.worlds.lease(request);
    leases.push(leased);
    return leased.world;
  };
  let made: Attempt | undefined;
  try {
    made = await runAttempt(lease, spec, context);
    return made;
  } finally {
    await Promise.all(leases.map(({ release }) => release(made)));
  }
}

/** Runs a trial in worlds that the caller leases and hands on. */
async function runAttempt(
  lease: () => Promise<World>,
  spec: AttemptSpec,
  context: RunContext,
): Promise<Attempt> {
  const { trafficLog } = context;
  const recorder = new Recorder(context.passive, spec.subject, {
    ...(spec.exchangesAtMost === undefined ? {} : { exchangesAtMost: spec.exchangesAtMost }),
    onExchange: (exchange) => trafficLog?.add(exchange, spec.subject),
    limits: context.limits,
    isExclusive: context.isExclusive,
    pauses: spec.pauses,
    auditsEachMs: context.auditsEachMs,
    auditsAfterMs: context.auditsAfterMs,
  });
  const open = async (): Promise<{ world: World; api: Api }> => {
    const world = await lease();
    if (context.verifiesClaims === true) world.verifyClaims();
    if (context.auditsEachMs !== undefined && world.state !== undefined) {
      await world.state.begin();
      recorder.audited.push(world.state);
    }
    return { world, api: new Api(context.target, world, recorder, context.signal) };
  };
  const offers = (need: Need) => context.target.lacks(need) === undefined;
  const ended = await runToEnd(
    async () =>
      spec.run({
        ...(await open()),
        signal: context.signal,
        offers,
        openWorld: open,
      }),
    context.signal,
  );
  if (ended.disturbed === undefined && recorder.findings.length === 0)
    context.limits.keep(spec, recorder.answered);
  const redact = (text: string) => context.target.redactor.redactBeginning(text, lineKept);
  if (ended.disturbed !== undefined || recorder.findings.length > 0)
    trafficLog?.addFailed(recorder.exchanges.slice(-exchangesKept), spec.subject);
  return {
    ...ended,
    // A server or a control may have worded them.
    disturbed: ended.disturbed === undefined ? undefined : redact(ended.disturbed),
    notShown: ended.notShown && { ...ended.notShown, details: (ended.notShown.details ?? []).map(redact) },
    findings: collectEvidence(recorder, context.target.redactor),
    exchanges: ended.disturbed === undefined ? [] : reportLastExchanges(recorder, context.target.redactor),
    passed: recorder.passed,
    cases: Math.max(1, recorder.cases),
    requests: recorder.exchanges.length,
    vaultRequests: recorder.exchanges.filter(({ operation }) => operation === 'vault-delete').length,
    isInference: recorder.exchanges.some(({ operation }) => operation === 'inference'),
    retryAfterMs: recorder.retryAfterMs,
    refusal: recorder.refusal && { ...recorder.refusal, came: redact(recorder.refusal.came) },
  };
}

/** How the code ended; an error that is none of ours is the suite's own and goes on. */
async function runToEnd(
  run: () => Promise<void>,
  signal: AbortSignal,
): Promise<Pick<Attempt, 'disturbed' | 'notShown' | 'isCutShort' | 'contradicted'>> {
  try {
    await run();
    return { disturbed: undefined, notShown: undefined };
  } catch (error) {
    if (signal.aborted) return { disturbed: explainAbort(signal), notShown: undefined, isCutShort: true };
    if (error instanceof AttemptEnded) return { disturbed: undefined, notShown: undefined };
    if (error instanceof NotShown) return { disturbed: undefined, notShown: error.reason };
    if (error instanceof ControlContradiction) {
      const { message, about } = error;
      const contradicted = { ...makeReason('control-contradicted', message), about };
      return { disturbed: message, notShown: undefined, contradicted };
    }
    if (error instanceof Disturbed || error instanceof ControlError || error instanceof StoreError)
      return { disturbed: error.message, notShown: undefined };
    throw error;
  }
}

/** Why a run was stopped, in words. */
export function explainAbort(signal: AbortSignal): string {
  return typeof signal.reason === 'string' ? signal.reason : 'the run was stopped';
}

/** Lets much go on side by side, and something now and then alone, which waits until nothing else goes on. */
export class SharedLock {
  readonly #sharing: (() => void)[] = [];
  readonly #taking: (() => void)[] = [];
  #shared = 0;
  #isTaken = false;
  #urgent = 0;

  /** Runs something beside others that share, once nobody has it alone. */
  async runShared<T>(run: () => Promise<T>): Promise<T> {
    while (this.#isTaken || this.#urgent > 0)
      await new Promise<void>((resolve) => this.#sharing.push(resolve));
    this.#shared += 1;
    try {
      return await run();
    } finally {
      this.#shared -= 1;
      this.#wake();
    }
  }

  /**
   * Runs something while nothing else runs.
   * @param isUrgent whether nothing new begins before it; those that share go first otherwise
   */
  async runExclusively<T>(run: () => Promise<T>, isUrgent = false): Promise<T> {
    if (isUrgent) this.#urgent += 1;
    while (this.#isTaken || this.#shared > 0)
      await new Promise<void>((resolve) => this.#taking.push(resolve));
    if (isUrgent) this.#urgent -= 1;
    this.#isTaken = true;
    try {
      return await run();
    } finally {
      this.#isTaken = false;
      this.#wake();
    }
  }

  #wake(): void {
    if (this.#urgent === 0 && this.#sharing.length > 0)
      for (const resume of this.#sharing.splice(0)) resume();
    else if (this.#shared === 0) this.#taking.shift()?.();
  }
}
