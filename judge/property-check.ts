import type { RequirementId } from '../spec/ledger.js';
import { makeReason, type Reason } from '../spec/reasons.js';
import type { ReportedAttempt } from '../spec/report.js';
import type { Operation } from '../spec/vocabulary.js';
import { type AttemptSpec, attempt, attemptPooled, type RunContext } from './attempt.js';
import {
  assertDeclared,
  findWorst,
  type GeneratedCheck,
  type Judgement,
  makeJudgement,
  makeTroubleOutcome,
  type RowOutcome,
} from './check.js';
import { confirm } from './confirmation.js';
import type { ConfirmationHistory } from './confirmation-history.js';
import type { Attempt, Replay, Violation } from './finding.js';
import {
  blockSeed,
  type Cases,
  countCases,
  countDrawnCases,
  estimateRequests,
  type GeneratedCase,
  generateCases,
  type Property,
  shrinkCase,
} from './generated-cases.js';
import { PassiveJudge } from './passive.js';
import { depths, type Plan, writePath } from './plan.js';
import type { PositiveControls } from './positive-controls.js';
import { vaultRequestsPerWorld } from './run-limits.js';

/** Makes a check of a property. */
export function property<Case>(definition: Property<Case>): GeneratedCheck {
  const [first] = definition.decides;
  // The cases of a target that offers everything; making them takes time.
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
      return estimateRequests(definition, plan, everything);
    },
    specOf: (plan, offers) => {
      const [placed] = generateCases(definition.name, definition.cases(offers), plan, 1);
      return placed && specOf(check, definition, placed);
    },
    judge: (context, controls, plan, concurrency) =>
      new PropertyRun(check, definition, { context, controls, plan, concurrency }).judge(),
  };
  return check;
}

/** What an attempt of one case is made of; absent its place, of a case that is only a step on the way to a smaller one. */
function specOf<Case>(
  { id, requirement: subject }: GeneratedCheck,
  { pool, vaultRequests, run }: Property<Case>,
  { value, place }: Pick<GeneratedCase<Case>, 'value'> & Partial<GeneratedCase<Case>>,
): AttemptSpec {
  return {
    ...{ subject, vaultRequests, pool: pool?.(value) },
    isOneOfMany: true,
    run: (context) => run(value, context),
    ...(place === undefined ? {} : { origin: { check: id, path: writePath(place) } }),
  };
}

interface PropertyRunOptions {
  readonly context: RunContext;
  readonly controls: PositiveControls;
  readonly plan: Plan;
  /** Cases at once. */
  readonly concurrency: number;
}

/** A case with a finding or a disturbance, to be investigated. */
interface Suspect<Case> {
  /** What the trouble is about. */
  readonly subject: string;
  readonly placed: GeneratedCase<Case>;
  readonly attempt: Attempt;
}

// Limits of one property: the requests of shrinking, the subjects to investigate, and the cases of each.
const shrinkingRequestsAtMost = 1_500;
const subjectsAtMost = 12;
const suspectsPerSubject = 3;
// Each lane takes a world, which costs two requests; fewer lanes would wait for late answers.
const casesPerLane = 8;
const triesOfACase = 3;
const attemptsReportedAtMost = 30;

class PropertyRun<Case> {
  readonly #check: GeneratedCheck;
  readonly #property: Property<Case>;
  readonly #with: PropertyRunOptions;
  readonly #cases: Cases<Case>;
  readonly #suspects = new Map<string, readonly Suspect<Case>[]>();
  #shrinkingLeft = shrinkingRequestsAtMost;
  readonly #passed = new Set<RequirementId>();
  readonly #classes = new Map<string, number>();
  /** The numbers of the combinations whose cases were judged. */
  readonly #covered = new Set<number>();
  readonly #violations: Violation[] = [];
  readonly #inconclusive = new Map<RequirementId, Reason>();
  #count = 0;
  #requests = 0;
  readonly #attempts: ReportedAttempt[] = [];
  #trouble: Reason | undefined;
  /** Why some case could not be made on this target. */
  #notShown: Reason | undefined;

  constructor(check: GeneratedCheck, definition: Property<Case>, options: PropertyRunOptions) {
    this.#check = check;
    this.#property = definition;
    this.#with = options;
    this.#cases = definition.cases((need) => options.context.target.lacks(need) === undefined);
  }

