import { setTimeout as sleep } from 'node:timers/promises';
import type { RequirementId } from '../spec/ledger.js';
import { groupBy } from '../spec/maps.js';
import { isSuccessStatus } from '../targets/exchange.js';
import { type AttemptSpec, attempt, type RunContext } from './attempt.js';
import type { Check, JudgingContext } from './check.js';
import { ConfirmationHistory, type Doubt, hasFinding } from './confirmation-history.js';
import {
  type Arrangement,
  type Attempt,
  type Evidence,
  type Finding,
  isRefusal,
  kindOf,
  mayDependOnWorld,
  readLastStatus,
} from './finding.js';

const maxBackoffMs = 400;
const maxPauseMs = 10_000;
/** How many milliseconds a service may take to apply everywhere what was arranged. */
export const settlingMs = 1_000;
// Caches keep what is read for longer.
const settlingOfReadsMs = 3_000;
// As many as most cases send between the setting of a limit and the request that it refuses.
const requestsOfALimit = 4;
// Each is tried in a hundred more worlds.
const maxWrongInOneWorld = 6;

type ConfirmationContext = Pick<JudgingContext, 'controls' | 'context'> & Pick<Check, 'control'>;

/**
 * Repeats a failed attempt, each time with its positive control, until the result settles. An answer that a service in
 * trouble or a rate limit could give too is repeated while nothing else of the run is in flight.
 * @param subject the subject of the findings that the caller will report; all findings where absent
 */
export async function confirm(
  first: Attempt,
  spec: AttemptSpec,
  { control, controls, context }: ConfirmationContext,
  subject?: string,
): Promise<ConfirmationHistory> {
  const { opening, lock, rateLimits } = context;
  const precedence = opening && {};
  const means = { control, controls, context: { ...context, precedence } };
  const confirmation = new Confirmation(first, spec, means);
  const { history } = confirmation;
  if (await confirmation.excuseWrongProfile()) return history;
  const isOfTrouble = ({ trouble }: Evidence) => trouble !== undefined;
  const repeatExclusively = () => confirmation.repeatExclusively();
  const repeat = async (): Promise<void> => {
    if (!first.findings.some(isOfTrouble) || history.mayBeNoise) {
      if (precedence !== undefined) lock?.takePrecedence(precedence);
      await confirmation.repeatBesideOthers().finally(() => precedence && lock?.dropPrecedence(precedence));
      if (!history.confirmed.some(isOfTrouble) && !history.recursInNoise) return;
      history.restart(history.attempts.at(-1) ?? first);
    }
    // With a low budget no request may be left by the time that nothing else is in flight.
    const isUrgent = opening !== undefined && !rateLimits.isAtWork;
    await (lock?.runExclusively(repeatExclusively, { isUrgent }) ?? repeatExclusively());
  };
  if (opening === undefined || history.isDecided) await repeat();
  else await opening.confirmInTurn(first, history, repeat, subject);
  confirmation.noteLag();
  confirmation.noteWrongInOneWorld();
  // A key may have been replaced meanwhile.
  if (history.confirmed.some(({ claims = [] }) => claims.length > 0)) await confirmation.excuseWrongProfile();
  return history;
}

/** Whether a false claim of the control protocol may explain an attempt: a missing secret gives 404, a missing fault 2xx. */
function mayRestOnClaims({ findings }: Attempt): boolean {
  if (findings.length === 0) return true;
  const statuses = findings.map(readLastStatus);
  return statuses.some((status) => status === 404 || isSuccessStatus(status));
}

/** Whether the control protocol sets it in a world that is open already. */
function isSet({ basis }: Arrangement): boolean {
  return basis === 'fault' || basis === 'limit' || basis === 'value';
}

/** Whether it shows in the answers to reads, which a service may cache. */
function isRead({ basis, operation }: Arrangement): boolean {
  return (
    basis === 'value' || (basis === 'fault' && (operation === 'guardrail-read' || operation === 'key-info'))
  );
}

