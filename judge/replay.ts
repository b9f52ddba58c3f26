import type { Need } from '../spec/need.js';
import type { Failure } from '../spec/report.js';
import { interns, roles } from '../spec/vocabulary.js';
import type { ClientOptions, Received } from '../targets/client.js';
import type { Exchange } from '../targets/exchange.js';
import type { Names, Target } from '../targets/target.js';
import type { Outgoing } from '../targets/transports.js';
import { NotShown, type World } from '../targets/world.js';
import { type AttemptSpec, attempt, type RunContext } from './attempt.js';
import type { Check } from './check.js';
import type { Evidence, Finding } from './finding.js';
import { PassiveJudge } from './passive.js';
import { readCasePath } from './plan.js';
import { RateLimits } from './rate-limits.js';
import { makeSpec } from './run-check.js';
import { WorldPool } from './world-pool.js';
import { storeBefore } from './world-state-check.js';

/** Something that was done to show a finding again. */
export type ReplayStep =
  | { readonly kind: 'arranged'; readonly outgoing: Outgoing; readonly received: Received }
  /** Stored by other means than a request. */
  | { readonly kind: 'stored'; readonly world: World; readonly name: string }
  | { readonly kind: 'asked'; readonly exchange: Exchange };

/** A finding cannot be replayed: says why. */
export class NotReplayable extends Error {
  override readonly name = 'NotReplayable';
}

/** What sending a violation of a report again showed. */
export interface Replayed {
  /** What was done in the last attempt, in order, up to the finding if it was reproduced. */
  readonly steps: readonly ReplayStep[];
  readonly worlds: readonly World[];
  readonly finding?: Evidence;
  /** Another violation of the requirement, found in place of the finding. */
  readonly other?: Evidence | undefined;
  readonly disturbed?: string | undefined;
}

// An intermittent violation recurs within so many attempts; long attempts are made less often.
const maxAttempts = 20;
const maxRequests = 40;
const lateMs = 500;

/** Sends the steps of findings again, each from arranging to asserting, with nothing else in flight. */
export class FindingReplay {
  #steps: ReplayStep[] = [];
  #worlds: World[] = [];

  /** @param checks those of which one made the finding */
  constructor(private readonly checks: readonly Check[]) {}

  /** Receives every request of the target's client, and keeps those that arrange something. */
  readonly onReceived: NonNullable<ClientOptions['onReceived']> = (outgoing, received) => {
    if (outgoing.operation === undefined) this.#steps.push({ kind: 'arranged', outgoing, received });
  };

  /**
   * Shows a finding again, in a fresh world for each attempt.
   * @param options `keep` leaves the world of the last attempt as it is
   * @throws NotReplayable where the finding does not say which check made it, or no check makes it
   */
  async run(
    failure: Failure,
    target: Target,
    options: { readonly seed: number; readonly keep: boolean; readonly signal: AbortSignal },
  ): Promise<Replayed> {
    const { seed, keep, signal } = options;
    const inspects = failure.reproduce.origin?.inspects === true;
    const spec = this.#makeSpec(failure, target, seed);
    const context = this.#makeContext(target, signal, keep);
    // What a server does late shows only in a late comparison.
    const audit = (delayMs: number) => (inspects ? { auditEach: { lastsMs: 0, delayMs } } : {});
    const isWhole = PassiveJudge.requirements.includes(failure.requirement) || inspects;
    const sentBefore = target.client.sent;
    for (let tries = 1; ; tries++) {
      // Every other attempt is whole: what the others leave out may have led to it.
      const only = isWhole || tries % 2 === 0 ? undefined : failure.requirement;
      // A server that fails every so many requests would otherwise fail the same one each time.
      if (tries > 1) await attempt({ ...spec, only, maxExchanges: 1 }, { ...context, ...audit(0) });
      this.#steps = [];
      this.#worlds = [];
      const made = await attempt({ ...spec, only }, { ...context, ...audit(tries > 1 ? lateMs : 0) });
      const { findings, disturbed, notShown } = made;
      const ofRow = findings.filter(({ requirement }) => requirement === failure.requirement);
      const finding =
        ofRow.find((found) => isSameFinding(found, failure)) ??
        ofRow.find((found) => isWrongAlike(found, failure));
      const isOver = tries === maxAttempts || target.client.sent - sentBefore > maxRequests;
      const done = { steps: this.#steps, worlds: this.#worlds };
      if (finding !== undefined) return { ...done, finding };
      if (isOver || signal.aborted || notShown !== undefined)
        return {
          ...done,
          other: ofRow[0],
          disturbed: disturbed ?? (notShown && new NotShown(notShown).message),
        };
    }
  }

  #makeContext(target: Target, signal: AbortSignal, keep: boolean): RunContext {
    const pool = {
      controlled: target.controlled,
      openWorld: async (label: string, names?: Names) =>
        this.#watch(await target.openWorld(label, names), keep),
    };
    return {
      target,
      passive: new PassiveJudge(target),
      signal,
      worlds: new WorldPool<AttemptSpec>(pool, signal),
      rateLimits: new RateLimits(),
      arrangements: new Map(),
      wrongInOneWorld: new Map(),
      isExclusive: true,
      trafficLog: {
        add: (exchange) => this.#steps.push({ kind: 'asked', exchange }),
        addFailed: () => undefined,
      },
    };
  }

