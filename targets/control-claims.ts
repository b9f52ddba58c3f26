import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isObject } from '../spec/json.js';
import { groupBy } from '../spec/maps.js';
import type { Need } from '../spec/need.js';
import {
  type Fault,
  type Intern,
  interns,
  type Scope,
  statusOfFault,
  vaultFaults,
} from '../spec/vocabulary.js';
import type { Received } from './client.js';
import { ControlError } from './control-client.js';
import { ProbeClient } from './diagnosis/probe-client.js';
import { json } from './exchange.js';
import type { LateArrangement, Target } from './target.js';
import { meetsEarlierFault, NotShown, type World } from './world.js';

/** The result of a request that should have met a fault. */
type Probe = 'met' | 'ignored' | 'unclear';

// If this many faults of a kind are ignored, all are taken to be.
const faultsTried = 4;
// Milliseconds to wait after setting a fault, tried in turn until the fault is in effect.
const settingWaitsMs: readonly number[] = [600, 2_000];
// How long a target may take to know everywhere what its control has made.
const knownWithinMs = 2_000;
const firstPauseMs = 50;
const maxMeasured = 3;

const guardrailNeeds: readonly Need[] = ['guardrail', 'role:management'];
const inferenceNeeds: readonly Need[] = ['inference', 'role:member'];

/**
 * Verifies what a control protocol claims to have arranged, where a violation would depend on it. It asks each question
 * once in a run; only the lag of keys, guardrails and secrets is measured again. A method rejects with ControlError where the
 * control does not do its part.
 */
export class ControlClaims {
  #faults: Promise<boolean> | undefined;
  #interns: Promise<ReadonlyMap<Scope, string>> | undefined;
  readonly #lags = new Map<LateArrangement, Promise<number>>();
  readonly #measurementsLeft = new Map<LateArrangement, number>();
  /** Whether `ignoresFaults` has resolved with true. */
  isKnownToIgnoreFaults = false;

  readonly #probes: ProbeClient;

  /** @param signal aborted when the run is over: no further request is sent then */
  constructor(
    private readonly target: Target,
    signal: AbortSignal,
  ) {
    this.#probes = new ProbeClient(target, signal);
  }