class Confirmation {
  readonly history: ConfirmationHistory;
  /** Findings that a limit caused: they did not recur after a pause, or reads sent together were refused too. */
  readonly #ofRateLimit = new Set<string>();
  /** Findings that recurred in another world, where nothing was arranged that could take effect late. */
  readonly #unarranged = new Set<string>();
  /** Findings that rest on wrong entries of a profile. */
  readonly #ofWrongProfile = new Set<string>();
  /** The same case, down to the names: a server may be wrong for some names only. */
  readonly #again: AttemptSpec;
  #verifiesClaims: boolean;

  constructor(
    first: Attempt,
    private readonly spec: AttemptSpec,
    private readonly means: ConfirmationContext,
  ) {
    // Without the control protocol all worlds are one, in which a name means the same secret again.
    const { controlled } = means.context.target;
    this.#again = controlled ? { ...spec, freshNames: first.freshNames } : spec;
    this.#verifiesClaims = mayRestOnClaims(first);
    const hasLowBudget = means.context.opening !== undefined;
    const doubt = (finding: Evidence) => this.#doubt(finding);
    const noiseExcept = (rule: RequirementId) => means.context.rateLimits.noiseExcept(rule);
    this.history = new ConfirmationHistory(first, hasLowBudget, doubt, noiseExcept);
  }