  async judge(): Promise<Judgement> {
    const { controls, plan, context } = this.#with;
    const control = controls.findPairedControl(this.#check);
    if (control === undefined)
      return makeJudgement(this.#check, 'inconclusive', controls.explainFailure(this.#check.control));
    const start = performance.now();
    await this.#sendAll();
    this.#assertClasses(plan, context);
    for (const [at, suspects] of this.#suspectsInOrder().entries()) {
      if (at < subjectsAtMost) await this.#investigateAny(suspects, control);
      else this.#leaveOpen(suspects);
    }
    return this.#conclude(performance.now() - start);
  }

  /** Sends every case, several side by side, started in the order in which they are drawn. */
  async #sendAll(): Promise<void> {
    const { plan, context, concurrency } = this.#with;
    const count = countDrawnCases(this.#property, plan);
    const cases = generateCases(this.#property.name, this.#cases, plan, count);
    const inParallel = Math.max(
      1,
      Math.min(concurrency, Math.floor(countCases(this.#cases, count, this.#firstSeed) / this.#casesPerLane)),
    );
    const lane = async (): Promise<void> => {
      for (const placed of { [Symbol.iterator]: () => cases }) {
        if (context.signal.aborted) return;
        this.#record(placed, await this.#attempt(placed));
      }
    };
    await Promise.all(Array.from({ length: inParallel }, lane));
  }

  /** A case that fills a world has it for itself, so that more lanes take no more worlds. */
  get #casesPerLane(): number {
    return this.#property.vaultRequests < vaultRequestsPerWorld ? casesPerLane : 1;
  }

  /** Makes one attempt; repeats a case that was only disturbed, since nothing was judged of it. */
  async #attempt(placed: GeneratedCase<Case>): Promise<Attempt> {
    const { context } = this.#with;
    const spec = this.#spec(placed.value, placed);
    let made = await attemptPooled(spec, context);
    for (let tries = 1; isOnlyDisturbed(made) && tries < triesOfACase && !context.signal.aborted; tries++)
      made = await attemptPooled(spec, context);
    return made;
  }

  /** @param placed the case, where it may be shrunk later */
  #spec(value: Case, placed?: GeneratedCase<Case>): AttemptSpec {
    return {
      ...specOf(this.#check, this.#property, placed ?? { value }),
      ...(placed === undefined
        ? {}
        : {
            shrink: async (fails) => {
              const small = await this.#shrinkUnlessReplayed(placed, (smaller) => fails(this.#spec(smaller)));
              const replay = this.#replayOf(small);
              return { spec: specOf(this.#check, this.#property, small), value: small.value, replay };
            },
          }),
    };
  }

  #record(placed: GeneratedCase<Case>, made: Attempt): void {
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
      for (const id of made.passed) this.#passed.add(id);
      for (const combination of placed.covers ?? []) this.#covered.add(combination);
    }
    for (const { subject, requirement, trouble } of made.findings) {
      // The many findings of a network in trouble are investigated as one.
      const key = trouble === undefined ? `${subject} ${requirement}` : subject;
      this.#suspect(key, subject, placed, made);
    }
  }

  /** Keeps the first cases of each subject in the order drawn: there a sequential run would have stopped. */
  #suspect(key: string, subject: string, placed: GeneratedCase<Case>, made: Attempt): void {
    const known = this.#suspects.get(key) ?? [];
    const suspect = { subject, placed, attempt: made };
    const all = [...known, suspect].sort((one, other) => comparePlaces(one.placed, other.placed));
    this.#suspects.set(key, all.slice(0, suspectsPerSubject));
  }

  #suspectsInOrder(): readonly (readonly Suspect<Case>[])[] {
    const first = (suspects: readonly Suspect<Case>[]) => suspects[0]?.placed;
    return [...this.#suspects.values()].sort((one, other) => comparePlaces(first(one), first(other)));
  }

  /** Leaves the requirements of findings that are not investigated inconclusive: they must not pass. */
  #leaveOpen(suspects: readonly Suspect<Case>[]): void {
    const isContradicted = this.#trouble?.code === 'control-contradicted';
    const reason = (isContradicted ? this.#trouble : undefined) ?? makeReason('too-many-findings');
    for (const { requirement } of suspects.flatMap(({ attempt: { findings } }) => findings)) {
      this.#inconclusive.set(requirement, reason);
    }
  }

  /** Investigates cases of one subject until one is confirmed: the first may have been a disturbance. */
  async #investigateAny(suspects: readonly Suspect<Case>[], control: Operation): Promise<void> {
    for (const suspect of suspects) {
      const before = this.#violations.length;
      await this.#investigate(suspect, control);
      if (this.#violations.length > before || this.#with.context.signal.aborted) return;
    }
  }

  /** Confirms a finding, shrinks its case, and judges the smaller case from scratch. */
  async #investigate({ subject, placed, attempt: first }: Suspect<Case>, control: Operation): Promise<void> {
    const { context, controls } = this.#with;
    const spec = this.#spec(placed.value);
    const history = await confirm(first, spec, control, context, controls, subject);
    const confirmed = history.confirmed.filter((finding) => finding.subject === subject);
    if (
      this.#attempts.length < attemptsReportedAtMost &&
      (confirmed.length > 0 || history.trouble !== undefined)
    )
      this.#attempts.push(...history.reportedAttempts);
    if (confirmed.length === 0) return this.#settle(history);
    const small = await this.#shrink(subject, placed);
    const again = small === placed ? history : await this.#judgeAgain(small, control);
    const [violation] = again.confirmed.filter((finding) => finding.subject === subject);
    // Two cases may shrink to the same cause.
    const isKnown = this.#violations.some(
      ({ subject: known, counterexample }) =>
        known === subject && JSON.stringify(counterexample.case) === JSON.stringify(small.value),
    );
    if (isKnown) return;
    // Where the smaller case does not show the finding, the original one is reported.
    if (violation !== undefined) this.#addViolation(violation, small);
    else for (const original of confirmed.slice(0, 1)) this.#addViolation(original, placed);
  }

  async #judgeAgain({ value }: GeneratedCase<Case>, control: Operation): Promise<ConfirmationHistory> {
    const { controls, context } = this.#with;
    const spec = this.#spec(value);
    return confirm(await attempt(spec, context), spec, control, context, controls);
  }

