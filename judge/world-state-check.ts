import { makeReason, type Reason } from '../spec/reasons.js';
import type { Scope } from '../spec/vocabulary.js';
import type { World } from '../targets/world.js';
import type { Difference } from '../targets/world-state.js';
import type { CheckContext } from './api.js';
import { type AttemptSpec, attempt, type RunContext } from './attempt.js';
import { conclude, type GeneratedCheck, type Judgement, type JudgingMeans, makeJudgement } from './check.js';
import { confirm } from './confirmation.js';
import type { Attempt, Origin, Violation } from './finding.js';
import type { PositiveControls } from './positive-controls.js';
import { differenceLastsMs, type WorldSuspect, worldStateRows, worldStateSubject } from './world-audit.js';

/** Makes the check that judges, after all others, what their worlds hold. */
export function makeWorldStateCheck(
  facts: Pick<GeneratedCheck, 'title' | 'needs' | 'control'>,
): GeneratedCheck {
  const [requirement] = worldStateRows;
  const check: GeneratedCheck = {
    ...facts,
    kind: 'generated',
    id: `${requirement}/state`,
    property: 'state',
    requirement,
    decides: worldStateRows,
    isControl: false,
    isLast: true,
    requestsAbout: () => 0,
    judge: (means) => judgeState(check, means),
  };
  return check;
}

// At most 50 cases fit into one world. Once a violation is confirmed, only the likeliest causes of further ones are tried.
const usersAtMost = 50;
const usersOfMore = 8;
// What a server does late shows only in a late comparison; that takes time, so few users are investigated so.
const usersLookedAtLate = 4;
const lateMs = 500;

async function judgeState(check: GeneratedCheck, { context, controls }: JudgingMeans): Promise<Judgement> {
  const start = performance.now();
  const { worlds, audit, signal } = context;
  if (audit === undefined) return makeJudgement(check, 'skipped', makeReason('no-case'));
  await worlds.giveBackIdle();
  const found: Found[] = [];
  for (const suspect of audit.suspects) {
    // Once a violation is confirmed, another world most likely shows the same.
    const atMost = found.every(({ violation }) => violation === undefined) ? usersAtMost : usersOfMore;
    const { kind, scope } = suspect.difference;
    const isAlike = found.some(
      ({ difference, violation }) =>
        violation !== undefined && (difference.kind === kind || difference.scope === scope),
    );
    if (signal.aborted || isAlike) continue;
    found.push(await new Investigation(suspect, context, controls).investigate(atMost));
  }
  const violations = deduplicate(found.flatMap(({ violation }) => violation ?? []));
  const open = violations.length > 0 ? [] : found.map(({ reason }) => reason);
  return conclude(check, {
    violations,
    decide: (id) => {
      const [reason] = open;
      if (reason !== undefined && id === check.requirement) return { outcome: 'inconclusive', reason };
      return audit.passed.has(id)
        ? { outcome: 'pass', reason: undefined }
        : { outcome: 'skipped', reason: makeReason('no-case') };
    },
    cases: found.length,
    requests: found.reduce((sum, { requests }) => sum + requests, 0),
    start,
  });
}

interface Found {
  readonly difference: Difference;
  readonly violation: Violation | undefined;
  readonly reason: Reason;
  readonly requests: number;
}

function deduplicate(violations: readonly Violation[]): readonly Violation[] {
  return [...new Map(violations.map((violation) => [violation.requirement, violation])).values()];
}

/** Finds the case that caused a difference, and confirms it in a world of its own. */
class Investigation {
  readonly #context: RunContext;
  #requests = 0;
  /** Milliseconds between a request and the comparison of its world. */
  #delayMs = 0;

  constructor(
    private readonly suspect: WorldSuspect<AttemptSpec>,
    context: RunContext,
    private readonly controls: PositiveControls,
  ) {
    this.#context = { ...context, opening: undefined };
  }