  /** Excuses findings that rest on wrong entries of a profile: they never count. Returns whether there are no others. */
  async excuseWrongProfile(): Promise<boolean> {
    const { history } = this;
    for (const finding of history.findings) {
      const reason = await this.means.controls.findWrongClaim(finding);
      if (reason === undefined) continue;
      history.wrongProfile ??= reason;
      this.#ofWrongProfile.add(finding.key);
    }
    return history.findings.length > 0 && history.findings.every(({ key }) => this.#ofWrongProfile.has(key));
  }

  /** Repeats it while other attempts run, each time after its positive control. */
  async repeatBesideOthers(): Promise<void> {
    const { history } = this;
    const { control, controls, context } = this.means;
    const tryControl = () => controls.try(control, context);
    const begin = () => attempt({ ...this.#again, maxExchanges: 1 }, context);
    while (this.#shouldRepeat && !history.recursInNoise) {
      await this.#pause();
      await this.#shiftPhase(context.opening === undefined ? begin : tryControl);
      if (history.mayBeNoise) await controls.readAtRandom(context);
      const { succeeded } = await tryControl();
      history.add(succeeded, await this.#attempt(context));
    }
  }

  /** Repeats it while nothing else is in flight, with the positive control right after it. */
  async repeatExclusively(): Promise<void> {
    const { history } = this;
    const { control, controls, context } = this.means;
    const { rateLimits } = context;
    const unlocked: RunContext = { ...context, lock: undefined };
    const exclusive: RunContext = { ...unlocked, isExclusive: true };
    // A refusal never counts once the same request got the expected answer.
    if (rateLimits.isAtWork || history.refusal !== undefined)
      history.restart(await attempt(this.#again, unlocked));
    while (this.#shouldRepeat) {
      await this.#pause();
      await this.#shiftPhase(() => controls.try(control, unlocked));
      const made = await this.#attempt(exclusive);
      if (history.mayBeNoise) await controls.readAtRandom(unlocked);
      const { succeeded } = await controls.try(control, unlocked);
      history.add(succeeded, made);
    }
    await this.#excuseRateLimited(exclusive);
    await this.#excuseCrowded(unlocked);
  }

  /** Notes that the target takes a moment to apply an arrangement, where the findings that rest on it did not recur. */
  noteLag(): void {
    const { arrangements } = this.means.context;
    if (this.history.isDecided && this.history.inconclusive.size === 0)
      for (const arrangement of this.#awaited)
        if (!arrangements.has(kindOf(arrangement))) arrangements.set(kindOf(arrangement), 'late');
  }

  /** Keeps a case whose finding did not recur in fresh worlds. A later check tries it in more, since a few may differ. */
  noteWrongInOneWorld(): void {
    const { wrongInOneWorld } = this.means.context;
    const { confirmed, findings } = this.history;
    const finding = findings.find((one) => one.trouble === undefined && mayDependOnWorld(one));
    if (finding === undefined || confirmed.length > 0 || wrongInOneWorld.size >= maxWrongInOneWorld) return;
    if (!wrongInOneWorld.has(finding.requirement)) wrongInOneWorld.set(finding.requirement, this.spec);
  }

  async #attempt(context: RunContext): Promise<Attempt> {
    // A load balancer sends all requests over one connection to the same server, so every other repetition opens new ones.
    // Not each: opening takes time, and requests that have to be in flight together may miss each other.
    if (this.history.attempts.length % 2 === 0) context.target.client.closeIdle();
    const unseen = new Set(this.history.findings.map(({ key }) => key));
    const { arrangements } = this.means.context;
    // The target may take a moment to apply what was arranged, so the request that needs it is sent a second later.
    const waiting = this.history.needsSettling ? this.#awaited : [];
    const settling = groupBy(waiting, ({ ordinal }) => ordinal);
    // Once everything has recurred, the rest of the case would only add requests. An exclusive repetition runs to its end:
    // the first attempt may have stopped early, at what looked like trouble.
    const shouldEndAt = ({ key, arrangement }: Finding) => {
      if (arrangement !== undefined && settling.has(arrangement.ordinal))
        arrangements.set(kindOf(arrangement), 'ignored');
      return unseen.delete(key) && unseen.size === 0 && context.isExclusive !== true;
    };
    const troubled = new Set(this.history.findings.map(({ trouble }) => trouble?.ordinal));
    const before = async (ordinal: number, lastSetAt: number) => {
      const awaited = settling.get(ordinal) ?? [];
      if (awaited.some((arrangement) => arrangements.get(kindOf(arrangement)) !== 'ignored')) {
        // Of many requests after one setting, only the first has to wait for it.
        const waitedMs = awaited.every(isSet) ? performance.now() - lastSetAt : 0;
        const leftMs = (awaited.some(isRead) ? settlingOfReadsMs : settlingMs) - waitedMs;
        await sleep(Math.max(0, leftMs), undefined, { signal: context.signal });
      }
      // The requests before it may bring a balancer that takes turns to the same server each time.
      if (context.isExclusive === true && this.history.mayBeNoise && troubled.has(ordinal))
        await this.means.controls.readAtRandom({ ...context, isExclusive: false });
    };
    const spec = { ...this.#again, before, shouldEndAt };
    // Where a limit is set late, what was sent before it took effect does not count toward it.
    const limits = waiting.filter(
      (arrangement) => arrangement.basis === 'limit' && arrangements.get(kindOf(arrangement)) !== 'ignored',
    );
    const first = Math.min(...limits.map(({ ordinal }) => ordinal));
    const made = await attempt(spec, {
      ...context,
      verifiesClaims: this.#verifiesClaims,
      opensConnections: this.history.hasLostConnection,
      settingWait: limits.length > 0 ? { ms: settlingMs, from: first - requestsOfALimit } : undefined,
    });
    for (const { key, arrangement } of made.findings)
      if (arrangement === undefined) this.#unarranged.add(key);
    // Seen again although everything was verified, the finding does not rest on a false claim.
    if (made.contradicted === undefined && made.findings.length > 0) this.#verifiesClaims = false;
    return made;
  }

  get #shouldRepeat(): boolean {
    const { signal, rateLimits } = this.means.context;
    return (
      !this.history.isDecided && !signal.aborted && rateLimits.explainEnd(this.means.control) === undefined
    );
  }

  /** Repeats what a rate limit may have refused, each request after a pause that outlasts the limit. */
  async #excuseRateLimited(exclusive: RunContext): Promise<void> {
    const { rateLimits, signal } = this.means.context;
    const refused = this.history.confirmed.flatMap((finding) => {
      const { key, trouble } = finding;
      const status = readLastStatus(finding) ?? 0;
      if (trouble === undefined || !isRefusal(finding) || rateLimits.isConfirmed(trouble.identity, status))
        return [];
      return [{ key, status, ...trouble }];
    });
    const [first] = refused.sort((one, other) => one.ordinal - other.ordinal);
    if (first === undefined) return;
    if (!(await rateLimits.suspects(first.identity, (example) => attempt(example, exclusive)))) return;
    const pauseMs = rateLimits.pauseMs(this.history.refusal);
    // One pause outlasts the limit for all that follows at once: a limit lets at least the first request pass after it.
    const before = async (ordinal: number) => {
      if (ordinal === first.ordinal) await sleep(pauseMs, undefined, { signal });
    };
    const made = pauseMs === undefined ? undefined : await attempt({ ...this.#again, before }, exclusive);
    const isSeen = ({ key }: Pick<Finding, 'key'>): boolean =>
      made !== undefined && hasFinding(made, key) && !signal.aborted;
    for (const finding of refused) {
      if (isSeen(first) && isSeen(finding)) rateLimits.confirm(finding.identity, finding.status);
      else this.#ofRateLimit.add(finding.key);
    }
  }

  /** Excuses what software in front of the service refused while requests were in flight together, if it refuses reads too. */
  async #excuseCrowded(context: RunContext): Promise<void> {
    const { controls } = this.means;
    const crowded = this.history.confirmed.filter(
      ({ trouble, answeredBy }) => trouble?.isParallel === true && answeredBy !== undefined,
    );
    if (crowded.length === 0 || (await controls.servesTogether(context))) return;
    for (const { key } of crowded) this.#ofRateLimit.add(key);
  }

  /** Finds the arrangement of a finding that may take effect late; undefined once the finding recurred without one. */
  #findAwaited({ key, arrangement }: Evidence): Arrangement | undefined {
    return this.#unarranged.has(key) ? undefined : arrangement;
  }

  get #awaited(): readonly Arrangement[] {
    return this.history.findings.flatMap((finding) => this.#findAwaited(finding) ?? []);
  }

  #doubt(finding: Evidence): Doubt {
    const { rateLimits, arrangements } = this.means.context;
    const { trouble, key } = finding;
    const arrangement = this.#findAwaited(finding);
    if (this.#ofWrongProfile.has(key)) return 'never';
    // Nine repetitions, each with a pause, are affordable for a role, which is arranged once for a world. They would take
    // too long for anything else, which is arranged in each case.
    if (arrangement !== undefined) {
      const known = arrangements.get(kindOf(arrangement));
      if (known === undefined) return arrangement.basis === 'role' ? 'lags-or-intermittent' : 'lags';
      if (known === 'late') return 'lags-as-before';
    }
    if (this.#ofRateLimit.has(key)) return 'never';
    if (!isRefusal(finding)) return trouble === undefined ? 'none' : 'repeat';
    if (trouble !== undefined && rateLimits.hasAnswered(trouble.identity)) return 'never';
    return trouble !== undefined || rateLimits.isAtWork ? 'repeat' : 'none';
  }

  /** Sends a few more requests each time: a server may fail every nth request, and so the same one at every repetition. */
  async #shiftPhase(send: () => Promise<Attempt>): Promise<void> {
    const { signal } = this.means.context;
    for (let time = 1; time < this.history.attempts.length && !signal.aborted; time++) await send();
  }

  /** Waits after a disturbance: as long as the server asked for, or a little longer each time. */
  async #pause(): Promise<void> {
    const { history } = this;
    if (!history.wasDisturbed) return;
    const { attempts } = history;
    const backoffMs = Math.min(25 * 2 ** attempts.length, maxBackoffMs) * (0.5 + Math.random());
    const waitMs = Math.min(Math.max(attempts.at(-1)?.retryAfterMs ?? 0, backoffMs), maxPauseMs);
    await sleep(waitMs, undefined, { signal: this.means.context.signal }).catch(() => undefined);
  }
}