  async #shrink(subject: string, placed: GeneratedCase<Case>): Promise<GeneratedCase<Case>> {
    const { context } = this.#with;
    return this.#shrinkUnlessReplayed(placed, async (value) => {
      if (this.#shrinkingLeft <= 0 || context.signal.aborted) return false;
      const made = await attemptPooled(this.#spec(value), context);
      this.#shrinkingLeft -= made.requests;
      return made.findings.some((finding) => finding.subject === subject);
    });
  }

  /** Shrinks a case while it still fails; a replayed case stays as it is. */
  async #shrinkUnlessReplayed(
    placed: GeneratedCase<Case>,
    fails: (value: Case) => Promise<boolean>,
  ): Promise<GeneratedCase<Case>> {
    const { plan } = this.#with;
    return plan.replay === undefined ? await shrinkCase(placed, this.#cases, plan.seed, fails) : placed;
  }

  #addViolation(violation: Violation, placed: GeneratedCase<Case>): void {
    const counterexample = { ...violation.counterexample, case: placed.value };
    this.#violations.push({
      ...violation,
      counterexample,
      replay: this.#replayOf(placed),
    });
  }

  #replayOf({ place, value }: GeneratedCase<Case>): Replay {
    const isSteady = 'array' in this.#cases ? this.#cases.isInEveryRun(value) : place.block === 'walk';
    return { seed: this.#with.plan.seed, path: writePath(place), isDrawn: !isSteady };
  }

  /** Records what a confirmation left inconclusive. */
  #settle(history: ConfirmationHistory): void {
    const { trouble } = history;
    if (trouble === undefined) return;
    if (history.inconclusive.size === 0 || trouble.code === 'control-contradicted') this.#trouble = trouble;
    for (const id of history.inconclusive) this.#inconclusive.set(id, trouble);
  }

  /** Throws where a class got no case: that is a fault of the suite. */
  #assertClasses({ depth, cases, replay }: Plan, { signal }: RunContext): void {
    if (!depths[depth].goesBeyondOpening || cases !== undefined || replay !== undefined || signal.aborted)
      return;
    if ('array' in this.#cases) return;
    const missed = this.#cases.classes.filter((word) => !this.#classes.has(word));
    if (missed.length > 0 && (this.#trouble ?? this.#notShown) === undefined)
      throw new Error(`no case of the class ${missed.join(', ')} was sent`);
  }

  #conclude(durationMs: number): Judgement {
    assertDeclared(this.#check, this.#passed);
    const own = (id: RequirementId) => this.#check.decides.includes(id);
    const rows = new Map(this.#check.decides.map((id) => [id, this.#row(id)] as const));
    return {
      check: this.#check,
      ...(findWorst(rows.values()) ?? { outcome: 'skipped', reason: undefined }),
      rows,
      failures: this.#violations.filter(({ requirement }) => own(requirement)),
      passiveFailures: this.#violations.filter(({ requirement }) => !own(requirement)),
      passiveInconclusive: new Map(
        [...this.#inconclusive].filter(([id]) => PassiveJudge.requirements.includes(id)),
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
    const isSent = plan.replay === undefined && countDrawnCases(this.#property, plan) > 0;
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
    const open = this.#inconclusive.get(id);
    if (open !== undefined) return { outcome: 'inconclusive', reason: open };
    if (this.#passed.has(id)) return { outcome: 'pass', reason: undefined };
    if (this.#trouble !== undefined) return makeTroubleOutcome(id, this.#trouble);
    return { outcome: 'skipped', reason: this.#notShown ?? makeReason('no-case') };
  }
}

function isOnlyDisturbed({ disturbed, findings, contradicted }: Attempt): boolean {
  return disturbed !== undefined && findings.length === 0 && contradicted === undefined;
}

/** Compares in the order drawn: the walk first, then block by block. */
function comparePlaces(
  one: GeneratedCase<unknown> | undefined,
  other: GeneratedCase<unknown> | undefined,
): number {
  const [[oneBlock, oneIndex], [otherBlock, otherIndex]] = [rank(one), rank(other)];
  return oneBlock === otherBlock ? oneIndex - otherIndex : oneBlock - otherBlock;
}

function rank(placed: GeneratedCase<unknown> | undefined): readonly [block: number, index: number] {
  if (placed === undefined) return [Number.POSITIVE_INFINITY, 0];
  const { block, path } = placed.place;
  return [block === 'walk' ? -1 : block, Number(path.split(':')[0])];
}
