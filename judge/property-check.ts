import type { RequirementId } from '../spec/ledger.js';
import type { Need } from '../spec/need.js';
import { makeReason, type Reason } from '../spec/reasons.js';
import type { ReportedAttempt } from '../spec/report.js';
import type { Operation } from '../spec/vocabulary.js';
import type { CheckContext } from './api.js';
import { type AttemptMeans, attempt, attemptPooled, type Trial } from './attempt.js';
import {
  assertDeclared,
  type CheckOptions,
  type GeneratedCheck,
  type Judgement,
  type RowOutcome,
  troubled,
  undecided,
  worst,
} from './check.js';
import { confirm } from './confirmation.js';
import type { Course } from './confirmation-history.js';
import type { Attempt, Replay, Violation } from './finding.js';
import { type Cases, countCases, type PlacedCase, placedCases, shrunk } from './generated-cases.js';
import { PassiveJudge } from './passive.js';
import { blockSeed, type Depth, depths, type Plan, writePath } from './plan.js';
import type { Controls } from './positive-controls.js';
import { vaultRequestsPerWorld } from './run-limits.js';
import type { Pool } from './world-pool.js';

/** A rule that holds for every case that can be generated. */
export interface Property<Case> extends Omit<CheckOptions, 'also'> {
  /** Its name in paths: `valid-names`. */
  readonly name: string;
  readonly title: string;
  /** Every requirement that a case of it may decide. */
  readonly decides: readonly [RequirementId, ...RequirementId[]];
  readonly needs: readonly Need[];
  /** Generated cases by depth; of a covering array it may be the whole. */
  readonly count: Readonly<Record<Depth, number>>;
  /** What one case sends to the vault at most. */
  readonly vaultRequests: number;
  /** About what one case sends, its world and what it stores included; one more than at most where absent. */
  readonly requestsAbout?: number;
  /** What is drawn from, given what the target offers. */
  readonly cases: (offers: (need: Need) => boolean) => Cases<Case>;
  readonly classOf: (value: Case) => string;
  /** With which others a case may share a world, where that is not the plain ones. */
  readonly pool?: (value: Case) => Pool | undefined;
  readonly run: (value: Case, context: CheckContext) => Promise<void>;
}

/** Makes a check of a property. */
export function property<Case>(definition: Property<Case>): GeneratedCheck {
  const [first] = definition.decides;
  // What there is where everything is offered; making it takes time.
  let everything: Cases<Case> | undefined;
  const check: GeneratedCheck = {
    kind: 'generated',
    id: `${first}/${definition.name}`,
    property: definition.name,
    requirement: first,
    decides: definition.decides,
    title: definition.title,
    needs: definition.needs,
    control: definition.control,
    isControl: definition.isControl ?? false,
    requestsAbout: (plan) => {
      everything ??= definition.cases(() => true);
      return requestsAbout(definition, plan, everything);
    },
    judge: (means, controls, plan, lanes) =>
      new PropertyRun(check, definition, { means, controls, plan, lanes }).judge(),
  };
  return check;
}

function requestsAbout<Case>(
  definition: Property<Case>,
  plan: Pick<Plan, 'depth' | 'cases'>,
  cases: Cases<Case>,
): number {
  const perCase = definition.requestsAbout ?? definition.vaultRequests + 1;
  const count = drawnCases(definition, plan);
  const isWalked = depths[plan.depth].goesBeyondOpening || 'array' in cases;
  return (isWalked ? countCases(cases, count, 0) : count) * perCase;
}

/**
 * How many cases are drawn: as many as are asked for, but no more than its own of a property that is only walked, or only for
 * depth deep.
 */
function drawnCases<Case>(
  { count }: Property<Case>,
  { depth, cases }: Pick<Plan, 'depth' | 'cases'>,
): number {
  const own = count[depth];
  return count.standard === 0 ? Math.min(cases ?? own, own) : (cases ?? own);
}

interface PropertyMeans {
  readonly means: AttemptMeans;
  readonly controls: Controls;
  readonly plan: Plan;
  /** Cases at once. */
  readonly lanes: number;
}

/** A case in which something was found or that was disturbed, to be looked at again. */
interface Suspect<Case> {
  /** What the trouble is about. */
  readonly subject: string;
  readonly placed: PlacedCase<Case>;
  readonly attempt: Attempt;
}

