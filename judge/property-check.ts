import type { RequirementId } from '../spec/ledger.js';
import { makeReason, type Reason } from '../spec/reasons.js';
import type { ReportedAttempt } from '../spec/report.js';
import type { Operation } from '../spec/vocabulary.js';
import { type AttemptSpec, attempt, attemptPooled } from './attempt.js';
import {
  assertDeclared,
  conclude,
  type GeneratedCheck,
  type Judgement,
  type JudgingContext,
  makeHinderedOutcome,
  makeJudgement,
  type RowOutcome,
} from './check.js';
import { confirm } from './confirmation.js';
import { type ConfirmationHistory, reportAttempts } from './confirmation-history.js';
import type { Attempt, Evidence, Replay, Violation } from './finding.js';
import {
  blockSeed,
  type Cases,
  countCases,
  countDrawnCases,
  estimatePropertyRequests,
  type GeneratedCase,
  generateCases,
  listOwnCombinations,
  type Property,
  shrinkCase,
} from './generated-cases.js';
import { writeCasePath } from './plan.js';
import { vaultRequestsPerWorld } from './run-limits.js';

/** Makes a check of a property. */
export function property<Case>(definition: Property<Case>): GeneratedCheck {
  const { decides, title, needs, control } = definition;
  const [first] = decides;
  // The cases on a target that offers everything, kept because making them takes time.
  let everything: Cases<Case> | undefined;
  const check: GeneratedCheck = {
    kind: 'generated',
    id: `${first}/${definition.name}`,
    property: definition.name,
    requirement: first,
    ...{ decides, title, needs, control },
    estimateOwnRequests: (plan) => {
      everything ??= definition.cases(() => true);
      return estimatePropertyRequests(definition, plan, everything);
    },
    makeSpec: (plan, offers) => {
      const [placed] = generateCases(definition.name, definition.cases(offers), plan, 1);
      return placed && makeSpec(check, definition, placed);
    },
    judge: (means) => new PropertyRun(check, definition, means).judge(),
  };
  return check;
}

/** Makes the attempt of one case. A case without a place is a candidate of shrinking, and is never reported. */
function makeSpec<Case>(
  { id, requirement: subject }: GeneratedCheck,
  { pool, vaultRequests, run }: Property<Case>,
  { value, place }: Pick<GeneratedCase<Case>, 'value'> & Partial<GeneratedCase<Case>>,
): AttemptSpec {
  return {
    ...{ subject, vaultRequests, pool: pool?.(value) },
    isOneOfMany: true,
    run: (context) => run(value, context),
    ...(place === undefined ? {} : { origin: { check: id, path: writeCasePath(place) } }),
  };
}

/** A case with a finding or a disturbance, to be investigated. */
interface Suspect<Case> {
  readonly subject: string;
  readonly placed: GeneratedCase<Case>;
  readonly order: number;
  readonly attempt: Attempt;
}

// Limits of one property: the requests of shrinking, the subjects to investigate, and the cases of each.
const maxShrinkingRequests = 1_500;
const maxSubjects = 12;
const suspectsPerSubject = 3;
// Each worker takes a world, which costs two requests; fewer workers would wait for late answers.
const casesPerWorker = 8;
const triesOfACase = 3;
const maxAttemptsReported = 30;

class PropertyRun<Case> {
  readonly #cases: Cases<Case>;
  readonly #suspects = new Map<string, readonly Suspect<Case>[]>();
  #shrinkingLeft = maxShrinkingRequests;
  readonly #passed = new Set<RequirementId>();
  readonly #classes = new Map<string, number>();
  readonly #covered = new Set<number>();
  readonly #violations: Violation[] = [];
  readonly #inconclusive = new Map<RequirementId, Reason>();
  #count = 0;
  #requests = 0;
  readonly #attempts: ReportedAttempt[] = [];
  #inconclusiveReason: Reason | undefined;
  /** What foreign answers stood in place of: the requirements that some case was to decide. */
  readonly #inPlaceOf = new Set<RequirementId>();
  /** How something in front of the service answered, once that has lasted. */
  #foreign: Reason | undefined;
  /** Why some case could not be made on this target. */
  #notShown: Reason | undefined;

  constructor(
    private readonly check: GeneratedCheck,
    private readonly property: Property<Case>,
    private readonly options: JudgingContext,
  ) {
    this.#cases = property.cases((need) => options.context.target.lacks(need) === undefined);
  }

