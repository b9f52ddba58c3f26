import type { RequirementId } from '../spec/ledger.js';
import type { Need } from '../spec/need.js';
import { ControlError } from '../targets/control-client.js';
import { StoreError } from '../targets/store/storer.js';
import type { Target } from '../targets/target.js';
import { NotShown, type World } from '../targets/world.js';
import { Api, type CheckContext } from './api.js';
import { isRefusal } from './call.js';
import type { ConfirmedRows } from './confirmed-rows.js';
import { evidenceOf, exchangesKept, lastExchanges, lineKept } from './evidence.js';
import type { ExclusiveGate } from './exclusive-gate.js';
import { type Attempt, Disturbed, Stopped } from './finding.js';
import type { PassiveJudge } from './passive.js';
import type { Plan } from './plan.js';
import type { RateLimits } from './rate-limits.js';
import { Recorder } from './recorder.js';
import { samplers } from './sampler.js';
import type { Lent, Pool, SharedWorlds } from './shared-worlds.js';
import type { TrafficKeeper } from './traffic-keeper.js';

/** What attempts are made with. */
export interface AttemptMeans {
  readonly target: Target;
  readonly passive: PassiveJudge;
  readonly signal: AbortSignal;
  /** The depth and the seed, which say how much of a list is sent. */
  readonly plan: Plan;
  /** Worlds that listed checks hand on to one another. */
  readonly shared: SharedWorlds;
  /** What was confirmed already, where every request is dear. */
  readonly confirmedRows?: ConfirmedRows | undefined;
  /** Keeps what is sent, where somebody wants it. */
  readonly keeper?: TrafficKeeper | undefined;
  readonly limits: RateLimits<Trial>;
  /** What attempts pass that may go on beside one another; absent where the target is this attempt's alone. */
  readonly gate?: ExclusiveGate | undefined;
  /** Each attempt is to be judged as it comes, what looks like trouble or a rate limit included. */
  readonly isAlone?: boolean;
}

/** What an attempt is made of: its subject, and the code that arranges, asks and asserts. */
export interface Trial {
  readonly subject: RequirementId;
  readonly run: (context: CheckContext) => Promise<void>;
  /** It may leave its world in a state that nobody knows, so that no other attempt may use it. */
  readonly spoilsWorld?: boolean;
  /** With which others it may share a world, where worlds are shared; the plain ones where absent. */
  readonly pool?: Pool;
  /** Vault requests that it sends at the most, where that is more than the usual. */
  readonly vaultRequests?: number | undefined;
  /** After how many exchanges an attempt of it ends; when it is through where absent. */
  readonly exchangesAtMost?: number;
  /** Milliseconds to wait before requests, by their places. */
  readonly pauses?: ReadonlyMap<number, number>;
}

/** Makes an attempt when nobody has the target alone, and again where a rate limit kept it from being made. */
export async function makeAttempt(
  make: () => Promise<Attempt>,
  { gate, isAlone, limits, signal }: AttemptMeans,
): Promise<Attempt> {
  const shared = () => (gate === undefined ? make() : gate.share(make));
  let made = await shared();
  for (let tries = 1; isAlone !== true && made.refusal !== undefined && !signal.aborted; tries++) {
    if (!(await limits.wait(made.refusal, tries, signal))) break;
    made = await shared();
  }
  // A refusal that the case asked for may have come from the rate limit in place of the service.
  if (isAlone !== true && limits.isAtWork && made.findings.length > 0 && made.findings.every(isRefusal))
    made = await shared();
  const { refusal, findings, disturbed } = made;
  // Nothing was asserted of what was refused, so that nothing else would tell that it proves nothing.
  const isSilent = refusal !== undefined && findings.length === 0 && disturbed === undefined;
  return isSilent && limits.isAtWork ? { ...made, disturbed: refusal.came } : made;
}

/** Makes one attempt in a fresh world, which is given back whatever happens. */
export async function attempt(trial: Trial, means: AttemptMeans): Promise<Attempt> {
  return await makeAttempt(() => attemptFresh(trial, means), means);
}

async function attemptFresh(trial: Trial, means: AttemptMeans): Promise<Attempt> {
  const leased: World[] = [];
  const lease = async (): Promise<World> => {
    means.signal.throwIfAborted();
    const world = await means.target.openWorld(trial.subject, trial.pool === 'names' ? 'any' : 'own');
    leased.push(world);
    return world;
  };
  try {
    return await attemptIn(lease, trial, means);
  } finally {
    await Promise.all(leased.map((world) => world.giveBack()));
  }
}