// What shrinking may cost one property; how many troubles of it are looked into, and on how many cases each.
const shrinkingRequestsAtMost = 1_500;
const subjectsAtMost = 12;
const suspectsPerSubject = 3;
// Cases at once take worlds at once, which cost two requests each; fewer lanes would be waited for where answers are late.
const casesPerLane = 8;
const triesOfACase = 3;
const attemptsToldAtMost = 30;

class PropertyRun<Case> {
  readonly #check: GeneratedCheck;
  readonly #property: Property<Case>;
  readonly #with: PropertyMeans;
  readonly #cases: Cases<Case>;
  readonly #suspects = new Map<string, readonly Suspect<Case>[]>();
  #shrinkingLeft = shrinkingRequestsAtMost;
  readonly #held = new Set<RequirementId>();
  readonly #classes = new Map<string, number>();
  /** The numbers of the combinations whose cases were judged. */
  readonly #covered = new Set<number>();
  readonly #violations: Violation[] = [];
  readonly #unsettled = new Map<RequirementId, Reason>();
  #count = 0;
  #requests = 0;
  readonly #attempts: ReportedAttempt[] = [];
  #trouble: Reason | undefined;
  /** Why some case could not be made on this target. */
  #notShown: Reason | undefined;

  constructor(check: GeneratedCheck, definition: Property<Case>, means: PropertyMeans) {
    this.#check = check;
    this.#property = definition;
    this.#with = means;
    this.#cases = definition.cases((need) => means.means.target.lacks(need) === undefined);
  }