  /** @param atMost how many users of the world to investigate */
  async investigate(atMost: number): Promise<Found> {
    const contradicted = await this.#contradiction();
    if (contradicted !== undefined) return this.#found(undefined, contradicted);
    for (const [delayMs, count] of [
      [0, atMost],
      [lateMs, Math.min(atMost, usersLookedAtLate)],
    ] as const) {
      this.#delayMs = delayMs;
      for (const spec of this.suspect.users.slice(0, count)) {
        if (this.#context.signal.aborted) break;
        const violation = await this.#judge(spec);
        if (violation !== undefined) return this.#found(violation);
      }
    }
    return this.#found(undefined);
  }

  #found(violation: Violation | undefined, contradicted?: Reason): Found {
    const { difference } = this.suspect;
    const { kind, scope } = difference;
    const what = `a world holds otherwise than it should (${kind}, ${scope}), and no case alone brings it about`;
    const reason = contradicted ?? makeReason('disturbed', what);
    return { difference, violation, reason, requests: this.#requests };
  }

  /** Finds a false claim of the control protocol about a missing secret, which no case then caused. */
  async #contradiction(): Promise<Reason | undefined> {
    const { kind, name } = this.suspect.difference;
    const scope = this.#scope;
    if (kind !== 'missing' || scope === undefined) return undefined;
    const run: AttemptSpec['run'] = async ({ world }) => {
      await world.store(scope, name);
    };
    const context = { ...this.#context, verifiesClaims: true };
    return (await attempt({ subject: worldStateRows[0], run }, context)).contradicted;
  }

  get #scope(): Scope | undefined {
    const { difference } = this.suspect;
    return difference.kind === 'added' ? undefined : difference.scope;
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
    return (await this.#attempt(spec, lastsMs)).findings.some(isOfState);
  }

  async #confirm(spec: AttemptSpec): Promise<Violation | undefined> {
    const context = { ...this.#context, auditEach: { lastsMs: 0, delayMs: this.#delayMs } };
    const { leased, run, storedBefore } = this.#withStoredSecret(spec);
    const first = await this.#attempt(spec, differenceLastsMs);
    const means = { control: 'vault-delete', controls: this.controls, context } as const;
    const history = await confirm(first, run, means, worldStateSubject);
    this.#requests += history.requests;
    const violation = history.confirmed.find(isOfState);
    if (violation === undefined || !(await this.#isCleanWithoutRequests(leased.world))) return undefined;
    const { origin } = spec;
    return origin === undefined ? violation : { ...violation, origin: { ...origin, ...storedBefore } };
  }

  async #attempt(spec: AttemptSpec, lastsMs: number): Promise<Attempt> {
    const made = await attempt(this.#withStoredSecret(spec).run, {
      ...this.#context,
      auditEach: { lastsMs, delayMs: this.#delayMs },
    });
    this.#requests += made.requests;
    return made;
  }

  /** Stores first the secret that went missing, or that was deleted and came back, if another attempt stored it. */
  #withStoredSecret(spec: AttemptSpec): {
    readonly run: AttemptSpec;
    readonly leased: { world: World | undefined };
    readonly storedBefore: Pick<Origin, 'storedBefore'>;
  } {
    const { difference, storer } = this.suspect;
    const { kind, name } = difference;
    const leased: { world: World | undefined } = { world: undefined };
    const scope = this.#scope;
    const isOfAnother = kind !== 'added' && storer !== undefined && spec !== storer;
    const storedBefore =
      isOfAnother && scope !== undefined
        ? { storedBefore: { scope, name, isDeleted: kind === 'remaining' && scope !== 'workspace' } }
        : {};
    const run: AttemptSpec['run'] = async (context) => {
      leased.world = context.world;
      await storeBefore(storedBefore, context);
      await spec.run(context);
    };
    return { run: { ...spec, run }, leased, storedBefore };
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
    await attempt({ subject: worldStateRows[0], run }, context);
    return isAsItShouldBe;
  }
}

/** Stores, and deletes, what was there before the steps of a check. */
export async function storeBefore(
  { storedBefore }: Pick<Origin, 'storedBefore'>,
  { world, api }: CheckContext,
): Promise<void> {
  if (storedBefore === undefined) return;
  const { scope, name, isDeleted } = storedBefore;
  await world.store(scope, name);
  if (isDeleted && scope !== 'workspace') await api.deleteSecret({ intern: scope, name }).expectControl(204);
}

function isOfState({ subject }: { readonly subject: string }): boolean {
  return subject === worldStateSubject;
}