/** Makes one attempt in a world that other attempts have used, or will, where the run shares worlds at all. */
export async function attemptShared(trial: Trial, means: AttemptMeans): Promise<Attempt> {
  const { shared, target } = means;
  const { pool = 'plain' } = trial;
  // Where all attempts use one tenant a world is a prefix of its own, or the right to any name: it costs nothing.
  if (trial.spoilsWorld === true || !shared.shares(pool) || !target.controlled) return attempt(trial, means);
  return await makeAttempt(() => attemptLent(trial, means), means);
}

async function attemptLent(trial: Trial, means: AttemptMeans): Promise<Attempt> {
  const { shared, signal, target } = means;
  const { pool = 'plain' } = trial;
  const further: World[] = [];
  const open = () => target.openWorld(trial.subject);
  let first: Lent | undefined;
  const lease = async (): Promise<World> => {
    signal.throwIfAborted();
    if (first === undefined) {
      first = await shared.lease(pool, trial.vaultRequests, open);
      return first.world;
    }
    const world = await open();
    further.push(world);
    return world;
  };
  let made: Attempt | undefined;
  try {
    made = await attemptIn(lease, trial, means);
    return made;
  } finally {
    await Promise.all([
      made === undefined ? first?.world.giveBack() : first?.handOn(made),
      ...further.map((world) => world.giveBack()),
    ]);
  }
}

/** Makes one attempt in worlds that somebody else leases and gives back. */
export async function attemptIn(
  lease: () => Promise<World>,
  trial: Trial,
  means: AttemptMeans,
): Promise<Attempt> {
  const { keeper } = means;
  const recorder = new Recorder(means.passive, trial.subject, {
    ...(trial.exchangesAtMost === undefined ? {} : { exchangesAtMost: trial.exchangesAtMost }),
    onExchange: (exchange) => keeper?.saw(exchange, trial.subject),
    limits: means.limits,
    isAlone: means.isAlone,
    pauses: trial.pauses,
  });
  const open = async (): Promise<{ world: World; api: Api }> => {
    const world = await lease();
    return { world, api: new Api(means.target, world, recorder, means.signal) };
  };
  const offers = (need: Need) => means.target.lacks(need) === undefined;
  const { some, few, tookPart } = samplers(trial.subject, means.plan);
  const ended = await ending(
    async () =>
      trial.run({
        ...(await open()),
        signal: means.signal,
        offers,
        some,
        few,
        openWorld: open,
      }),
    means.signal,
  );
  if (ended.disturbed === undefined && recorder.findings.length === 0)
    means.limits.keep(trial, recorder.answered);
  const redact = (text: string) => means.target.redactor.redactBeginning(text, lineKept);
  if (ended.disturbed !== undefined || recorder.findings.length > 0)
    keeper?.failed(recorder.exchanges.slice(-exchangesKept), trial.subject);
  return {
    ...ended,
    // A server or a control may have worded them.
    disturbed: ended.disturbed === undefined ? undefined : redact(ended.disturbed),
    notShown: ended.notShown && { ...ended.notShown, details: (ended.notShown.details ?? []).map(redact) },
    findings: evidenceOf(recorder, means.target.redactor, tookPart()),
    exchanges: ended.disturbed === undefined ? [] : lastExchanges(recorder, means.target.redactor),
    held: recorder.held,
    cases: Math.max(1, recorder.cases),
    requests: recorder.exchanges.length,
    isInference: recorder.exchanges.some(({ operation }) => operation === 'inference'),
    retryAfterMs: recorder.retryAfterMs,
    refusal: recorder.refusal && { ...recorder.refusal, came: redact(recorder.refusal.came) },
  };
}

/** How the code ended; an error that is none of ours is the suite's own and goes on. */
async function ending(
  run: () => Promise<void>,
  signal: AbortSignal,
): Promise<Pick<Attempt, 'disturbed' | 'notShown' | 'isCutShort'>> {
  try {
    await run();
    return { disturbed: undefined, notShown: undefined };
  } catch (error) {
    if (signal.aborted) return { disturbed: stopReason(signal), notShown: undefined, isCutShort: true };
    if (error instanceof Stopped) return { disturbed: undefined, notShown: undefined };
    if (error instanceof NotShown) return { disturbed: undefined, notShown: error.reason };
    if (error instanceof Disturbed || error instanceof ControlError || error instanceof StoreError)
      return { disturbed: error.message, notShown: undefined };
    throw error;
  }
}

/** Why a run was stopped, in words. */
export function stopReason(signal: AbortSignal): string {
  return typeof signal.reason === 'string' ? signal.reason : 'the run was stopped';
}
