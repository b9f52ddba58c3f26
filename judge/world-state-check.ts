import { setTimeout as sleep } from 'node:timers/promises';
import { makeReason, type Reason } from '../spec/reasons.js';
import type { ReportedOrigin } from '../spec/report.js';
import type { World } from '../targets/world.js';
import { differenceLastsMs } from '../targets/world-state.js';
import type { CheckContext } from './api.js';
import { type AttemptSpec, attempt, type RunContext } from './attempt.js';
import { conclude, type FinalCheck, type Judgement, type JudgingContext, makeJudgement } from './check.js';
import { confirm } from './confirmation.js';
import { sumRequests } from './confirmation-history.js';
import type { Attempt, Violation } from './finding.js';
import type { PositiveControls } from './positive-controls.js';
import { type WorldSuspect, worldStateRows, worldStateSubject } from './world-audit.js';

const [requirement] = worldStateRows;
const checkId = `${requirement}/state` as const;

/** The check that judges, after all others, what their worlds hold (§1, §4.1, §7.1). */
export const worldStateCheck: FinalCheck = {
  kind: 'final',
  id: checkId,
  requirement,
  decides: worldStateRows,
  title:
    'Whatever is asked, a world holds what was stored in it and was not deleted, in every scope, and nothing else.',
  needs: ['inspect', 'store', 'role:member', 'worlds'],
  control: 'vault-delete',
  judge: judgeState,
};

// At most 50 cases fit into one world. Once a violation is confirmed, only the likeliest causes of further ones are tried.
const maxUsers = 50;
const usersOfMore = 8;
// What a server does late shows only in a late comparison; that takes time, so few users are investigated so.
const usersLookedAtLate = 4;
const lateMs = 500;

async function judgeState({ context, controls, violated }: JudgingContext): Promise<Judgement> {
  const { worlds, audit, signal } = context;
  if (audit === undefined) return makeJudgement(worldStateCheck, 'skipped', makeReason('no-case'));
  await worlds.closeUnused();
  const found: Awaited<ReturnType<Investigation['investigate']>>[] = [];
  let addsItself: boolean | undefined;
  for (const suspect of audit.suspects) {
    const { kind, scope } = suspect.difference;
    const confirmed = found.filter(({ violation }) => violation !== undefined);
    // Once a violation is confirmed, another world most likely shows the same.
    const isKnown = confirmed.some(({ difference: one }) => one.kind === kind || one.scope === scope);
    // A deleted secret that remains violates only this requirement; another case of it would add nothing.
    const isViolated = kind === 'remaining' && violated.has('vault-delete.204.takes-effect');
    if (signal.aborted || isKnown || isViolated) continue;
    if (kind === 'added') {
      addsItself ??= await addsSecretsItself(context);
      if (addsItself) continue;
    }
    const atMost = confirmed.length === 0 ? maxUsers : usersOfMore;
    found.push(await new Investigation(suspect, context, controls).investigate(atMost));
  }
  const byRow = new Map(
    found.flatMap(({ violation: one }) => (one ? [[one.requirement, one] as const] : [])),
  );
  const open = byRow.size > 0 ? undefined : found[0]?.reason;
  return conclude(worldStateCheck, {
    violations: [...byRow.values()],
    decide: (id) => {
      if (open !== undefined && id === requirement) return { outcome: 'inconclusive', reason: open };
      return audit.passed.has(id)
        ? { outcome: 'pass' }
        : { outcome: 'skipped', reason: makeReason('no-case') };
    },
    cases: found.length,
    requests: sumRequests(found),
  });
}

/** Whether the service adds secrets of its own to a world, in which nothing is requested. */
async function addsSecretsItself(context: RunContext): Promise<boolean> {
  let adds = false;
  const run: AttemptSpec['run'] = async ({ world, signal }) => {
    await sleep(differenceLastsMs, undefined, { signal });
    adds = (await world.state?.differences(0, signal))?.some(({ kind }) => kind === 'added') === true;
  };
  await attempt({ subject: requirement, run }, { ...context, auditEach: { lastsMs: 0, delayMs: 0 } });
  return adds;
}

/** Finds the case that caused a difference, and confirms it in a world of its own. */
class Investigation {
  readonly #context: RunContext;
  #requests = 0;
  /** Milliseconds between a request and the comparison of its world. */
  #delayMs = 0;
  #world: World | undefined;

  constructor(
    private readonly suspect: WorldSuspect<AttemptSpec>,
    context: RunContext,
    private readonly controls: PositiveControls,
  ) {
    this.#context = { ...context, opening: undefined };
  }

