import type { RequirementId } from '../spec/ledger.js';
import type { Need } from '../spec/need.js';
import { makeReason, type Reason } from '../spec/reasons.js';
import type { Operation } from '../spec/vocabulary.js';
import type { CheckContext } from './api.js';
import { type AttemptMeans, attempt, attemptShared } from './attempt.js';
import type { Attempt, Violation } from './finding.js';

/** The plain success of an operation: what must hold beside every refusal. */
interface PositiveControl {
  readonly operation: Operation;
  readonly requirement: RequirementId;
  readonly needs: readonly Need[];
  readonly run: (context: CheckContext) => Promise<void>;
}

const positiveControls: readonly PositiveControl[] = [
  {
    operation: 'key-info',
    requirement: 'key-info.200.read',
    needs: ['role:member'],
    run: async ({ api }) => {
      await api.readKey().holds(200);
    },
  },
  {
    operation: 'vault-delete',
    requirement: 'vault-delete.204.deleted',
    needs: ['store', 'role:member'],
    run: async ({ world, api }) => {
      await api.deleteSecret({ name: await world.store('own') }).holds(204);
    },
  },
  {
    operation: 'guardrail-read',
    requirement: 'guardrail-read.200.read',
    needs: ['guardrail', 'role:management'],
    run: async ({ api }) => {
      await api.readGuardrail().holds(200);
    },
  },
  {
    operation: 'inference',
    requirement: 'inference.routed',
    needs: ['inference', 'role:member'],
    run: async ({ api }) => {
      await api.infer().holds(200);
    },
  },
];

/** The positive controls of a run: whether each can be had, and how it did. */
export class Controls {
  readonly #means: AttemptMeans;
  readonly #heldOnce = new Set<Operation>();
  readonly #reasons = new Map<Operation, Reason>();
  readonly #missing = new Map<Operation, Reason>();
  readonly #violations: Violation[] = [];

  constructor(means: AttemptMeans) {
    this.#means = means;
  }

  /** The operations whose plain success the target gives the means to try. */
  get possible(): readonly Operation[] {
    return positiveControls
      .filter(({ needs }) => needs.every((need) => this.#means.target.lacks(need) === undefined))
      .map(({ operation }) => operation);
  }

  /** What a world turned out to lack for an operation's plain success. */
  missing(operation: Operation): Reason | undefined {
    return this.#missing.get(operation);
  }

  /** What the plain success of an operation needs. */
  needs(operation: Operation): readonly Need[] {
    return positiveControls.find((control) => control.operation === operation)?.needs ?? [];
  }

  /** What the answers to positive controls showed at once: they are responses of the run like any other. */
  get violations(): readonly Violation[] {
    return this.#violations;
  }

  /** Whether an operation's plain success has held in this run. */
  held(operation: Operation): boolean {
    return this.#heldOnce.has(operation);
  }

  /** Whether anything has been proven at all. */
  get anyHeld(): boolean {
    return this.#heldOnce.size > 0;
  }

  /** The operation that stands beside a check: its own, or, where its subject is just that one's success, another. */
  beside({
    control,
    isControl,
  }: {
    readonly control: Operation;
    readonly isControl: boolean;
  }): Operation | undefined {
    if (this.held(control)) return control;
    return isControl ? this.possible.find((operation) => this.held(operation)) : undefined;
  }

  /** Why an operation's plain success did not hold when it was last tried. */
  reason(operation: Operation): Reason {
    return this.#reasons.get(operation) ?? makeReason('control-untried');
  }

  /**
   * Tries the plain success of an operation in a fresh world, or, where worlds are shared, in one that is fit for it.
   * @param means those of the run where absent
   */
  async try(
    operation: Operation,
    means: AttemptMeans = this.#means,
  ): Promise<Attempt & { readonly succeeded: boolean }> {
    const control = positiveControls.find((candidate) => candidate.operation === operation);
    if (control === undefined) throw new Error(`no positive control for ${operation}`);
    // In a world that others have used it would share their trouble; only where every request is dear it must.
    const tryIt = means.plan.depth === 'quick' ? attemptShared : attempt;
    const tried = await tryIt({ subject: control.requirement, run: control.run }, means);
    const succeeded = tried.disturbed === undefined && tried.notShown === undefined;
    const atOnce = tried.findings.filter((finding) => finding.atOnce);
    this.#violations.push(...atOnce.map((finding) => ({ ...finding, confirmed: '1/1' })));
    const { disturbed, notShown } = tried;
    if (disturbed !== undefined) this.#reasons.set(operation, makeReason('control-failed', disturbed));
    else if (notShown !== undefined) this.#reasons.set(operation, notShown);
    else this.#heldOnce.add(operation);
    if (notShown !== undefined) this.#missing.set(operation, notShown);
    return { ...tried, succeeded };
  }
}