  /** Makes the attempt that made a finding, with what was stored before it, up to the same finding. */
  #makeSpec(failure: Failure, target: Target, seed: number): AttemptSpec {
    const { origin } = failure.reproduce;
    if (origin === undefined) throw new NotReplayable('the report does not say which check made the finding');
    const { check: id, path = '' } = origin;
    const check = this.checks.find((one) => one.id === id);
    if (check === undefined) throw new NotReplayable(`this version has no check ${id}`);
    const replay = readCasePath(path);
    const offers = (need: Need) => target.lacks(need) === undefined;
    const makeCase = () =>
      check.kind === 'generated' && replay !== undefined
        ? check.makeSpec({ seed, depth: 'standard', replay }, offers)
        : undefined;
    const spec = check.kind === 'written' ? makeSpec(check) : makeCase();
    if (spec === undefined)
      throw new NotReplayable(`the check ${id} of this version makes no case ${path} on this target`);
    const { fresh_names: freshNames } = origin;
    return {
      ...spec,
      freshNames: target.controlled ? freshNames : undefined,
      shouldEndAt: (found) => isSameFinding(found, failure),
      run: async (context) => {
        await storeBefore(origin, context);
        await spec.run(context);
      },
    };
  }

  /** Has a world note what is stored by other means than requests, and remain open if it is to be kept. */
  #watch(world: World, keep: boolean): World {
    this.#worlds.push(world);
    const store = world.store.bind(world);
    const close = world.close.bind(world);
    return Object.assign(world, {
      store: async (...given: Parameters<World['store']>) => {
        const before = this.#steps.length;
        const name = await store(...given);
        if (this.#steps.length === before) this.#steps.push({ kind: 'stored', world, name });
        return name;
      },
      close: async () => {
        const { length } = this.#steps;
        if (!keep) await close();
        this.#steps.length = length;
      },
    });
  }
}

/** Whether a finding is that of a failure of a report: of the same requirement, request and expectation. */
function isSameFinding(found: Finding | Evidence, failure: Failure): boolean {
  return (
    found.requirement === failure.requirement &&
    found.counterexample.request === failure.counterexample.request &&
    found.expected === failure.expected &&
    isWrongAlike(found, failure)
  );
}

/** Whether the same kind of thing is wrong: a gateway that refuses everything does not reproduce a wrong value. */
function isWrongAlike({ mismatch }: Pick<Finding, 'mismatch'>, failure: Failure): boolean {
  return failure.mismatch === undefined || failure.mismatch.wrong === mismatch.wrong;
}

/** The keys and ids of a world by the names under which a reader knows them. */
export function listValues(world: World): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  const add = (name: string, read: () => string | undefined) => {
    try {
      const value = read();
      if (value !== undefined) values.set(name, value);
    } catch (error) {
      if (!(error instanceof NotShown)) throw error;
    }
  };
  for (const role of roles) add(`keys.${role}`, () => world.key(role));
  for (const intern of interns) add(`interns.${intern}`, () => world.intern(intern));
  add('guardrail_id', () => world.guardrailId());
  add('workspace_id', () => world.workspaceId);
  add('id', () => world.id);
  return values;
}