  /** @param atMost how many users of the world to investigate */
  async investigate(atMost: number) {
    const contradicted = await this.#findContradiction();
    const violation = contradicted === undefined ? await this.#findViolation(atMost) : undefined;
    const { difference } = this.suspect;
    const { kind, scope } = difference;
    const what = `the secrets of a world differ from what they should be (${kind}, ${scope}), but no single case reproduces that`;
    const reason = contradicted ?? makeReason('disturbed', what);
    return { difference, violation, reason, requests: this.#requests };
  }

  async #findViolation(atMost: number): Promise<Violation | undefined> {
    for (const [delayMs, count] of [
      [0, atMost],
      [lateMs, Math.min(atMost, usersLookedAtLate)],
    ] as const) {
      this.#delayMs = delayMs;
      for (const spec of this.suspect.users.slice(0, count)) {
        if (this.#context.signal.aborted) break;
        const violation = await this.#judge(spec);
        if (violation !== undefined) return violation;
      }
    }
    return undefined;
  }

  /** Finds a false claim of the control protocol about a missing secret, which no case then caused. */
  async #findContradiction(): Promise<Reason | undefined> {
    const { difference } = this.suspect;
    if (difference.kind !== 'missing') return undefined;
    const { scope, name } = difference;
    const run: AttemptSpec['run'] = ({ world }) => world.store(scope, name);
    const context = { ...this.#context, verifiesClaims: true };
    return (await attempt({ subject: requirement, run }, context)).contradicted;
  }

  /** Sends a case in a world of its own; where the difference recurs, shrinks and confirms it. */
  async #judge(original: AttemptSpec): Promise<Violation | undefined> {
    if (!(await this.#showsDifference(original, differenceLastsMs))) return undefined;
    const small = await original.shrink?.((smaller) => this.#showsDifference(smaller, 0));
    const shrunk = small && (await this.#confirm(small.spec));
    if (shrunk === undefined || small === undefined) return this.#confirm(original);
    const { value, replay } = small;
    return { ...shrunk, counterexample: { ...shrunk.counterexample, case: value }, replay };
  }

  async #showsDifference(spec: AttemptSpec, lastsMs: number): Promise<boolean> {
    return (await this.#attempt(this.#withStoredSecret(spec), lastsMs)).findings.some(isOfState);
  }

  async #confirm(original: AttemptSpec): Promise<Violation | undefined> {
    const spec = this.#withStoredSecret(original);
    const first = await this.#attempt(spec, differenceLastsMs);
    const means = { control: 'vault-delete', controls: this.controls, context: this.#audited(0) } as const;
    const history = await confirm(first, spec, means, worldStateSubject);
    this.#requests += sumRequests(history.attempts);
    const violation = history.confirmed.find(isOfState);
    if (violation === undefined || !(await this.#isCleanWithoutRequests(this.#world))) return undefined;
    return { ...violation, origin: spec.origin };
  }

  async #attempt(spec: AttemptSpec, lastsMs: number): Promise<Attempt> {
    const made = await attempt(spec, this.#audited(lastsMs));
    this.#requests += made.requests;
    return made;
  }

  /** The context of attempts whose worlds are compared after each request. */
  #audited(lastsMs: number): RunContext {
    return { ...this.#context, auditEach: { lastsMs, delayMs: this.#delayMs } };
  }

  /** Makes an attempt store the secret first that went missing, or that was deleted and came back, if another one stored it. */
  #withStoredSecret(spec: AttemptSpec): AttemptSpec & { readonly origin: ReportedOrigin } {
    const { difference, storer } = this.suspect;
    const isOfAnother = storer !== undefined && spec !== storer;
    const { kind, scope, name } = difference;
    const before =
      isOfAnother && kind !== 'added'
        ? { stored_before: { scope, name, deleted: kind === 'remaining' && scope !== 'workspace' } }
        : {};
    const origin: ReportedOrigin = { check: checkId, ...spec.origin, ...before, inspects: true };
    const run: AttemptSpec['run'] = async (context) => {
      this.#world = context.world;
      await storeBefore(origin, context);
      await spec.run(context);
    };
    return { ...spec, origin, run };
  }

  /** Whether a world with the same secrets holds what it should when nothing is requested. */
  async #isCleanWithoutRequests(world: World | undefined): Promise<boolean> {
    const stored = world?.state?.stored ?? [];
    let isAsItShouldBe = false;
    const run: AttemptSpec['run'] = async ({ world: fresh, signal }) => {
      for (const { scope, name } of stored) await fresh.store(scope, name);
      isAsItShouldBe = (await fresh.state?.differences(0, signal))?.length === 0;
    };
    const context = { ...this.#context, auditEach: { lastsMs: 0, delayMs: 0 } };
    await attempt({ subject: requirement, run }, context);
    return isAsItShouldBe;
  }
}

/** Stores, and deletes, what was there before the steps of a check. */
export async function storeBefore(
  { stored_before: before }: Pick<ReportedOrigin, 'stored_before'> = {},
  { world, api }: Pick<CheckContext, 'world' | 'api'>,
): Promise<void> {
  if (before === undefined) return;
  const { scope, name, deleted } = before;
  await world.store(scope, name);
  if (deleted && scope !== 'workspace') await api.deleteSecret({ intern: scope, name }).expectControl(204);
}

function isOfState({ subject }: { readonly subject: string }): boolean {
  return subject === worldStateSubject;
}