  /** Whether the control ignores every fault that it offers. If only some take effect, the server ignores the others. */
  ignoresFaults(): Promise<boolean> {
    this.#faults ??= this.#tryFaults().catch((error: unknown) => {
      this.#faults = undefined;
      throw error;
    });
    return this.#faults;
  }

  /** Finds the scopes whose intern IDs the control confuses with others, each with the evidence. */
  findMisnamedInterns(): Promise<ReadonlyMap<Scope, string>> {
    this.#interns ??= this.#tryInterns().catch((error: unknown) => {
      this.#interns = undefined;
      throw error;
    });
    return this.#interns;
  }

  /**
   * Measures how many milliseconds a new key, guardrail or secret is unknown, including those that the target waits
   * already; 0 if it is known at once, or still unknown after 2 s. Measures up to three times in a run, since a slow request
   * may hide the lag.
   */
  measureLag(of: LateArrangement): Promise<number> {
    const known = this.#lags.get(of);
    if (known !== undefined) return known;
    const left = this.#measurementsLeft.get(of) ?? maxMeasured;
    const lag = this.#measureLag(of)
      .catch((error: unknown) => {
        if (error instanceof NotShown || error instanceof ControlError) return 0;
        throw error;
      })
      .finally(() => {
        if (left > 1) this.#lags.delete(of);
      });
    this.#measurementsLeft.set(of, left - 1);
    this.#lags.set(of, lag);
    return lag;
  }

  async #measureLag(of: LateArrangement): Promise<number> {
    const needs: Readonly<Record<LateArrangement, readonly Need[]>> = {
      key: ['role:member'],
      guardrail: guardrailNeeds,
      secret: ['role:member', 'store', 'intern:own'],
    };
    if (!this.#offers(...needs[of])) return 0;
    const { openingMs = 0, settleMs = 0 } = this.target;
    const waitedMs = of === 'secret' ? settleMs : openingMs;
    const world = await this.target.openWorld(`how late a ${of} is known`);
    try {
      const name = of === 'secret' ? await world.store('own') : '';
      const start = performance.now();
      const send = {
        key: () => this.#probes.readKey({ key: world.key('member') }),
        guardrail: () => this.#probes.readGuardrail(world.guardrailId(), world.key('management')),
        secret: () => this.#delete(world, 'own', name),
      }[of];
      const ask = async () => (await send()).answer?.status === (of === 'secret' ? 204 : 200);
      if (await ask()) return 0;
      for (let pauseMs = firstPauseMs; performance.now() - start < knownWithinMs; pauseMs *= 2) {
        await sleep(pauseMs);
        if (await ask()) return waitedMs + performance.now() - start;
      }
      return 0;
    } finally {
      await world.close();
    }
  }

  async #tryFaults(): Promise<boolean> {
    const world = await this.target.openWorld('faults of the control');
    try {
      const offered = (Object.entries(statusOfFault) as [Fault, number][]).filter(
        ([fault, status]) => status !== 200 && this.#offers(`fault:${fault}`),
      );
      // Each status once: where one is set late, that of the fault before would look like its own.
      const byStatus = groupBy(offered, ([fault, status]) => `${vaultFaults.includes(fault)} ${status}`);
      const distinct = [...byStatus.values()].flatMap((alike) => alike.slice(0, 1));
      const byKind = groupBy(distinct, ([fault]) => vaultFaults.includes(fault));
      for (const waitMs of [0, ...settingWaitsMs]) {
        world.waitAfterSettings(() => waitMs);
        const tried = [...byKind.values()].flatMap((some) => some.slice(0, waitMs === 0 ? faultsTried : 1));
        const probes = new Set<Probe>();
        for (const [fault, status] of tried) {
          probes.add(await this.#probe(world, fault, status));
          if (probes.has('met')) break;
        }
        if (probes.size === 1 && probes.has('ignored')) continue;
        if (probes.has('met')) this.target.waitAfterSettings?.(waitMs);
        // A later answer may be clearer.
        else this.#faults = undefined;
        return false;
      }
      this.isKnownToIgnoreFaults = true;
      return true;
    } finally {
      await world.close();
    }
  }

  /** Sets a fault and sends a request that is otherwise valid. */
  async #probe(world: World, fault: Fault, status: number): Promise<Probe> {
    if (vaultFaults.includes(fault)) {
      if (!this.#offers('store', 'role:member')) return 'unclear';
      return this.#probeDelete(world, fault, status);
    }
    const isGuardrailRead = fault === 'guardrail_internal_error';
    if (!this.#offers(...(isGuardrailRead ? guardrailNeeds : inferenceNeeds))) return 'unclear';
    await world.setFaults(fault);
    const received = isGuardrailRead
      ? await this.#probes.readGuardrail(world.guardrailId(), world.key('management'))
      : await this.#infer(world);
    const answer = received?.answer;
    if (answer?.status === status) return 'met';
    if (meetsEarlierFault(world, answer?.status)) return 'ignored';
    return answer?.status === 200 && isObject(json(answer)) ? 'ignored' : 'unclear';
  }

  async #probeDelete(world: World, fault: Fault, status: number): Promise<Probe> {
    const name = await world.store('own');
    // A listing may lag behind: a secret that is not in it yet is not gone.
    if (this.#offers('inspect')) await world.lists('own', name);
    await world.setFaults(fault);
    const { answer } = await this.#delete(world, 'own', name);
    if (answer?.status !== 204) {
      if (answer?.status === status) return 'met';
      return meetsEarlierFault(world, answer?.status) ? 'ignored' : 'unclear';
    }
    if (this.#offers('inspect')) return (await world.lists('own', name, false)) ? 'met' : 'ignored';
    await world.setFaults();
    const again = await this.#delete(world, 'own', name);
    return again.answer?.status === 404 ? 'ignored' : 'met';
  }

  /** Sends a plain inference request, which costs nothing where there is a free model. */
  #infer(world: World): Promise<Received | undefined> {
    const isFree = this.target.inference?.free_model !== undefined;
    return this.#probes.infer({ key: world.key('member') }, isFree ? 'free' : 'paid');
  }

  async #tryInterns(): Promise<ReadonlyMap<Scope, string>> {
    const misnamed = new Map<Scope, string>();
    if (!this.#offers('role:member')) return misnamed;
    const world = await this.target.openWorld('interns of the control');
    try {
      for (const scope of ['own', 'sibling'] as const) {
        if (!this.#offers(`scope:${scope}`, `intern:${scope}`)) continue;
        const name = await world.store(scope);
        const { answer } = await this.#delete(world, scope, name);
        if (answer?.status !== 404 || !(await world.lists(scope, name))) continue;
        // If any ID deletes it, the service is to blame.
        await this.#probes.deleteSecret(randomUUID(), name, { key: world.key('member') });
        if (!(await world.lists(scope, name))) continue;
        for (const other of await this.#findDeletingInterns(world, scope, name)) {
          const message = `the answer to the control call POST /worlds contradicts GET /worlds/{id}/secrets: what is listed for the intern "${scope}" is deleted at the id of "${other}" alone`;
          misnamed.set(scope, message).set(other, message);
        }
      }
      return misnamed;
    } finally {
      await world.close();
    }
  }

  /** Finds the other interns at whose ids a secret of one intern is deleted. */
  async #findDeletingInterns(world: World, scope: Intern, name: string): Promise<readonly Intern[]> {
    const deleting: Intern[] = [];
    for (const other of interns.filter((intern) => intern !== scope)) {
      const { answer } = await this.#delete(world, other, name);
      if (answer?.status === 204 && !(await world.lists(scope, name, false))) deleting.push(other);
    }
    return deleting;
  }

  #delete(world: World, intern: Intern, name: string): Promise<Received> {
    return this.#probes.deleteSecret(world.intern(intern), name, { key: world.key('member') });
  }

  #offers(...needs: readonly Need[]): boolean {
    return needs.every((need) => this.target.lacks(need) === undefined);
  }
}