  async judge(): Promise<Judgement> {
    const { check } = this;
    const { controls } = this.options;
    const control = controls.findPairedControl(check);
    if (control === undefined)
      return makeJudgement(check, 'inconclusive', controls.explainFailure(check.control));
    await this.#sendAll();
    const inOrder = [...this.#suspects.values()].sort(
      ([one], [other]) => (one?.order ?? 0) - (other?.order ?? 0),
    );
    for (const [at, suspects] of inOrder.entries()) {
      if (at < maxSubjects) await this.#investigateAny(suspects, control);
      else this.#leaveInconclusive(suspects);
    }
    assertDeclared(check, this.#passed);
    return conclude(check, {
      violations: this.#violations,
      inconclusive: this.#inconclusive,
      decide: (id) => this.#decideRow(id),
      attempts: this.#attempts,
      cases: this.#count,
      classes: Object.fromEntries([...this.#classes].sort(([one], [other]) => (one < other ? -1 : 1))),
      ...this.#coverage(),
      requests: this.#requests,
    });
  }

  /** Sends every case, several side by side, started in the order in which they are drawn. */
  async #sendAll(): Promise<void> {
    const { plan, shard, context, concurrency } = this.options;
    const { name, vaultRequests } = this.property;
    const count = countDrawnCases(this.property, plan);
    const cases = generateCases(name, this.#cases, plan, count, shard);
    // A case that fills a world does not share it, so that more workers take no more worlds.
    const perWorker = vaultRequests < vaultRequestsPerWorld ? casesPerWorker : 1;
    const workers = Math.floor(countCases(this.#cases, count, this.#firstSeed) / shard.of / perWorker);
    let order = 0;
    const worker = async (): Promise<void> => {
      for (const placed of { [Symbol.iterator]: () => cases }) {
        if (context.signal.aborted) return;
        const place = order++;
        this.#record(placed, await this.#attempt(placed), place);
      }
    };
    await Promise.all(Array.from({ length: Math.max(1, Math.min(concurrency, workers)) }, worker));
  }

  /** Makes one attempt; repeats a case that was only disturbed, since nothing was judged of it. */
  async #attempt(placed: GeneratedCase<Case>): Promise<Attempt> {
    const { context, plan } = this.options;
    const spec: AttemptSpec = {
      ...makeSpec(this.check, this.property, placed),
      shrink: async (fails) => {
        const small = await shrinkCase(placed, this.#cases, plan, (value) => fails(this.#makeSpec(value)));
        const shrunk = makeSpec(this.check, this.property, small);
        return { spec: shrunk, value: small.value, replay: this.#replayOf(small) };
      },
    };
    let made = await attemptPooled(spec, context);
    for (let tries = 1; tries < triesOfACase && !context.signal.aborted; tries++) {
      const { disturbed, findings, contradicted } = made;
      if (disturbed === undefined || findings.length > 0 || contradicted !== undefined) break;
      made = await attemptPooled(spec, context);
    }
    return made;
  }

  #makeSpec(value: Case): AttemptSpec {
    return makeSpec(this.check, this.property, { value });
  }

  #record(placed: GeneratedCase<Case>, made: Attempt, order: number): void {
    this.#requests += made.requests;
    if (made.notShown !== undefined) {
      this.#notShown ??= made.notShown;
      return;
    }
    this.#notShown ??= made.intercepted;
    this.#count += 1;
    const word = this.property.classOf(placed.value);
    this.#classes.set(word, (this.#classes.get(word) ?? 0) + 1);
    const suspect = { placed, attempt: made, order };
    if (made.disturbed !== undefined) {
      const subject = made.foreign === undefined ? 'disturbed' : 'foreign';
      this.#suspect(subject, { ...suspect, subject });
      if (made.foreign?.inPlaceOf !== undefined) this.#inPlaceOf.add(made.foreign.inPlaceOf);
    } else {
      for (const id of made.passed) this.#passed.add(id);
      for (const combination of placed.covers ?? []) this.#covered.add(combination);
    }
    for (const { subject, requirement, trouble } of made.findings) {
      // The many findings of a network in trouble are investigated as one.
      const key = trouble === undefined ? `${subject} ${requirement}` : subject;
      this.#suspect(key, { ...suspect, subject });
    }
  }

  /** Keeps the first cases of each subject in the order drawn: there a sequential run would have stopped. */
  #suspect(key: string, suspect: Suspect<Case>): void {
    const all = [...(this.#suspects.get(key) ?? []), suspect];
    all.sort((one, other) => one.order - other.order);
    this.#suspects.set(key, all.slice(0, suspectsPerSubject));
  }

  /** Leaves the requirements of findings that are not investigated inconclusive: they must not pass. */
  #leaveInconclusive(suspects: readonly Suspect<Case>[]): void {
    const known = this.#inconclusiveReason;
    const reason = known?.code === 'control-contradicted' ? known : makeReason('too-many-findings');
    for (const { requirement } of suspects.flatMap(({ attempt: { findings } }) => findings))
      this.#inconclusive.set(requirement, reason);
  }

  /** Investigates cases of one subject until one is confirmed: the first may have been a disturbance. */
  async #investigateAny(suspects: readonly Suspect<Case>[], control: Operation): Promise<void> {
    for (const suspect of suspects) {
      const before = this.#violations.length;
      await this.#investigate(suspect, control);
      if (this.#violations.length > before || this.options.context.signal.aborted) return;
    }
  }

  /** Confirms a finding, shrinks its case, and judges the smaller case from scratch. */
  async #investigate({ subject, placed, attempt: first }: Suspect<Case>, control: Operation): Promise<void> {
    const { context, controls, plan } = this.options;
    const means = { control, controls, context };
    const isOwn = (finding: Evidence) => finding.subject === subject;
    const history = await confirm(first, this.#makeSpec(placed.value), means, subject);
    const original = history.confirmed.find(isOwn);
    const isReported = original !== undefined || history.inconclusiveReason !== undefined;
    if (this.#attempts.length < maxAttemptsReported && isReported)
      this.#attempts.push(...reportAttempts(history.attempts));
    if (original === undefined) return this.#noteInconclusive(history, first);
    const small = await shrinkCase(placed, this.#cases, plan, async (value) => {
      if (this.#shrinkingLeft <= 0 || context.signal.aborted) return false;
      const made = await attemptPooled(this.#makeSpec(value), context);
      this.#shrinkingLeft -= made.requests;
      return made.findings.some(isOwn);
    });
    const spec = this.#makeSpec(small.value);
    const value = JSON.stringify(small.value);
    const again =
      value === JSON.stringify(placed.value)
        ? history
        : await confirm(await attempt(spec, context), spec, means);
    // Two cases may shrink to the same cause.
    const isKnown = this.#violations.some(
      (known) => isOwn(known) && JSON.stringify(known.counterexample.case) === value,
    );
    if (isKnown) return;
    const violation = again.confirmed.find(isOwn);
    // Where the smaller case does not show the finding, the original one is reported.
    const shown = violation === undefined ? placed : small;
    const found = violation ?? original;
    const counterexample = { ...found.counterexample, case: shown.value };
    this.#violations.push({ ...found, counterexample, replay: this.#replayOf(shown) });
  }

  #replayOf({ place, value }: GeneratedCase<Case>): Replay {
    const isSteady = 'rows' in this.#cases ? this.#cases.isInEveryRun(value) : place.block === 'walk';
    return { seed: this.options.plan.seed, path: writeCasePath(place), isDrawn: !isSteady };
  }

  #noteInconclusive(
    { inconclusiveReason: reason, inconclusive }: ConfirmationHistory,
    { foreign }: Attempt,
  ): void {
    if (reason === undefined) return;
    // A proxy refuses single requests for their form; what else disturbs a case may concern every other.
    if (foreign !== undefined && this.#passed.size > 0) this.#foreign = reason;
    else if (inconclusive.size === 0 || reason.code === 'control-contradicted')
      this.#inconclusiveReason = reason;
    for (const id of inconclusive) this.#inconclusive.set(id, reason);
  }

  #coverage(): Pick<Judgement, 'coverage'> {
    const { plan, shard } = this.options;
    const isSent = plan.replay === undefined && countDrawnCases(this.property, plan) > 0;
    if (!('rows' in this.#cases) || !isSent) return {};
    const own = listOwnCombinations(this.#cases, this.#firstSeed, shard);
    const seen = [...own].filter((combination) => this.#covered.has(combination)).length;
    return { coverage: { strength: this.#cases.strength, seen, possible: own.size } };
  }

  get #firstSeed(): number {
    return blockSeed(this.options.plan.seed, this.property.name, 0);
  }

  #decideRow(id: RequirementId): RowOutcome {
    const reason = this.#inconclusive.get(id);
    if (reason !== undefined) return { outcome: 'inconclusive', reason };
    if (this.#passed.has(id)) return { outcome: 'pass' };
    if (this.#inconclusiveReason !== undefined) return makeHinderedOutcome(id, this.#inconclusiveReason);
    if (this.#foreign !== undefined && this.#inPlaceOf.has(id))
      return { outcome: 'inconclusive', reason: this.#foreign };
    return { outcome: 'skipped', reason: this.#notShown ?? makeReason('no-case') };
  }
}