  async judge(): Promise<Judgement> {
    const { controls, plan, means } = this.#with;
    const beside = controls.beside(this.#check);
    if (beside === undefined)
      return undecided(this.#check, 'inconclusive', controls.reason(this.#check.control));
    const start = performance.now();
    await this.#sendAll();
    this.#assertClasses(plan, means);
    for (const [at, suspects] of this.#inOrder().entries()) {
      if (at < subjectsAtMost) await this.#lookIntoAny(suspects, beside);
      else this.#leaveOpen(suspects);
    }
    return this.#concluded(performance.now() - start);
  }

  /** Sends every case, many lanes side by side, started in the order in which they are drawn. */
  async #sendAll(): Promise<void> {
    const { plan, means, lanes } = this.#with;
    const count = drawnCases(this.#property, plan);
    const cases = placedCases(this.#property.name, this.#cases, plan, count);
    const inParallel = Math.max(
      1,
      Math.min(lanes, Math.floor(countCases(this.#cases, count, this.#firstSeed) / this.#casesPerLane)),
    );
    const lane = async (): Promise<void> => {
      for (const placed of { [Symbol.iterator]: () => cases }) {
        if (means.signal.aborted) return;
        this.#note(placed, await this.#attempt(placed));
      }
    };
    await Promise.all(Array.from({ length: inParallel }, lane));
  }

  /** A case that fills a world has it alone, so that many lanes take no more worlds than one. */
  get #casesPerLane(): number {
    return this.#property.vaultRequests < vaultRequestsPerWorld ? casesPerLane : 1;
  }

  /** One attempt; a case that was only disturbed is sent again, since nothing was judged of it. */
  async #attempt(placed: PlacedCase<Case>): Promise<Attempt> {
    const { means } = this.#with;
    const trial = this.#trial(placed.value, placed);
    let made = await attemptPooled(trial, means);
    for (let tries = 1; isOnlyDisturbed(made) && tries < triesOfACase && !means.signal.aborted; tries++)
      made = await attemptPooled(trial, means);
    return made;
  }

  /** @param placed the case where it may be made smaller later */
  #trial(value: Case, placed?: PlacedCase<Case>): Trial {
    return {
      ...(placed === undefined
        ? {}
        : {
            shrink: async (fails) => {
              const small = await this.#shrunk(placed, (smaller) => fails(this.#trial(smaller)));
              const replay = this.#replayOf(small);
              return { trial: this.#trial(small.value), value: small.value, replay };
            },
          }),
      subject: this.#check.requirement,
      pool: this.#property.pool?.(value),
      vaultRequests: this.#property.vaultRequests,
      isOneOfMany: true,
      run: (context) => this.#property.run(value, context),
    };
  }

  #note(placed: PlacedCase<Case>, made: Attempt): void {
    this.#requests += made.requests;
    if (made.notShown !== undefined) {
      this.#notShown ??= made.notShown;
      return;
    }
    this.#count += 1;
    const word = this.#property.classOf(placed.value);
    this.#classes.set(word, (this.#classes.get(word) ?? 0) + 1);
    if (made.disturbed !== undefined) this.#suspect('disturbed', 'disturbed', placed, made);
    else {
      for (const id of made.held) this.#held.add(id);
      for (const combination of placed.covers ?? []) this.#covered.add(combination);
    }
    for (const { subject, requirement, trouble } of made.findings) {
      // A network in trouble makes many findings, which are looked into as one.
      const key = trouble === undefined ? `${subject} ${requirement}` : subject;
      this.#suspect(key, subject, placed, made);
    }
  }

  /** Keeps the first cases, in the order drawn, of each trouble: there a sequential run would have stopped. */
  #suspect(key: string, subject: string, placed: PlacedCase<Case>, made: Attempt): void {
    const known = this.#suspects.get(key) ?? [];
    const suspect = { subject, placed, attempt: made };
    const all = [...known, suspect].sort((one, other) => order(one.placed, other.placed));
    this.#suspects.set(key, all.slice(0, suspectsPerSubject));
  }

  #inOrder(): readonly (readonly Suspect<Case>[])[] {
    const first = (suspects: readonly Suspect<Case>[]) => suspects[0]?.placed;
    return [...this.#suspects.values()].sort((one, other) => order(first(one), first(other)));
  }

  /** Troubles that nobody looks into leave their requirements open: they must not pass. */
  #leaveOpen(suspects: readonly Suspect<Case>[]): void {
    const isContradicted = this.#trouble?.code === 'control-contradicted';
    const reason = (isContradicted ? this.#trouble : undefined) ?? makeReason('too-many-findings');
    for (const { requirement } of suspects.flatMap(({ attempt: { findings } }) => findings)) {
      this.#unsettled.set(requirement, reason);
    }
  }

  /** One case of a trouble may have been a disturbance while the next is none. */
  async #lookIntoAny(suspects: readonly Suspect<Case>[], beside: Operation): Promise<void> {
    for (const suspect of suspects) {
      const before = this.#violations.length;
      await this.#lookInto(suspect, beside);
      if (this.#violations.length > before || this.#with.means.signal.aborted) return;
    }
  }

  /** Confirms a trouble, makes its case small, and judges the small case again from nothing. */
  async #lookInto({ subject, placed, attempt: first }: Suspect<Case>, beside: Operation): Promise<void> {
    const { means, controls } = this.#with;
    const trial = this.#trial(placed.value);
    const course = await confirm(first, trial, beside, means, controls, subject);
    const confirmed = course.confirmed.filter((finding) => finding.subject === subject);
    if (this.#attempts.length < attemptsToldAtMost && (confirmed.length > 0 || course.trouble !== undefined))
      this.#attempts.push(...course.attemptsTold);
    if (confirmed.length === 0) return this.#settle(course);
    const small = await this.#shrink(subject, placed);
    const again = small === placed ? course : await this.#judgedAgain(small, beside);
    const [violation] = again.confirmed.filter((finding) => finding.subject === subject);
    // Two things wrong may both shrink to the one that is to blame.
    const isKnown = this.#violations.some(
      ({ subject: known, counterexample }) =>
        known === subject && JSON.stringify(counterexample.case) === JSON.stringify(small.value),
    );
    if (isKnown) return;
    // A case that shrank into something permitted, or that did not show it again, gives way to the one it came from.
    if (violation !== undefined) this.#violate(violation, small);
    else for (const original of confirmed.slice(0, 1)) this.#violate(original, placed);
  }

  async #judgedAgain({ value }: PlacedCase<Case>, beside: Operation): Promise<Course> {
    const { controls, means } = this.#with;
    const trial = this.#trial(value);
    return confirm(await attempt(trial, means), trial, beside, means, controls);
  }

  async #shrink(subject: string, placed: PlacedCase<Case>): Promise<PlacedCase<Case>> {
    const { means } = this.#with;
    return this.#shrunk(placed, async (value) => {
      if (this.#shrinkingLeft <= 0 || means.signal.aborted) return false;
      const made = await attemptPooled(this.#trial(value), means);
      this.#shrinkingLeft -= made.requests;
      return made.findings.some((finding) => finding.subject === subject);
    });
  }

  /** The smallest case that still fails; a case that was asked for by its path stays as it is. */
  async #shrunk(
    placed: PlacedCase<Case>,
    fails: (value: Case) => Promise<boolean>,
  ): Promise<PlacedCase<Case>> {
    const { plan } = this.#with;
    return plan.replay === undefined ? await shrunk(placed, this.#cases, plan.seed, fails) : placed;
  }

  #violate(violation: Violation, placed: PlacedCase<Case>): void {
    const counterexample = { ...violation.counterexample, case: placed.value };
    this.#violations.push({
      ...violation,
      counterexample,
      replay: this.#replayOf(placed),
    });
  }

  #replayOf({ place, value }: PlacedCase<Case>): Replay {
    const isSteady = 'array' in this.#cases ? this.#cases.isSteady(value) : place.block === 'walk';
    return { seed: this.#with.plan.seed, path: writePath(place), isDrawn: !isSteady };
  }

  /** Takes over what a course left open; a disturbance that settled leaves nothing. */
  #settle(course: Course): void {
    const { trouble } = course;
    if (trouble === undefined) return;
    if (course.unsettled.size === 0 || trouble.code === 'control-contradicted') this.#trouble = trouble;
    for (const id of course.unsettled) this.#unsettled.set(id, trouble);
  }

  /** A class that got no case proves nothing about it: that is the suite's own fault. */
  #assertClasses({ depth, cases, replay }: Plan, { signal }: AttemptMeans): void {
    if (!depths[depth].goesBeyondOpening || cases !== undefined || replay !== undefined || signal.aborted)
      return;
    if ('array' in this.#cases) return;
    const missed = this.#cases.classes.filter((word) => !this.#classes.has(word));
    if (missed.length > 0 && (this.#trouble ?? this.#notShown) === undefined)
      throw new Error(`no case of the class ${missed.join(', ')} was sent`);
  }

  #concluded(durationMs: number): Judgement {
    assertDeclared(this.#check, this.#held);
    const own = (id: RequirementId) => this.#check.decides.includes(id);
    const rows = new Map(this.#check.decides.map((id) => [id, this.#row(id)] as const));
    return {
      check: this.#check,
      ...(worst(rows.values()) ?? { outcome: 'skipped', reason: undefined }),
      rows,
      failures: this.#violations.filter(({ requirement }) => own(requirement)),
      passiveFailures: this.#violations.filter(({ requirement }) => !own(requirement)),
      passiveUnsettled: new Map(
        [...this.#unsettled].filter(([id]) => PassiveJudge.requirements.includes(id)),
      ),
      attempts: this.#attempts,
      cases: this.#count,
      classes: Object.fromEntries([...this.#classes].sort(([one], [other]) => (one < other ? -1 : 1))),
      ...this.#coverage(),
      requests: this.#requests,
      durationMs,
    };
  }

  #coverage(): Pick<Judgement, 'coverage'> {
    const { plan } = this.#with;
    const isSent = plan.replay === undefined && drawnCases(this.#property, plan) > 0;
    if (!('array' in this.#cases) || !isSent) return {};
    const { strength, array } = this.#cases;
    return { coverage: { strength, seen: this.#covered.size, possible: array(this.#firstSeed).possible } };
  }

  get #firstSeed(): number {
    return blockSeed(this.#with.plan.seed, this.#property.name, 0);
  }

  #row(id: RequirementId): RowOutcome {
    if (this.#violations.some(({ requirement }) => requirement === id))
      return { outcome: 'fail', reason: undefined };
    const open = this.#unsettled.get(id);
    if (open !== undefined) return { outcome: 'inconclusive', reason: open };
    if (this.#held.has(id)) return { outcome: 'pass', reason: undefined };
    if (this.#trouble !== undefined) return troubled(id, this.#trouble);
    return { outcome: 'skipped', reason: this.#notShown ?? makeReason('no-case') };
  }
}

function isOnlyDisturbed({ disturbed, findings, contradicted }: Attempt): boolean {
  return disturbed !== undefined && findings.length === 0 && contradicted === undefined;
}

/** In the order drawn: the walk first, then block by block. */
function order(one: PlacedCase<unknown> | undefined, other: PlacedCase<unknown> | undefined): number {
  const [[oneBlock, oneIndex], [otherBlock, otherIndex]] = [rank(one), rank(other)];
  return oneBlock === otherBlock ? oneIndex - otherIndex : oneBlock - otherBlock;
}

function rank(placed: PlacedCase<unknown> | undefined): readonly [block: number, index: number] {
  if (placed === undefined) return [Number.POSITIVE_INFINITY, 0];
  const { block, path } = placed.place;
  return [block === 'walk' ? -1 : block, Number(path.split(':')[0])];
}
